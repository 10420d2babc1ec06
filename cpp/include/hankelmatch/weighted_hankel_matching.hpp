// The heaviest maximum matching of a prefix-suffix graph, from its trie: the list of edges is never made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/hankel_matching.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/look_ahead_search.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/prefix_suffix_graph.hpp>
#include <hankelmatch/trie.hpp>
#include <hankelmatch/weighted_matching.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// The edges of all strings of a trie that is closed under substrings, with a weight for each string; the
/// interface of WeightedCsrGraph.
template <class Id>
class WeightedTrieEdges {
 public:
  WeightedTrieEdges(const Trie<Id>& strings, std::span<const double> weight_of_node)
      : trie_(strings), weights_(weight_of_node) {}

  std::size_t n_edges() const {
    return static_cast<std::size_t>(count_edges(PrefixSuffixGraph<Id>{&trie_, trie_.suffix, {}, {}, {}}));
  }

  const WeightedCsrGraph<Id>* as_csr() const { return nullptr; }

  /// Whether the edges of a node come by increasing other end: prefixes and suffixes run as the strings do.
  bool in_order() const { return true; }

  /// Calls visit(prefix, weight, suffix_of) for the edges of the flagged prefixes: strings with one prefix
  /// and one length are an interval. Cost: a pass over the weights for each length of flagged prefixes.
  template <class Visit>
  void for_each_edge_of_rows(const Flags& prefixes, const Visit& visit) const {
    std::size_t length = 0;
    for (Id p = 0; at(p) < prefixes.size(); ++p) {
      if (prefixes[at(p)] == 0) continue;
      while (trie_.level_begin[length + 1] <= p) ++length;
      Id begin = p;
      Id end = p + 1;
      while (begin < end) {
        for (Id x = begin; x < end; ++x)
          visit(p, weights_[at(x)], [&] { return after(trie_.suffix, x, length); });
        begin = trie_.child_begin[at(begin)];
        end = trie_.child_begin[at(end)];
      }
    }
  }

  /// Calls visit(suffix, weight, prefix_of) for the edges of the flagged suffixes. Cost: a step for each
  /// string and each of its suffixes that is no longer than the longest flagged one.
  template <class Visit>
  void for_each_edge_of_cols(const Flags& suffixes, const Visit& visit) const {
    const auto last = std::find(suffixes.rbegin(), suffixes.rend(), 1);
    if (last == suffixes.rend()) return;
    const std::size_t longest = trie_.length(static_cast<Id>(suffixes.rend() - last - 1));
    std::vector<Id> short_suffix(trie_.n_nodes());  // the longest that may be flagged
    std::size_t length = 0;
    for (Id x = 0; at(x) < trie_.n_nodes(); ++x) {
      while (trie_.level_begin[length + 1] <= x) ++length;
      Id s = length <= longest ? x : short_suffix[at(trie_.suffix[at(x)])];
      short_suffix[at(x)] = s;
      for (std::size_t n = std::min(length, longest);; --n) {
        if (suffixes[at(s)] != 0) visit(s, weights_[at(x)], [&] { return after(trie_.parent, x, n); });
        if (n == 0) break;
        s = trie_.suffix[at(s)];
      }
    }
  }

 private:
  const Trie<Id>& trie_;
  std::span<const double> weights_;

  static std::size_t at(Id i) { return static_cast<std::size_t>(i); }

  /// Where n steps along parents or suffix links lead.
  static Id after(std::span<const Id> step, Id node, std::size_t n) {
    for (; n > 0; --n) node = step[at(node)];
    return node;
  }
};

namespace detail {

/// The flags of a minimum cover: those of the certificate, or, where the two halves did not suffice for one,
/// what a search over all edges does not and does reach.
template <class Id>
CoverFlags cover_flags(const HankelHalves<Id>& halves, HankelMatching<Id>& maximum, Interrupt& interrupt) {
  const auto at = [](Id i) { return static_cast<std::size_t>(i); };
  const std::size_t n = halves.trie().n_nodes();
  CoverFlags cover{Flags(n, 0), Flags(n, 0)};
  if (!maximum.cover_rows.empty() || !maximum.cover_cols.empty()) {
    for (const Id row : maximum.cover_rows) cover.rows[at(row)] = 1;
    for (const Id col : maximum.cover_cols) cover.cols[at(col)] = 1;
    return cover;
  }
  auto& [size, row_mate, col_mate] = maximum.matching;
  const PrefixRows<Id> edges = halves.edges();
  LookAheadSearch<Id, const PrefixRows<Id>> search(edges, row_mate, col_mate, interrupt);
  std::vector<Id> free_rows;
  for (Id row = 0; row < edges.n_rows; ++row)
    if (row_mate[at(row)] == kUnmatched) free_rows.push_back(row);
  search.run(free_rows);
  const Bitset rows = search.reached_rows();
  const Bitset& cols = search.reached_cols();
  for (std::size_t i = 0; i < n; ++i) {
    cover.rows[i] = rows.test(i) ? 0 : 1;
    cover.cols[i] = cols.test(i) ? 1 : 0;
  }
  return cover;
}

}  // namespace detail

/// The maximum matching of all strings of a trie with the greatest sum of weights, which are finite, one for
/// each node. Cost: hankel_matching, a few passes over the strings, and
/// Assignment on what is kept of the edges. No duals: only the mates are wanted of so large a graph.
template <class Id>
Matching<Id> heaviest_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> weights,
                                      Interrupt interrupt = {}) {
  const Trie<Id>& trie = halves.trie();
  HankelMatching<Id> maximum = hankel_matching(halves, interrupt);
  const detail::CoverFlags cover = detail::cover_flags(halves, maximum, interrupt);
  return detail::heaviest_with_cover<Id>(WeightedTrieEdges<Id>(trie, weights), cover, interrupt).matching;
}

}  // namespace hankelmatch
