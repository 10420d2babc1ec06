// Slow and obvious code to compare the matchers with, and graphs to compare them on.
#pragma once

#include <doctest/doctest.h>

#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <random>
#include <utility>
#include <vector>

namespace hankelmatch::reference {

template <class Index>
using Graph = CsrMatrix<Index>;

/// Ends a row, of the entries appended to `indices` since the row before.
template <class Index>
void end_row(Graph<Index>& graph) {
  graph.indptr.push_back(static_cast<Index>(graph.indices.size()));
}

template <class Index>
Graph<Index> from_edges(Index n_rows, Index n_cols, const std::vector<std::pair<Index, Index>>& edges) {
  std::vector<std::vector<Index>> rows(at(n_rows));
  for (const auto& [row, col] : edges) rows[at(row)].push_back(col);
  Graph<Index> graph{n_rows, n_cols, {0}, {}, {}};
  for (const auto& row : rows) {
    graph.indices.insert(graph.indices.end(), row.begin(), row.end());
    end_row(graph);
  }
  return graph;
}

/// Edges drawn with replacement: unsorted rows, repeated entries, empty rows.
template <class Index>
Graph<Index> random_graph(std::mt19937& rng, Index n_rows, Index n_cols, Index n_edges) {
  std::vector<std::pair<Index, Index>> edges;
  if (n_rows > 0 && n_cols > 0) {
    std::uniform_int_distribution<Index> row(0, n_rows - 1);
    std::uniform_int_distribution<Index> col(0, n_cols - 1);
    for (Index i = 0; i < n_edges; ++i) edges.emplace_back(row(rng), col(rng));
  }
  return from_edges(n_rows, n_cols, edges);
}

/// Rows of up to twice this degree, at random.
template <class Index>
Graph<Index> random_rows(std::mt19937& rng, Index n_rows, Index n_cols, Index degree) {
  std::uniform_int_distribution<Index> size(0, 2 * degree);
  std::uniform_int_distribution<Index> column(0, n_cols - 1);
  Graph<Index> graph{n_rows, n_cols, {0}, {}, {}};
  for (Index row = 0; row < n_rows; ++row) {
    for (Index k = size(rng); k > 0; --k) graph.indices.push_back(column(rng));
    end_row(graph);
  }
  return graph;
}

template <class Index>
bool try_row(const CsrGraph<Index>& graph, Index row, std::vector<bool>& tried,
             std::vector<Index>& col_mate) {
  for (const Index col : graph.row(row)) {
    const auto c = at(col);
    if (tried[c]) continue;
    tried[c] = true;
    if (col_mate[c] < 0 || try_row(graph, col_mate[c], tried, col_mate)) {
      col_mate[c] = row;
      return true;
    }
  }
  return false;
}

/// The size of a maximum matching, by the textbook's recursive augmenting paths (Kuhn 1955).
template <class Index>
Index maximum_matching_size(const CsrGraph<Index>& graph) {
  std::vector<Index> col_mate(at(graph.n_cols), -1);
  Index size = 0;
  for (Index row = 0; row < graph.n_rows; ++row) {
    std::vector<bool> tried(at(graph.n_cols), false);
    if (try_row(graph, row, tried, col_mate)) ++size;
  }
  return size;
}

/// Checks a matching, and by a vertex cover that it is maximum.
template <class Index>
void check_maximum(const CsrGraph<Index>& graph, const Matching<Index>& matching) {
  CHECK(is_valid(graph, matching));
  CHECK(is_maximum(graph, matching));
  const VertexCover<Index> cover = minimum_vertex_cover(graph, matching);
  CHECK(is_vertex_cover(graph, cover));
  CHECK(std::cmp_equal(cover.size(), matching.size));
}

}  // namespace hankelmatch::reference
