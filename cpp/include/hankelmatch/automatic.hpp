// The choice of method: cheap search first, and what cannot go wrong where that gets lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/augmenting_path.hpp>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/karp_sipser.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/push_relabel.hpp>
#include <hankelmatch/transpose.hpp>
#include <ranges>
#include <utility>

namespace hankelmatch {

namespace detail {

/// Whether the later half of the rows has clearly fewer edges, as on Hankel graphs. Rows with few edges had
/// better be matched first, while others still have a choice.
template <class Index>
bool later_rows_are_sparser(const CsrGraph<Index>& graph) {
  constexpr Index kFewRows = 64;
  if (graph.n_rows < kFewRows) return false;
  return graph.n_edges() / 3 * 2 < graph.indptr[static_cast<std::size_t>(graph.n_rows / 2)];
}

/// Whether it looks like a random graph of low degree: below e edges a row all but a vanishing part of it is
/// trees (Karp, Sipser), and trees have many leaves. Long chains have few.
template <class Index>
bool looks_like_a_forest(const CsrGraph<Index>& graph) {
  if (graph.n_edges() / 5 * 2 >= graph.n_rows) return false;
  Index n_leaves = 0;
  for (Index row = 0; row < graph.n_rows; ++row) n_leaves += graph.row(row).size() <= 1 ? 1 : 0;
  return n_leaves > graph.n_rows / 4;
}

/// Work allowed to depth-first searches beside their look-ahead. Shares from a tenth to twice the size of the
/// graph were tried: a fifth is what power laws and Hankel graphs need, and more delays the others. In a
/// forest searches do not get lost, and the other methods take longer; small graphs are not worth them.
template <class Index>
std::uint64_t search_budget(const CsrGraph<Index>& graph) {
  const auto size = static_cast<std::uint64_t>(graph.n_edges()) + static_cast<std::uint64_t>(graph.n_rows);
  constexpr std::uint64_t kSmall = 1024;
  return std::max(looks_like_a_forest(graph) ? 2 * size : size / 4, kSmall);
}

/// Depth-first searches until their work exceeds the budget; whether the matching is maximum.
template <class Index>
bool search_within_budget(const CsrGraph<Index>& graph, Matching<Index>& matching, std::uint64_t budget,
                          Interrupt& interrupt) {
  DepthFirstSearch search(graph, matching, interrupt);
  if (graph.n_rows > graph.n_cols) search.match_free_neighbours();
  const Index size_limit = std::min(graph.n_rows, graph.n_cols);
  const bool backwards = later_rows_are_sparser(graph);
  for (Index i = 0; i < graph.n_rows && matching.size < size_limit; ++i) {
    const Index row = backwards ? graph.n_rows - 1 - i : i;
    if (matching.has_row(row)) continue;
    search.match_row(row);
    if (search.work() > budget) return false;
  }
  return true;
}

}  // namespace detail

/// A maximum matching, fast on every kind of graph known to be hard for some method:
/// 1. Depth-first searches. Where the first few columns looked at are free or a dead end, as in power laws,
///    Hankel graphs, wide matrices or matrices with a nonzero diagonal, the look-ahead does most of the work.
/// 2. Where they do not end so soon they may get lost for good, and are given up. Karp and Sipser's rule then
///    solves chains, bands, hidden triangles whole, and random graphs of low degree in part.
/// 3. Push-relabel matches what is left; no known family defeats it.
///
/// O(nodes * edges) in the worst case; on all families measured, from 10^4 to 10^6 nodes, near O(edges).
/// With an `initial` matching (see starting_matching) step 2 is left out: it starts from nothing.
template <class Index>
Matching<Index> match_automatically(const CsrGraph<Index>& graph, const Matching<Index>& initial = {},
                                    Interrupt interrupt = {}) {
  Matching<Index> matching = starting_matching(graph, initial);
  const bool from_nothing = matching.size == 0;
  if (detail::search_within_budget(graph, matching, detail::search_budget(graph), interrupt)) return matching;
  const OwnedCsrGraph<Index> transposed_graph = transpose(graph, interrupt);
  if (from_nothing) matching = karp_sipser(graph, transposed_graph.view(), interrupt);
  PushRelabel<Index>(graph, transposed_graph.view(), matching, interrupt).run();
  return matching;
}

}  // namespace hankelmatch
