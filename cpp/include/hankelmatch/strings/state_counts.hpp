// How often paths of states use each weight of an automaton, and how likely each state is at one place of a
// path, given all others, when the automaton is integrated out. Two structures:
//
// Free: a state's outcomes are every symbol with every next state, and the end. With a Dirichlet prior of
// concentration c for each, the state k at one place has probability proportional to
//   (n(i, a, k) + c) (n(k, b, j) + c) / (n(k) + c outcomes),
// where i, a come before it, b, j after it, and n counts what the other places use.
//
// Hidden Markov: a state chooses whether the string ends, a symbol, and apart from it the next state, each
// with a prior of its own. Then the probability is proportional to
//   (n(i, k) + c) (n(k, b) + c) (n(k, j) + c) (u(k) + c) / ((u(k) + c symbols) (u(k) + c states) (n(k) + 2
//   c))
// inside the string, and to (n(i, k) + c) (e(k) + c) / (n(k) + 2 c) at its end; u counts transitions, e ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

inline constexpr std::size_t kStateBlock = 16;  // rows of counts are whole vectors; those of no state stay 0

inline std::size_t padded_states(std::size_t n) { return (n + kStateBlock - 1) / kStateBlock * kStateBlock; }

/// What stands before and after a place of a path; -1 for the ends of the string.
struct PathPlace {
  std::int32_t before = -1;
  std::int32_t symbol_before = -1;
  std::int32_t symbol_after = -1;
  std::int32_t after = -1;

  bool begins() const { return before < 0; }
  bool ends() const { return after < 0; }
};

/// Counts of an automaton whose states choose a symbol and the next state together. Float, exact below 2^24.
class FreeStateCounts {
 public:
  FreeStateCounts(std::size_t n_states, std::size_t n_symbols)
      : n_(n_states),
        n_symbols_(n_symbols),
        width_(padded_states(n_states)),
        to_(n_symbols * n_states * width_),
        from_(to_.size()),
        final_(width_),
        total_(width_),
        inverse_(width_) {}

  void set_concentration(float c) {
    c_ = c;
    for (std::size_t i = 0; i < n_; ++i) refresh(i);
  }

  void add_transition(std::int32_t i, std::int32_t symbol, std::int32_t j, float by) {
    to_[row(symbol, i) + at(j)] += by;
    from_[row(symbol, j) + at(i)] += by;
    total_[at(i)] += by;
    refresh(at(i));
  }
  void add_end(std::int32_t i, float by) {
    final_[at(i)] += by;
    total_[at(i)] += by;
    refresh(at(i));
  }

  /// The scores of all states at a place whose own transitions are not counted; `initial` counts first
  /// states.
  void score(const PathPlace& place, const float* initial, std::span<float> scores) const {
    const float* const into = place.begins() ? initial : to_.data() + row(place.symbol_before, place.before);
    const float* const out =
        place.ends() ? final_.data() : from_.data() + row(place.symbol_after, place.after);
    for (std::size_t k = 0; k < width_; ++k) scores[k] = (into[k] + c_) * (out[k] + c_) * inverse_[k];
    if (place.begins()) return;
    // The transition into the place counts for the state before, which this one may be.
    const auto i = at(place.before);
    const bool same = place.symbol_before == place.symbol_after && place.after == place.before;
    scores[i] = (into[i] + c_) * (out[i] + c_ + (same ? 1.0F : 0.0F)) / (total_[i] + 1.0F + outcomes());
  }

 private:
  std::size_t row(std::int32_t symbol, std::int32_t state) const {
    return (at(symbol) * n_ + at(state)) * width_;
  }
  float outcomes() const { return c_ * static_cast<float>(n_symbols_ * n_ + 1); }
  void refresh(std::size_t state) { inverse_[state] = 1.0F / (total_[state] + outcomes()); }

  std::size_t n_;
  std::size_t n_symbols_;
  std::size_t width_;
  float c_ = 1;
  std::vector<float> to_;       // to_[a][i][j]: how often i goes to j by a
  std::vector<float> from_;     // from_[a][j][i]: the same
  std::vector<float> final_;    // ends
  std::vector<float> total_;    // transitions and ends
  std::vector<float> inverse_;  // 1 / what the scores are divided by; 0 for the padding
};

/// Counts of an automaton whose states choose the symbol and the next state apart from one another.
class HiddenMarkovStateCounts {
 public:
  HiddenMarkovStateCounts(std::size_t n_states, std::size_t n_symbols)
      : n_(n_states),
        n_symbols_(n_symbols),
        width_(padded_states(n_states)),
        to_(n_states * width_),
        from_(to_.size()),
        emitted_(n_symbols * width_),
        final_(width_),
        total_(width_),
        ending_(width_),
        continuing_(width_) {}

  void set_concentration(float c) {
    c_ = c;
    for (std::size_t i = 0; i < n_; ++i) refresh(i);
  }

  void add_transition(std::int32_t i, std::int32_t symbol, std::int32_t j, float by) {
    to_[row(i) + at(j)] += by;
    from_[row(j) + at(i)] += by;
    emitted_[row(symbol) + at(i)] += by;
    total_[at(i)] += by;
    refresh(at(i));
  }
  void add_end(std::int32_t i, float by) {
    final_[at(i)] += by;
    refresh(at(i));
  }

  /// The scores of all states at a place whose own transitions are not counted; `initial` counts first
  /// states.
  void score(const PathPlace& place, const float* initial, std::span<float> scores) const {
    const float* const into = place.begins() ? initial : to_.data() + row(place.before);
    if (place.ends()) {
      for (std::size_t k = 0; k < width_; ++k) scores[k] = (into[k] + c_) * ending_[k];
    } else {
      const float* const out = from_.data() + row(place.after);
      const float* const emitted = emitted_.data() + row(place.symbol_after);
      for (std::size_t k = 0; k < width_; ++k)
        scores[k] = (into[k] + c_) * (emitted[k] + c_) * (out[k] + c_) * continuing_[k];
    }
    if (!place.begins()) scores[at(place.before)] = score_of_state_before(place);
  }

 private:
  /// The transition into the place counts for the state before, which this one is.
  float score_of_state_before(const PathPlace& place) const {
    const auto i = at(place.before);
    const float into = to_[row(place.before) + i] + c_;
    const float total = total_[i] + 1.0F;
    if (place.ends()) return into * (final_[i] + c_) / (total + final_[i] + 2 * c_);
    const float out = from_[row(place.after) + i] + (place.after == place.before ? 1.0F : 0.0F);
    const float emitted =
        emitted_[row(place.symbol_after) + i] + (place.symbol_after == place.symbol_before ? 1.0F : 0.0F);
    return into * (emitted + c_) * (out + c_) * continuing(total, final_[i]);
  }

  std::size_t row(std::int32_t number) const { return at(number) * width_; }
  float continuing(float total, float ends) const {
    const auto n_states = static_cast<float>(n_);
    const auto n_symbols = static_cast<float>(n_symbols_);
    return (total + c_) / ((total + ends + 2 * c_) * (total + c_ * n_symbols) * (total + c_ * n_states));
  }
  void refresh(std::size_t state) {
    continuing_[state] = continuing(total_[state], final_[state]);
    ending_[state] = (final_[state] + c_) / (total_[state] + final_[state] + 2 * c_);
  }

  std::size_t n_;
  std::size_t n_symbols_;
  std::size_t width_;
  float c_ = 1;
  std::vector<float> to_;       // to_[i][j]: how often i goes to j
  std::vector<float> from_;     // from_[j][i]: the same
  std::vector<float> emitted_;  // emitted_[a][i]: how often i emits a
  std::vector<float> final_;    // ends
  std::vector<float> total_;    // transitions
  std::vector<float> ending_;   // factors of the scores that are the state's alone; 0 for the padding
  std::vector<float> continuing_;
};

}  // namespace hankelmatch
