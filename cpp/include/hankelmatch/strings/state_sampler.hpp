// Collapsed Gibbs sampling of the states of a probabilistic automaton along the strings of a sample.
//
// Every string has a path of states. The automaton itself is integrated out; see state_counts.hpp for the
// probability of the state at one place, given all others. A sweep draws every place's state anew. Samples of
// the paths that lie some sweeps apart give automata whose mean predicts better than the best single one.
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
#include <hankelmatch/strings/state_counts.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace hankelmatch {

/// One chain, for one of the structures in state_counts.hpp. Memory: that of the counts, and 4 bytes for each
/// symbol of the sample, which must outlive the sampler.
template <class Counts>
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
        counts_(n_, n_symbols_),
        initial_(padded_states(n_)),
        scores_(padded_states(n_)),
        random_(seed) {
    if (sample.symbols.size() + sample.n_sequences() >= kMostSymbols)
      throw std::length_error("the sample has 2^24 symbols or more, too many for counts in float");
    path_.resize(sample.symbols.size() + sample.n_sequences());
    draw_paths(first, interrupt);
    counts_.set_concentration(concentration);
    for (std::size_t s = 0; s < sample.n_sequences(); ++s) count_path(s);
  }

  std::size_t n_states() const { return n_; }
  std::size_t n_symbols() const { return n_symbols_; }

  void set_concentration(float concentration) { counts_.set_concentration(concentration); }

  /// Draws every state anew. Cost: O(n_states) for each symbol of the sample.
  void sweep() {
    for (std::size_t s = 0; s < sample_.n_sequences(); ++s) {
      const auto string = sample_.sequence(s);
      std::int32_t* const path = path_of(s);
      for (std::size_t t = 0; t <= string.size(); ++t) {
        const PathPlace place = place_at(string, path, t);
        count(place, path[t], -1.0F);
        counts_.score(place, initial_.data(), scores_);
        path[t] = chosen();
        count(place, path[t], 1.0F);
      }
    }
  }

  /// Adds how often the paths use each weight; the arrays have the sizes of AutomatonView.
  void add_uses(std::span<double> initial, std::span<double> final, std::span<double> transitions) const {
    for (std::size_t s = 0; s < sample_.n_sequences(); ++s) {
      const auto string = sample_.sequence(s);
      const std::int32_t* const path = path_.data() + at(sample_.offsets[s]) + s;
      initial[at(path[0])] += 1.0;
      for (std::size_t t = 0; t < string.size(); ++t)
        transitions[(at(string[t]) * n_ + at(path[t])) * n_ + at(path[t + 1])] += 1.0;
      final[at(path[string.size()])] += 1.0;
    }
  }

 private:
  static PathPlace place_at(std::span<const std::int32_t> string, const std::int32_t* path, std::size_t t) {
    PathPlace place;
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

  /// Adds what a place uses when it has `state`.
  void count(const PathPlace& place, std::int32_t state, float by) {
    if (place.begins()) {
      initial_[at(state)] += by;
    } else {
      counts_.add_transition(place.before, place.symbol_before, state, by);
    }
    if (place.ends()) {
      counts_.add_end(state, by);
    } else {
      counts_.add_transition(state, place.symbol_after, place.after, by);
    }
  }

  void count_path(std::size_t s) {
    const auto string = sample_.sequence(s);
    const std::int32_t* const path = path_of(s);
    initial_[at(path[0])] += 1.0F;
    for (std::size_t t = 0; t < string.size(); ++t)
      counts_.add_transition(path[t], string[t], path[t + 1], 1.0F);
    counts_.add_end(path[string.size()], 1.0F);
  }

  /// A state, by scores_; those of the padding are 0. The sums of columns come first, then one column is
  /// searched: so the sums need no order within a vector.
  std::int32_t chosen() {
    std::array<float, kStateBlock> columns{};
    for (std::size_t b = 0; b < scores_.size(); b += kStateBlock)
      for (std::size_t k = 0; k < kStateBlock; ++k) columns[k] += scores_[b + k];
    float total = 0;
    for (const float sum : columns) total += sum;
    float left = random_.uniform() * total;
    std::size_t k = 0;
    while (k + 1 < std::min(kStateBlock, n_) && left >= columns[k]) left -= columns[k++];
    while (k + kStateBlock < n_ && left >= scores_[k]) {
      left -= scores_[k];
      k += kStateBlock;
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
  Counts counts_;
  std::vector<float> initial_;  // how often each state is the first; padded
  std::vector<float> scores_;
  Random random_;
  std::vector<std::int32_t> path_;  // string s has length + 1 states from offsets[s] + s on
};

}  // namespace hankelmatch
