// Forward and backward passes of a probabilistic automaton over a sample: its log-probabilities, and the
// expected counts of one step of expectation-maximisation (Baum-Welch).
//
// A forward vector stands at every node of the sample's tries, so a prefix common to many strings is worked
// out once. Nodes of one length and one last symbol make one matrix product. With alpha_v the forward vector
// of node v, rescaled to sum 1, and s_v its sum before, w_v the weight of the strings that end there, and
//   beta_v(i) = w_v final(i) / (alpha_v . final) + sum over children va of sum_j A_a(i,j) beta_va(j) / s_va,
// the transition (i, a, j) is used sum over edges v -> va of alpha_v(i) A_a(i,j) beta_va(j) / s_va times.
//
//   const SampleTries sample = make_sample_tries(corpus, kTrieNodes, interrupt);
//   const Expectations e = expected_counts(sample, weights, {initial, final, transitions}, interrupt);
//
// L. Rabiner: A tutorial on hidden Markov models and selected applications in speech recognition.
// Proceedings of the IEEE 77 (1989).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/dense_products.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/strings/sample_tries.hpp>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

namespace hankelmatch {

/// Nodes of a trie at most: the vectors of 40 states then take 1.3 MB on a thread, as much as a second-level
/// cache holds. 1,024 and 4,096 were 10% slower, 16,384 twice as slow.
inline constexpr std::size_t kTrieNodes = 2048;

/// A probabilistic automaton: `initial` and `final` have n_states entries, `transitions` n_symbols matrices
/// of n_states x n_states, row by row. Nothing is copied or owned.
struct AutomatonView {
  std::span<const double> initial;
  std::span<const double> final;
  std::span<const double> transitions;

  std::size_t n_states() const { return initial.size(); }
  std::size_t n_symbols() const {
    return initial.empty() ? 0 : transitions.size() / (n_states() * n_states());
  }
  std::span<const double> matrix(std::size_t symbol) const {
    return transitions.subspan(symbol * n_states() * n_states(), n_states() * n_states());
  }
};

/// What a step of expectation-maximisation adds up; sizes as in AutomatonView.
struct Expectations {
  double log_likelihood = 0;  ///< weighted; without strings of probability 0
  std::vector<double> initial;
  std::vector<double> final;
  std::vector<double> transitions;
};

/// The precision of the vectors and matrices in the passes of `expected_counts`. With single precision the
/// counts are off by about 1e-6 of their size; they are added up in double precision all the same.
enum class Precision : std::uint8_t { kSingle, kDouble };

namespace detail {

/// What is a share of a forward vector at least; less becomes 0. In single precision no backward vector can
/// overflow then, for with alpha(i) above 0, beta(i) is at most the weight of the strings below over
/// alpha(i).
template <class Real>
inline constexpr Real kLeastShare = sizeof(Real) == 4 ? Real(1e-24) : Real(0);

/// The least probability of a symbol or an end, given what came before, that single precision serves: what is
/// lost by kLeastShare is then below its rounding. Tries with less are worked out in double precision.
inline constexpr double kLeastSingle = 1e-14;

/// An automaton as the passes read it: matrices packed, vectors padded with zeros.
template <class Real>
struct PackedAutomaton {
  std::size_t width;
  std::vector<Real> initial;
  std::vector<Real> final;
  std::vector<PackedMatrix<Real>> matrices;
  std::vector<PackedMatrix<Real>> transposes;  // empty unless wanted

  PackedAutomaton(const AutomatonView& automaton, bool with_transposes)
      : width(padded(automaton.n_states())),
        initial(padded_vector(automaton.initial)),
        final(padded_vector(automaton.final)) {
    const std::size_t n = automaton.n_states();
    for (std::size_t a = 0; a < automaton.n_symbols(); ++a) {
      matrices.emplace_back(automaton.matrix(a), n, n);
      if (with_transposes) transposes.emplace_back(automaton.matrix(a), n, n, true);
    }
  }

 private:
  std::vector<Real> padded_vector(std::span<const double> values) const {
    std::vector<Real> out(width, Real{0});
    std::transform(values.begin(), values.end(), out.begin(), [](double x) { return static_cast<Real>(x); });
    return out;
  }
};

/// The vectors of one trie's nodes, in memory that serves one trie after another.
template <class Real>
class NodeVectors {
 public:
  NodeVectors(std::size_t n_nodes, std::size_t width, bool with_backward)
      : width_(width),
        forward_(n_nodes * width),
        backward_(with_backward ? n_nodes * width : 0),
        scale_(n_nodes),
        mass_(n_nodes),
        log_unit_(n_nodes) {}

  const Real* forward(std::size_t v) const { return forward_.data() + v * width_; }
  const Real* backward(std::size_t v) const { return backward_.data() + v * width_; }

  /// Forward vectors of all nodes, each with sum 1; or 0 where no path leads to.
  void go_forward(const SampleTrie& trie, const PackedAutomaton<Real>& automaton) {
    std::copy(automaton.initial.begin(), automaton.initial.end(), forward_.begin());
    normalize_rows<Real>({forward_.data(), width_}, 1, width_, kLeastShare<Real>, scale_.data());
    mass_[0] = scale_[0];
    log_unit_[0] = 0;
    for (const auto& group : trie.groups) {
      const Rows<Real> out{forward_.data() + at(group.begin) * width_, width_};
      set_products<Real>({forward_.data(), width_, trie.parent.data() + group.begin}, out, size(group),
                         automaton.matrices[at(group.symbol)]);
      normalize_rows(out, size(group), width_, kLeastShare<Real>, scale_.data() + group.begin);
      for (std::int32_t v = group.begin; v < group.end; ++v) follow(at(v), at(trie.parent[at(v)]));
    }
  }

  /// The probability of the node's last symbol, given those before.
  double scale(std::size_t v) const { return scale_[v]; }

  /// The probability that the node's string ends there, given that it began so.
  double ending(std::size_t v, const PackedAutomaton<Real>& automaton) const {
    return inner_product(forward(v), automaton.final.data(), width_);
  }

  /// Natural logarithm of the probability that a string begins with the node's.
  double log_scale(std::size_t v) const { return log_unit_[v] + std::log(mass_[v]); }

  /// Backward vectors, divided by the scales of their nodes, 0 where the forward vector is; `ends[v]` is
  /// w_v / (alpha_v . final), and is overwritten.
  void go_backward(const SampleTrie& trie, const PackedAutomaton<Real>& automaton, std::span<double> ends) {
    for (std::size_t v = 0; v < trie.n_nodes(); ++v) {
      Real* const beta = backward_.data() + v * width_;
      const auto weight = static_cast<Real>(ends[v]);
      for (std::size_t i = 0; i < width_; ++i) beta[i] = weight * automaton.final[i];
    }
    std::span<double> inverse = ends;
    for (std::size_t v = 0; v < trie.n_nodes(); ++v) inverse[v] = scale_[v] > 0 ? 1 / scale_[v] : 0.0;
    for (std::size_t g = trie.groups.size(); g-- > 0;) {
      const auto& group = trie.groups[g];
      const std::size_t first = at(group.begin) * width_;
      const Rows<Real> beta{backward_.data() + first, width_};
      scale_rows<Real>(beta, {forward_.data() + first, width_}, size(group), width_,
                       inverse.data() + group.begin);
      add_products<Real>({beta.first, width_}, {backward_.data(), width_, trie.parent.data() + group.begin},
                         size(group), automaton.transposes[at(group.symbol)]);
    }
    scale_rows<Real>({backward_.data(), width_}, {forward_.data(), width_}, 1, width_, inverse.data());
  }

  /// counts[a] += sum over edges v -> va of the outer product of alpha_v and beta_va / s_va.
  void add_transitions(const SampleTrie& trie, std::span<double> counts) {
    // A tile of sums is loaded and stored for many rows; those of 40 states stay in a first-level cache.
    constexpr std::size_t kRows = 96;
    left_.clear();
    right_.clear();
    for (std::size_t k = 0; k < trie.groups_by_symbol.size(); ++k) {
      const auto& group = trie.groups[at(trie.groups_by_symbol[k])];
      left_.insert(left_.end(), trie.parent.begin() + group.begin, trie.parent.begin() + group.end);
      for (std::int32_t v = group.begin; v < group.end; ++v) right_.push_back(v);
      const bool last = k + 1 == trie.groups_by_symbol.size() ||
                        trie.groups[at(trie.groups_by_symbol[k + 1])].symbol != group.symbol;
      if (!last && left_.size() < kRows) continue;
      double* const out = counts.data() + at(group.symbol) * width_ * width_;
      for (std::size_t begin = 0; begin < left_.size(); begin += kRows) {
        add_outer_products<Real>({forward_.data(), width_, left_.data() + begin},
                                 {backward_.data(), width_, right_.data() + begin},
                                 std::min(kRows, left_.size() - begin), width_, out);
      }
      left_.clear();
      right_.clear();
    }
  }

 private:
  static std::size_t size(const SampleTrie::Group& group) { return at(group.end - group.begin); }

  /// The mass of a node from its parent's; a logarithm is taken only where the product would get too small.
  void follow(std::size_t v, std::size_t parent) {
    constexpr double kSmall = 1e-200;
    mass_[v] = mass_[parent] * scale_[v];
    log_unit_[v] = log_unit_[parent];
    if (mass_[v] < kSmall) {
      log_unit_[v] += std::log(mass_[parent]) + std::log(scale_[v]);
      mass_[v] = 1;
    }
  }

  std::size_t width_;
  std::vector<Real, UninitializedAllocator<Real>> forward_;
  std::vector<Real, UninitializedAllocator<Real>> backward_;
  std::vector<double> scale_;  // the sum of the forward vector before it was divided by it
  std::vector<double> mass_;   // the product of the scales from the root on, times exp(log_unit_)
  std::vector<double> log_unit_;
  std::vector<std::int32_t> left_;
  std::vector<std::int32_t> right_;
};

/// Sums of expected counts over some of the tries, with padded rows.
struct PartialCounts {
  double log_likelihood = 0;
  std::span<double> initial;
  std::span<double> final;
  std::span<double> transitions;

  /// `zeros`: the memory, size(width, n_symbols) entries.
  PartialCounts(std::span<double> zeros, std::size_t width)
      : initial(zeros.first(width)),
        final(zeros.subspan(width, width)),
        transitions(zeros.subspan(2 * width)) {}

  static std::size_t size(std::size_t width, std::size_t n_symbols) {
    return (2 + n_symbols * width) * width;
  }
};

/// The passes of one thread for expected counts.
template <class Real>
class Counter {
 public:
  Counter(const PackedAutomaton<Real>& automaton, std::size_t n_nodes)
      : automaton_(automaton), vectors_(n_nodes, automaton.width, true), ends_(n_nodes) {}

  /// Adds a trie's counts; false, and adds nothing, if a number is too small for the precision.
  bool add(const SampleTrie& trie, std::span<const double> weights, PartialCounts& counts) {
    vectors_.go_forward(trie, automaton_);
    if (!fill_ends(trie, weights)) return false;
    for (std::size_t s = 0; s < trie.node.size(); ++s) {
      const std::size_t v = at(trie.node[s]);
      if (ends_[v] == 0) continue;
      const double weight = weights[trie.first_string + s];
      counts.log_likelihood += weight * (vectors_.log_scale(v) + std::log(weight / ends_[v]));
      const Real* const alpha = vectors_.forward(v);
      for (std::size_t k = 0; k < automaton_.width; ++k)
        counts.final[k] += ends_[v] * static_cast<double>(alpha[k] * automaton_.final[k]);
    }
    vectors_.go_backward(trie, automaton_, {ends_.data(), trie.n_nodes()});
    for (std::size_t k = 0; k < automaton_.width; ++k)
      counts.initial[k] += static_cast<double>(automaton_.initial[k] * vectors_.backward(0)[k]);
    vectors_.add_transitions(trie, counts.transitions);
    return true;
  }

 private:
  /// For every node the weight of the string that ends there over the probability of the end.
  bool fill_ends(const SampleTrie& trie, std::span<const double> weights) {
    if constexpr (sizeof(Real) == 4) {
      for (std::size_t v = 0; v < trie.n_nodes(); ++v)
        if (!(vectors_.scale(v) >= kLeastSingle)) return false;
    }
    std::fill_n(ends_.begin(), trie.n_nodes(), 0.0);
    for (std::size_t s = 0; s < trie.node.size(); ++s) {
      const std::size_t v = at(trie.node[s]);
      const double weight = weights[trie.first_string + s];
      const double ending = vectors_.ending(v, automaton_);
      if (sizeof(Real) == 4 && !(ending >= kLeastSingle)) return false;
      if (ending > 0 && weight > 0) ends_[v] = weight / ending;
    }
    return true;
  }

  const PackedAutomaton<Real>& automaton_;
  NodeVectors<Real> vectors_;
  std::vector<double> ends_;
};

/// An automaton in the precision of the passes, and in double where these fall back on it.
class TwoPrecisions {
 public:
  TwoPrecisions(const AutomatonView& automaton, Precision precision) : automaton_(automaton) {
    if (precision == Precision::kSingle) single_ = std::make_unique<PackedAutomaton<float>>(automaton, true);
  }

  const PackedAutomaton<float>* in_single() const { return single_.get(); }
  const PackedAutomaton<double>& in_double() const {
    std::call_once(packed_, [&] { double_ = std::make_unique<PackedAutomaton<double>>(automaton_, true); });
    return *double_;
  }

 private:
  AutomatonView automaton_;
  std::unique_ptr<PackedAutomaton<float>> single_;
  mutable std::once_flag packed_;
  mutable std::unique_ptr<PackedAutomaton<double>> double_;
};

/// The passes of one thread in the precision wanted, again in double where that is too coarse.
class Counters {
 public:
  Counters(const TwoPrecisions& automaton, std::size_t n_nodes) : automaton_(&automaton), n_nodes_(n_nodes) {}

  void add(const SampleTrie& trie, std::span<const double> weights, PartialCounts& counts) {
    if (const auto* const single = automaton_->in_single()) {
      if (!single_) single_ = std::make_unique<Counter<float>>(*single, n_nodes_);
      if (single_->add(trie, weights, counts)) return;
    }
    if (!double_) double_ = std::make_unique<Counter<double>>(automaton_->in_double(), n_nodes_);
    double_->add(trie, weights, counts);
  }

 private:
  const TwoPrecisions* automaton_;
  std::size_t n_nodes_;
  std::unique_ptr<Counter<float>> single_;
  std::unique_ptr<Counter<double>> double_;
};

/// How many sums are kept apart, from the sizes alone: results must not depend on the number of threads.
inline std::size_t n_parts(std::size_t n_tries, std::size_t n_entries) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kEntries = std::size_t{1} << 24;  // 128 MB in all, where two parts take no more
  return std::clamp<std::size_t>(std::min(n_tries, kEntries / std::max<std::size_t>(1, n_entries)),
                                 std::min<std::size_t>(2, n_tries), kMost);
}

inline Expectations added_up(const std::vector<PartialCounts>& parts, const AutomatonView& automaton) {
  const std::size_t n = automaton.n_states();
  const std::size_t width = padded(n);
  Expectations out;
  out.initial.assign(n, 0.0);
  out.final.assign(n, 0.0);
  out.transitions.assign(automaton.transitions.size(), 0.0);
  for (const PartialCounts& part : parts) {
    out.log_likelihood += part.log_likelihood;
    for (std::size_t i = 0; i < n; ++i) out.initial[i] += part.initial[i];
    for (std::size_t i = 0; i < n; ++i) out.final[i] += part.final[i];
    for (std::size_t row = 0; row < automaton.n_symbols() * n; ++row) {
      const double* const from = part.transitions.data() + (row / n * width + row % n) * width;
      for (std::size_t j = 0; j < n; ++j) out.transitions[row * n + j] += from[j];
    }
  }
  for (std::size_t k = 0; k < out.transitions.size(); ++k) out.transitions[k] *= automaton.transitions[k];
  return out;
}

}  // namespace detail

/// Calls visit(string, node, vectors) for every distinct string of the sample, after a forward pass over the
/// trie that holds it; on all threads.
template <class Visit>
void for_each_string(const SampleTries& sample, const AutomatonView& automaton, Interrupt& interrupt,
                     const Visit& visit) {
  const detail::PackedAutomaton<double> packed(automaton, false);
  const std::size_t n_workers = std::clamp<std::size_t>(sample.tries.size(), 1, max_threads());
  std::vector<detail::NodeVectors<double>> vectors(n_workers, {sample.most_nodes(), packed.width, false});
  for_each_task(sample.tries.size(), n_workers, interrupt, [&](std::size_t t, std::size_t worker) {
    const SampleTrie& trie = sample.tries[t];
    vectors[worker].go_forward(trie, packed);
    for (std::size_t i = 0; i < trie.node.size(); ++i)
      visit(trie.first_string + i, trie, at(trie.node[i]), vectors[worker], packed);
  });
}

/// Natural logarithms of the probabilities of the sample's distinct strings; minus infinity for 0.
///
/// Cost: n_states^2 multiplications a node, on all cores. Memory: kTrieNodes * n_states * 8 bytes a thread.
inline std::vector<double> log_probabilities(const SampleTries& sample, const AutomatonView& automaton,
                                             Interrupt& interrupt) {
  std::vector<double> out(sample.n_distinct());
  for_each_string(sample, automaton, interrupt,
                  [&](std::size_t s, const SampleTrie&, std::size_t v, detail::NodeVectors<double>& vectors,
                      const detail::PackedAutomaton<double>& packed) {
                    out[s] = vectors.log_scale(v) + std::log(vectors.ending(v, packed));
                  });
  return out;
}

/// For every distinct string the natural logarithms of the probabilities that a string begins with its first
/// symbol, its first two and so on, and last that of the string itself: length + 1 entries, those of string s
/// from sample.offsets[s] + s on. Cost and memory as for log_probabilities.
inline std::vector<double> prefix_log_probabilities(const SampleTries& sample, const AutomatonView& automaton,
                                                    Interrupt& interrupt) {
  std::vector<double> out(sample.offsets.back() + sample.n_distinct());
  for_each_string(sample, automaton, interrupt,
                  [&](std::size_t s, const SampleTrie& trie, std::size_t v,
                      detail::NodeVectors<double>& vectors, const detail::PackedAutomaton<double>& packed) {
                    std::size_t place = sample.offsets[s + 1] + s;
                    out[place] = vectors.log_scale(v) + std::log(vectors.ending(v, packed));
                    for (; v != 0; v = at(trie.parent[v])) out[--place] = vectors.log_scale(v);
                  });
  return out;
}

/// The expected number of times that each initial state, final state and transition is used, where every
/// distinct string has a weight. Strings of probability 0 add nothing.
///
/// Cost: 3 n_states^2 multiplications a node, on all threads, in single precision two to three times as fast;
/// the same result on any number of threads. Memory: 2 * kTrieNodes * n_states numbers a thread; 2 to 16
/// times the size of `transitions` for the sums, at most 128 MB unless two of them take more.
inline Expectations expected_counts(const SampleTries& sample, std::span<const double> weights,
                                    const AutomatonView& automaton, Interrupt& interrupt,
                                    Precision precision = Precision::kDouble) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 1e-6 && total < 1e9)) precision = Precision::kDouble;  // too far from 1 for single
  const detail::TwoPrecisions packed(automaton, precision);
  const std::size_t width = padded(automaton.n_states());
  const std::size_t n_parts = detail::n_parts(sample.tries.size(), automaton.n_symbols() * width * width);
  const std::size_t n_workers = std::clamp<std::size_t>(n_parts, 1, max_threads());
  const std::size_t size_of_part = detail::PartialCounts::size(width, automaton.n_symbols());
  Buffer<double> sums(n_parts * size_of_part, 0.0);
  std::vector<detail::PartialCounts> parts;
  parts.reserve(n_parts);
  for (std::size_t part = 0; part < n_parts; ++part)
    parts.emplace_back(sums.span().subspan(part * size_of_part, size_of_part), width);
  std::vector<detail::Counters> counters;
  counters.reserve(n_workers);
  for (std::size_t w = 0; w < n_workers; ++w) counters.emplace_back(packed, sample.most_nodes());
  for (std::size_t begin = 0; begin < sample.tries.size(); begin += n_parts) {
    const std::size_t size = std::min(n_parts, sample.tries.size() - begin);
    for_each_task(size, std::min(n_workers, size), interrupt, [&](std::size_t part, std::size_t worker) {
      counters[worker].add(sample.tries[begin + part], weights, parts[part]);
    });
  }
  return detail::added_up(parts, automaton);
}

}  // namespace hankelmatch
