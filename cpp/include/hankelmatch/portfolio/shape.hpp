// Cheap measurements of a graph, by which the portfolio chooses its methods.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The number of rows that have an edge, and of those that have one only.
template <class Index>
struct RowDegrees {
  Index n_with_edges = 0;
  Index n_single = 0;

  explicit RowDegrees(const CsrGraph<Index>& graph) {
    for (std::size_t row = 0; row + 1 < graph.indptr.size(); ++row) {
      const Index degree = graph.indptr[row + 1] - graph.indptr[row];
      n_with_edges += static_cast<Index>(degree > 0);
      n_single += static_cast<Index>(degree == 1);
    }
  }
};

/// The places of up to `n_most` edges of the `n_cols` columns from `first` on. One pass over the edges.
template <class Index>
std::vector<Index> edges_of_cols(const CsrGraph<Index>& graph, Index first, Index n_cols,
                                 std::size_t n_most) {
  using Unsigned = std::make_unsigned_t<Index>;
  constexpr std::size_t kTogether = 64;
  const auto is_of_these = [=](Index col) {
    return static_cast<Unsigned>(col) - static_cast<Unsigned>(first) < static_cast<Unsigned>(n_cols);
  };
  const auto cols = graph.indices.first(at(graph.n_edges()));
  std::vector<Index> result;
  for (std::size_t begin = 0; begin < cols.size() && result.size() < n_most; begin += kTogether) {
    const std::size_t end = std::min(begin + kTogether, cols.size());
    Unsigned any = 0;
    for (std::size_t i = begin; i < end; ++i) any |= static_cast<Unsigned>(is_of_these(cols[i]));
    if (any == 0) continue;
    for (std::size_t i = begin; i < end; ++i)
      if (is_of_these(cols[i])) result.push_back(static_cast<Index>(i));
  }
  return result;
}

/// Whether many of the ways from a column by a row to another column end at the same one, as on grids, and on
/// no random graph; judged by some columns. One pass over the edges.
template <class Index>
bool has_short_cycles(const CsrGraph<Index>& graph) {
  constexpr Index kSample = 24;
  constexpr std::size_t kFewWays = 64;
  constexpr std::size_t kEnoughWays = 192;
  constexpr std::size_t kOneIn = 16;  // on roads, one way in 6 to 8 (benchmarks.matching)
  const Index first = std::max(graph.n_cols / 2 - kSample / 2, Index{0});
  std::vector<std::pair<Index, Index>> ways;
  for (const Index edge : edges_of_cols(graph, first, kSample, kEnoughWays)) {
    if (ways.size() >= kEnoughWays) break;
    const Index col = graph.indices[at(edge)];
    const auto row = std::ranges::upper_bound(graph.indptr, edge) - graph.indptr.begin() - 1;
    for (const Index other : graph.row(static_cast<Index>(row)))
      if (other != col) ways.emplace_back(col, other);
  }
  std::ranges::sort(ways);
  const auto n_repeated = static_cast<std::size_t>(ways.end() - std::unique(ways.begin(), ways.end()));
  return ways.size() >= kFewWays && n_repeated * kOneIn >= ways.size();
}

}  // namespace hankelmatch::detail
