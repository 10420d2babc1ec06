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
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/strings/sample_tries.hpp>
#include <span>
#include <thread>
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

namespace detail {

/// An automaton as the passes read it: matrices packed, vectors padded with zeros.
struct PackedAutomaton {
  std::size_t n_states;
  std::size_t width;
  std::vector<double> initial;
  std::vector<double> final;
  std::vector<PackedMatrix> matrices;
  std::vector<PackedMatrix> transposes;  // empty unless wanted

  PackedAutomaton(const AutomatonView& automaton, bool with_transposes)
      : n_states(automaton.n_states()), width(padded(n_states)) {
    initial.assign(automaton.initial.begin(), automaton.initial.end());
    final.assign(automaton.final.begin(), automaton.final.end());
    initial.resize(width, 0.0);
    final.resize(width, 0.0);
    for (std::size_t a = 0; a < automaton.n_symbols(); ++a) {
      matrices.emplace_back(automaton.matrix(a), n_states, n_states);
      if (with_transposes) transposes.emplace_back(automaton.matrix(a), n_states, n_states, true);
    }
  }
};

/// The vectors of one trie's nodes, in memory that serves one trie after another.
class NodeVectors {
 public:
  NodeVectors(std::size_t n_nodes, std::size_t width, bool with_backward)
      : width_(width),
        forward_(n_nodes * width),
        backward_(with_backward ? n_nodes * width : 0),
        log_scale_(n_nodes),
        inverse_scale_(n_nodes) {}

  double* forward(std::size_t v) { return forward_.data() + v * width_; }
  double* backward(std::size_t v) { return backward_.data() + v * width_; }

  /// Forward vectors of all nodes, each with sum 1; or 0 where no path leads to.
  void go_forward(const SampleTrie& trie, const PackedAutomaton& automaton) {
    std::fill_n(forward_.begin(), trie.n_nodes() * width_, 0.0);
    std::copy(automaton.initial.begin(), automaton.initial.end(), forward_.begin());
    rescale(0, 0.0);
    for (const auto& group : trie.groups) {
      in_.clear();
      out_.clear();
      for (std::int32_t v = group.begin; v < group.end; ++v) {
        in_.push_back(forward(at(trie.parent[at(v)])));
        out_.push_back(forward(at(v)));
      }
      add_products(in_, out_, automaton.matrices[at(group.symbol)]);
      for (std::int32_t v = group.begin; v < group.end; ++v)
        rescale(at(v), log_scale_[at(trie.parent[at(v)])]);
    }
  }

  /// The probability that the node's string ends there, given that it began so.
  double ending(std::size_t v, const PackedAutomaton& automaton) {
    const double* const alpha = forward(v);
    double sum = 0;
    for (std::size_t i = 0; i < width_; ++i) sum += alpha[i] * automaton.final[i];
    return sum;
  }

  /// Natural logarithm of the probability that a string begins with the node's.
  double log_scale(std::size_t v) const { return log_scale_[v]; }

  /// Backward vectors, divided by the scales of their nodes; `ends[v]` is w_v / (alpha_v . final).
  void go_backward(const SampleTrie& trie, const PackedAutomaton& automaton, std::span<const double> ends) {
    for (std::size_t v = 0; v < trie.n_nodes(); ++v) {
      double* const beta = backward(v);
      for (std::size_t i = 0; i < width_; ++i) beta[i] = ends[v] * automaton.final[i];
    }
    for (std::size_t g = trie.groups.size(); g-- > 0;) {
      const auto& group = trie.groups[g];
      in_.clear();
      out_.clear();
      for (std::int32_t v = group.begin; v < group.end; ++v) {
        double* const beta = backward(at(v));
        for (std::size_t i = 0; i < width_; ++i) beta[i] *= inverse_scale_[at(v)];
        in_.push_back(beta);
        out_.push_back(backward(at(trie.parent[at(v)])));
      }
      add_products(in_, out_, automaton.transposes[at(group.symbol)]);
    }
  }

  /// counts[a] += sum over edges v -> va of the outer product of alpha_v and beta_va / s_va.
  void add_transitions(const SampleTrie& trie, std::span<double> counts) {
    constexpr std::size_t kRows = 64;  // a tile of sums is then loaded and stored for many rows
    in_.clear();
    right_.clear();
    for (std::size_t k = 0; k < trie.groups_by_symbol.size(); ++k) {
      const auto& group = trie.groups[at(trie.groups_by_symbol[k])];
      for (std::int32_t v = group.begin; v < group.end; ++v) {
        in_.push_back(forward(at(trie.parent[at(v)])));
        right_.push_back(backward(at(v)));
      }
      const bool last = k + 1 == trie.groups_by_symbol.size() ||
                        trie.groups[at(trie.groups_by_symbol[k + 1])].symbol != group.symbol;
      if (!last && in_.size() < kRows) continue;
      add_outer_products(in_, right_, width_, counts.data() + at(group.symbol) * width_ * width_);
      in_.clear();
      right_.clear();
    }
  }

 private:
  void rescale(std::size_t v, double log_scale_of_parent) {
    double* const alpha = forward(v);
    double sum = 0;
    for (std::size_t i = 0; i < width_; ++i) sum += alpha[i];
    const double inverse = sum > 0 ? 1 / sum : 0.0;
    for (std::size_t i = 0; i < width_; ++i) alpha[i] *= inverse;
    inverse_scale_[v] = inverse;
    log_scale_[v] = log_scale_of_parent + std::log(sum);
  }

  std::size_t width_;
  std::vector<double> forward_;
  std::vector<double> backward_;
  std::vector<double> log_scale_;
  std::vector<double> inverse_scale_;
  std::vector<const double*> in_;
  std::vector<const double*> right_;
  std::vector<double*> out_;
};

inline std::size_t n_cores() { return std::max<std::size_t>(1, std::thread::hardware_concurrency()); }

/// Sums of expected counts over some of the tries, with padded rows.
struct PartialCounts {
  double log_likelihood = 0;
  std::vector<double> initial;
  std::vector<double> final;
  std::vector<double> transitions;

  PartialCounts(std::size_t width, std::size_t n_symbols)
      : initial(width, 0.0), final(width, 0.0), transitions(n_symbols * width * width, 0.0) {}

  void add(const SampleTrie& trie, std::span<const double> weights, const PackedAutomaton& automaton,
           NodeVectors& vectors, std::vector<double>& ends) {
    vectors.go_forward(trie, automaton);
    std::fill_n(ends.begin(), trie.n_nodes(), 0.0);
    for (std::size_t i = 0; i < trie.node.size(); ++i) {
      const std::size_t v = at(trie.node[i]);
      const double weight = weights[trie.first_string + i];
      const double ending = vectors.ending(v, automaton);
      if (!(ending > 0) || !(weight > 0)) continue;
      ends[v] = weight / ending;
      log_likelihood += weight * (vectors.log_scale(v) + std::log(ending));
      const double* const alpha = vectors.forward(v);
      for (std::size_t k = 0; k < final.size(); ++k) final[k] += ends[v] * alpha[k] * automaton.final[k];
    }
    vectors.go_backward(trie, automaton, {ends.data(), trie.n_nodes()});
    for (std::size_t k = 0; k < initial.size(); ++k)
      initial[k] += automaton.initial[k] * vectors.backward(0)[k];
    vectors.add_transitions(trie, transitions);
  }
};

/// How many sums are kept apart, from the sizes alone: results must not depend on the number of cores.
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
/// trie that holds it; on all cores.
template <class Visit>
void for_each_string(const SampleTries& sample, const AutomatonView& automaton, Interrupt& interrupt,
                     const Visit& visit) {
  const detail::PackedAutomaton packed(automaton, false);
  const std::size_t n_workers = std::clamp<std::size_t>(sample.tries.size(), 1, detail::n_cores());
  std::vector<detail::NodeVectors> vectors(n_workers, {sample.most_nodes(), packed.width, false});
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
                  [&](std::size_t s, const SampleTrie&, std::size_t v, detail::NodeVectors& vectors,
                      const detail::PackedAutomaton& packed) {
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
                  [&](std::size_t s, const SampleTrie& trie, std::size_t v, detail::NodeVectors& vectors,
                      const detail::PackedAutomaton& packed) {
                    std::size_t place = sample.offsets[s + 1] + s;
                    out[place] = vectors.log_scale(v) + std::log(vectors.ending(v, packed));
                    for (; v != 0; v = at(trie.parent[v])) out[--place] = vectors.log_scale(v);
                  });
  return out;
}

/// The expected number of times that each initial state, final state and transition is used, where every
/// distinct string has a weight. Strings of probability 0 add nothing.
///
/// Cost: 3 n_states^2 multiplications a node, on all cores; the same result on any number of them. Memory:
/// 2 * kTrieNodes * n_states * 8 bytes a thread; 2 to 16 times the size of `transitions` for the sums, at
/// most 128 MB unless two of them take more.
inline Expectations expected_counts(const SampleTries& sample, std::span<const double> weights,
                                    const AutomatonView& automaton, Interrupt& interrupt) {
  const detail::PackedAutomaton packed(automaton, true);
  const std::size_t n_entries = automaton.n_symbols() * packed.width * packed.width;
  const std::size_t n_parts = detail::n_parts(sample.tries.size(), n_entries);
  const std::size_t n_workers = std::clamp<std::size_t>(n_parts, 1, detail::n_cores());
  std::vector<detail::PartialCounts> parts(n_parts, {packed.width, automaton.n_symbols()});
  std::vector<detail::NodeVectors> vectors(n_workers, {sample.most_nodes(), packed.width, true});
  std::vector<std::vector<double>> ends(n_workers, std::vector<double>(sample.most_nodes()));
  for (std::size_t begin = 0; begin < sample.tries.size(); begin += n_parts) {
    const std::size_t size = std::min(n_parts, sample.tries.size() - begin);
    for_each_task(size, std::min(n_workers, size), interrupt, [&](std::size_t part, std::size_t worker) {
      parts[part].add(sample.tries[begin + part], weights, packed, vectors[worker], ends[worker]);
    });
  }
  return detail::added_up(parts, automaton);
}

}  // namespace hankelmatch
