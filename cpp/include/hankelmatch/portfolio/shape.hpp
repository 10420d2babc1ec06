// Cheap measurements of a graph, by which the portfolio chooses its methods.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>

namespace hankelmatch::detail {

/// Whether there clearly are more columns than rows.
template <class Index>
bool is_wide(Index n_rows, Index n_cols) {
  return n_cols - n_cols / 16 > n_rows;
}

/// Whether the later half of the rows has clearly fewer edges, as on Hankel graphs. Rows with few edges had
/// better be matched first, while others still have a choice.
template <class Index>
bool later_rows_are_sparser(const CsrGraph<Index>& graph) {
  constexpr Index kFewRows = 64;
  if (graph.n_rows < kFewRows) return false;
  return graph.n_edges() / 3 * 2 < graph.indptr[at(graph.n_rows / 2)];
}

/// Whether a few rows, of four times the mean degree or more, have most of the edges, as in power laws and
/// Hankel graphs. O(rows).
template <class Index>
bool is_skewed(const CsrGraph<Index>& graph) {
  if (graph.n_rows == 0) return false;
  const auto many = std::max<std::int64_t>(graph.n_edges() / graph.n_rows, 1) * 4;
  Index n_edges = 0;
  for (Index row = 0; row < graph.n_rows; ++row) {
    const Index degree = graph.indptr[at(row) + 1] - graph.indptr[at(row)];
    n_edges += degree >= many ? degree : 0;
  }
  return n_edges > graph.n_edges() / 2;
}

/// Whether rows that follow one another have columns near one another, as in matrices in a natural order;
/// judged by some of them. Everything is near in small graphs.
template <class Index>
bool is_local(const CsrGraph<Index>& graph) {
  constexpr Index kSample = 256;
  constexpr Index kLarge = 1 << 14;
  if (graph.n_rows < kLarge) return true;
  Index n_far = 0;
  for (Index i = 0; i < kSample; ++i) {
    const Index row = graph.n_rows / kSample * i;
    const auto here = graph.row(row);
    const auto next = graph.row(row + 1);
    if (here.empty() || next.empty()) continue;
    // Not the first columns: of rows in ascending order these are all small.
    const Index col = here[at(i) % here.size()];
    const Index next_col = next[7 * at(i) % next.size()];
    n_far += std::abs(col - next_col) > graph.n_cols / 16 ? 1 : 0;
  }
  return n_far < kSample / 4;
}

}  // namespace hankelmatch::detail
