// Collapsed Gibbs sampling of the states of a probabilistic automaton along the strings of a sample.
//
// Every string has a path of states. The automaton itself is integrated out: with a Dirichlet prior of
// concentration c for each outcome of a state (every symbol with every next state, and the end), the state at
// one place, given all others, has probability proportional to
//   (n(i, a, k) + c) (n(k, b, j) + c) / (n(k) + c outcomes),
// where i, a come before it, b, j after it, and n counts what the other places use. A sweep draws every
// place's state anew. Samples of the paths that lie some sweeps apart give automata whose mean predicts
// better than the best single one.
//
// C. Shibata, R. Yoshinaka: Marginalizing out transition probabilities for several subclasses of PFAs.
// JMLR Workshop and Conference Proceedings 21 (2012).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/random.hpp>
#include <hankelmatch/strings/forward_backward.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace hankelmatch {

/// One chain. Counts are kept as float, exact below 2^24. Memory: 8 bytes for each symbol and pair of states,
/// 4 for each symbol of the sample. The sample must outlive the sampler.
class StateSampler {
 public:
  static constexpr std::size_t kMostSymbols = std::size_t{1} << 24;

  /// Draws the first paths from the automaton `first`, given the strings; its shape is the sampler's.
  /// Symbols of the sample are those of `first`.
  StateSampler(const CorpusView& sample, const AutomatonView& first, float concentration, std::uint64_t seed,
               Interrupt& interrupt)
      : sample_(sample),
        n_(first.n_states()),
        n_symbols_(first.n_symbols()),
        width_(padded_states(n_)),
        concentration_(concentration),
        random_(seed) {
    if (sample.symbols.size() + sample.n_sequences() >= kMostSymbols)
      throw std::length_error("the sample has 2^24 symbols or more, too many for counts in float");
    outcomes_ = concentration_ * static_cast<float>(n_symbols_ * n_ + 1);
    to_.assign(n_symbols_ * n_ * width_, 0.0F);
    from_ = to_;
    for (auto* counts : {&initial_, &final_, &total_, &inverse_, &scores_}) counts->assign(width_, 0.0F);
    path_.resize(sample.symbols.size() + sample.n_sequences());
    draw_paths(first, interrupt);
    for (std::size_t s = 0; s < sample.n_sequences(); ++s) count_path(s);
    for (std::size_t i = 0; i < n_; ++i) refresh(i);
  }

  std::size_t n_states() const { return n_; }
  std::size_t n_symbols() const { return n_symbols_; }

  /// Draws every state anew. Cost: O(n_states) for each symbol of the sample.
  void sweep() {
    for (std::size_t s = 0; s < sample_.n_sequences(); ++s) {
      const auto string = sample_.sequence(s);
      std::int32_t* const path = path_of(s);
      for (std::size_t t = 0; t <= string.size(); ++t) {
        Place place = place_at(string, path, t);
        count(place, path[t], -1.0F);
        path[t] = draw(place);
        count(place, path[t], 1.0F);
      }
    }
  }

  /// The mean of the automaton given the paths; the arrays have the sizes of AutomatonView.
  void mean(std::span<double> initial, std::span<double> final, std::span<double> transitions) const {
    const double c = concentration_;
    const double n_strings = static_cast<double>(sample_.n_sequences());
    for (std::size_t i = 0; i < n_; ++i) {
      const double total = static_cast<double>(total_[i]) + c * static_cast<double>(n_symbols_ * n_ + 1);
      initial[i] = (static_cast<double>(initial_[i]) + c) / (n_strings + c * static_cast<double>(n_));
      final[i] = (static_cast<double>(final_[i]) + c) / total;
      for (std::size_t a = 0; a < n_symbols_; ++a) {
        const float* const row = to_.data() + (a * n_ + i) * width_;
        for (std::size_t j = 0; j < n_; ++j)
          transitions[(a * n_ + i) * n_ + j] = (static_cast<double>(row[j]) + c) / total;
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 16;
  static std::size_t padded_states(std::size_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

  /// What stands before and after a place of a path; -1 for the ends of the string.
  struct Place {
    std::int32_t before = -1;
    std::int32_t symbol_before = -1;
    std::int32_t symbol_after = -1;
    std::int32_t after = -1;
  };

  static Place place_at(std::span<const std::int32_t> string, const std::int32_t* path, std::size_t t) {
    Place place;
    if (t > 0) {
      place.before = path[t - 1];
      place.symbol_before = string[t - 1];
    }
    if (t < string.size()) {
      place.symbol_after = string[t];
      place.after = path[t + 1];
    }
    return place;
  }

  std::int32_t* path_of(std::size_t s) { return path_.data() + at(sample_.offsets[s]) + s; }
  float* row(std::vector<float>& table, std::int32_t symbol, std::int32_t state) {
    return table.data() + (at(symbol) * n_ + at(state)) * width_;
  }
  void refresh(std::size_t state) { inverse_[state] = 1.0F / (total_[state] + outcomes_); }

  void count_transition(std::int32_t i, std::int32_t symbol, std::int32_t j, float by) {
    row(to_, symbol, i)[j] += by;
    row(from_, symbol, j)[i] += by;
    total_[at(i)] += by;
  }
  void count_end(std::int32_t i, float by) {
    final_[at(i)] += by;
    total_[at(i)] += by;
  }

  /// Adds what a place uses when it has `state`.
  void count(const Place& place, std::int32_t state, float by) {
    if (place.before < 0) {
      initial_[at(state)] += by;
    } else {
      count_transition(place.before, place.symbol_before, state, by);
      refresh(at(place.before));
    }
    if (place.after < 0) {
      count_end(state, by);
    } else {
      count_transition(state, place.symbol_after, place.after, by);
    }
    refresh(at(state));
  }

  void count_path(std::size_t s) {
    const auto string = sample_.sequence(s);
    const std::int32_t* const path = path_of(s);
    initial_[at(path[0])] += 1.0F;
    for (std::size_t t = 0; t < string.size(); ++t) count_transition(path[t], string[t], path[t + 1], 1.0F);
    count_end(path[string.size()], 1.0F);
  }

  std::int32_t draw(const Place& place) {
    const float* const into =
        place.before < 0 ? initial_.data() : row(to_, place.symbol_before, place.before);
    const float* const out = place.after < 0 ? final_.data() : row(from_, place.symbol_after, place.after);
    const float c = concentration_;
    for (std::size_t k = 0; k < width_; ++k) scores_[k] = (into[k] + c) * (out[k] + c) * inverse_[k];
    if (place.before >= 0) {
      // The transition into the place counts for the state before, which this one may be.
      const auto i = at(place.before);
      const bool same = place.symbol_before == place.symbol_after && place.after == place.before;
      scores_[i] = (into[i] + c) * (out[i] + c + (same ? 1.0F : 0.0F)) / (total_[i] + 1.0F + outcomes_);
    }
    return chosen();
  }

  /// A state, by scores_; those of the padding are 0, for their inverse_ is. The sums of kLane columns come
  /// first, then one column is searched: so the sums need no order within a vector.
  std::int32_t chosen() {
    std::array<float, kBlock> columns{};
    for (std::size_t b = 0; b < width_; b += kBlock)
      for (std::size_t k = 0; k < kBlock; ++k) columns[k] += scores_[b + k];
    float total = 0;
    for (const float sum : columns) total += sum;
    float left = random_.uniform() * total;
    std::size_t k = 0;
    while (k + 1 < std::min(kBlock, n_) && left >= columns[k]) left -= columns[k++];
    while (k + kBlock < n_ && left >= scores_[k]) {
      left -= scores_[k];
      k += kBlock;
    }
    return static_cast<std::int32_t>(k);
  }

  /// Draws the path of every string from the automaton, given the string: forward vectors, then states from
  /// the last to the first.
  void draw_paths(const AutomatonView& first, Interrupt& interrupt) {
    std::vector<double> forward;
    std::vector<double> scores(n_);
    for (std::size_t s = 0; s < sample_.n_sequences(); ++s) {
      const auto string = sample_.sequence(s);
      interrupt.poll((string.size() + 1) * n_ * n_ / 8);
      fill_forward(first, string, forward);
      std::int32_t* const path = path_of(s);
      for (std::size_t t = string.size() + 1; t-- > 0;) {
        const double* const alpha = forward.data() + t * n_;
        for (std::size_t i = 0; i < n_; ++i) {
          const double leaving =
              t == string.size() ? first.final[i] : first.matrix(at(string[t]))[i * n_ + at(path[t + 1])];
          scores[i] = alpha[i] * leaving;
        }
        path[t] = chosen_of(scores);
      }
    }
  }

  void fill_forward(const AutomatonView& first, std::span<const std::int32_t> string,
                    std::vector<double>& forward) const {
    forward.assign((string.size() + 1) * n_, 0.0);
    std::copy(first.initial.begin(), first.initial.end(), forward.begin());
    for (std::size_t t = 0; t < string.size(); ++t) {
      const double* const from = forward.data() + t * n_;
      double* const to = forward.data() + (t + 1) * n_;
      const auto matrix = first.matrix(at(string[t]));
      double sum = 0;
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j) to[j] += from[i] * matrix[i * n_ + j];
      for (std::size_t j = 0; j < n_; ++j) sum += to[j];
      for (std::size_t j = 0; j < n_; ++j) to[j] = sum > 0 ? to[j] / sum : 1.0;
    }
  }

  /// An index, by scores that are not negative; any where all are 0.
  std::int32_t chosen_of(const std::vector<double>& scores) {
    double total = 0;
    for (const double score : scores) total += score;
    double left = static_cast<double>(random_.uniform()) * total;
    std::size_t k = 0;
    while (k + 1 < scores.size() && left >= scores[k]) left -= scores[k++];
    return static_cast<std::int32_t>(k);
  }

  CorpusView sample_;
  std::size_t n_;
  std::size_t n_symbols_;
  std::size_t width_;
  float concentration_;
  float outcomes_ = 0;
  Random random_;
  std::vector<float> to_;    // to_[a][i][j]: how often i goes to j by a
  std::vector<float> from_;  // from_[a][j][i]: the same
  std::vector<float> initial_;
  std::vector<float> final_;
  std::vector<float> total_;
  std::vector<float> inverse_;
  std::vector<float> scores_;
  std::vector<std::int32_t> path_;  // string s has length + 1 states from offsets[s] + s on
};

}  // namespace hankelmatch
