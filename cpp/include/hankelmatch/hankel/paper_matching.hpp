// The paper's maximum matching of a prefix-suffix graph (section 4): shifted pairs enter with every
// augmentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Adds shifted pairs to a matching: the shifted pairs of an edge (p, s) are all other cuts of the string ps,
/// and all of them are edges (paper, property 1). Two bitsets hold the free prefixes and, in the search, the
/// free suffixes.
template <class Graph, class Id>
class ShiftedPairs {
 public:
  using Index = typename Graph::index_type;

  ShiftedPairs(const PrefixSuffixGraph<Id>& graph, DepthFirstSearch<Graph>& search)
      : graph_(graph), search_(search), free_prefixes_(graph.n_prefixes(), true) {}

  bool is_free(Index prefix) const { return free_prefixes_.test(at(prefix)); }
  void occupy(Index prefix) { free_prefixes_.reset(at(prefix)); }

  /// Matches all shifted pairs of an edge whose two ends are free.
  void insert_shifts_of(Index prefix, Index suffix) {
    const std::size_t string =
        string_of_edge(graph_, static_cast<Id>(prefix), static_cast<Id>(suffix), symbols_);
    const std::size_t length = graph_.prefixes->length(graph_.string(string));
    const auto cuts = cut_string(graph_, string, length, suffixes_);
    for_each_cut(graph_, cuts, [&](Id p, std::size_t i) {
      const auto row = static_cast<Index>(p);
      const auto col = static_cast<Index>(cuts.suffixes[i]);
      if (!is_free(row) || !search_.is_free_col(col)) return;
      search_.join(row, col);
      occupy(row);
    });
  }

 private:
  const PrefixSuffixGraph<Id>& graph_;
  DepthFirstSearch<Graph>& search_;
  Bitset free_prefixes_;
  std::vector<std::int32_t> symbols_;
  std::vector<Id> suffixes_;
};

}  // namespace detail

/// A maximum matching by the procedure of the paper's section 4. Takes the prefixes from the longest to the
/// shortest, and searches depth-first for an augmenting path from each free one. Then it matches every
/// shifted pair of every edge of the path whose two ends are free. `edges`: the graph's edges, as a CsrGraph
/// or as SplitGraph::edges. `order`: all prefixes in another order; empty means the longest first.
///
/// What a failed search visited stays out of all later searches, as in augmenting_path: its columns are all
/// matched, and their mates lead nowhere else; a shifted pair joins two free ends, so it touches neither.
/// Cost: that of augmenting_path, and O(length) lookups for each edge added.
template <class Graph, class Id>
Matching<typename Graph::index_type> paper_matching(const PrefixSuffixGraph<Id>& graph, const Graph& edges,
                                                    std::span<const typename Graph::index_type> order = {},
                                                    Interrupt& interrupt = no_interrupt()) {
  using Index = typename Graph::index_type;
  Matching<Index> matching(edges.n_rows, edges.n_cols);
  DepthFirstSearch search(edges, matching, interrupt);
  detail::ShiftedPairs<Graph, Id> shifted(graph, search);
  const auto match_prefix = [&](Index prefix) {
    if (!shifted.is_free(prefix) || !search.match_row(prefix)) return;
    shifted.occupy(prefix);  // the other prefixes of the path are not free
    search.for_each_path_row([&](Index p) { shifted.insert_shifts_of(p, matching.row_mate[at(p)]); });
  };
  if (order.empty()) {
    for (Index prefix = edges.n_rows; prefix-- > 0;) match_prefix(prefix);
  } else {
    for (const Index prefix : order) match_prefix(prefix);
  }
  return matching;
}

}  // namespace hankelmatch
