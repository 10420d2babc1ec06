// Cheap measurements of a graph, by which the portfolio chooses its methods.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Whether there are so many more columns than rows that searches end soon: a row has .4 edges, in the mean,
/// to columns that stay free.
template <class Index>
bool is_wide(Index n_rows, Index n_cols, Index n_edges) {
  // With a twelfth fewer rows than columns, and fewer than 5 edges a row, the other methods take a third to
  // a half of the time (roads, rings, regular graphs); with 5 and more, they take up to 1.3 times as long
  // (meshes, tori of three dimensions, random graphs of degree 8; benchmarks.matching --left-out 8).
  constexpr double kEdgesToFree = 0.4;
  const double n_free = static_cast<double>(n_cols - n_rows);
  return n_free * static_cast<double>(n_edges) >
         kEdgesToFree * static_cast<double>(n_rows) * static_cast<double>(n_cols);
}

/// Whether the later half of the rows has clearly fewer edges, as on Hankel graphs. Rows with few edges had
/// better be matched first, while others still have a choice.
template <class Index>
bool later_rows_are_sparser(const CsrGraph<Index>& graph) {
  constexpr Index kFewRows = 64;
  if (graph.n_rows < kFewRows) return false;
  return graph.n_edges() / 3 * 2 < graph.indptr[at(graph.n_rows / 2)];
}

/// The number of rows that have an edge, and of those that have one only; and whether a few rows, of four
/// times the mean degree or more, have most of the edges, as in power laws and Hankel graphs. O(rows).
template <class Index>
struct RowDegrees {
  Index n_with_edges = 0;
  Index n_single = 0;
  bool are_skewed = false;

  explicit RowDegrees(const CsrGraph<Index>& graph) {
    const Index mean = std::max(graph.n_edges() / std::max(graph.n_rows, Index{1}), Index{1});
    const Index many = mean > std::numeric_limits<Index>::max() / 4 ? graph.n_edges() : mean * 4;
    Index n_edges_of_many = 0;
    for (std::size_t row = 0; row + 1 < graph.indptr.size(); ++row) {
      const Index degree = graph.indptr[row + 1] - graph.indptr[row];
      n_with_edges += static_cast<Index>(degree > 0);
      n_single += static_cast<Index>(degree == 1);
      n_edges_of_many += degree >= many ? degree : 0;
    }
    are_skewed = n_edges_of_many > graph.n_edges() / 2;
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
