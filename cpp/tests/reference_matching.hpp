// Slow and obvious code to compare the matchers with, and graphs to compare them on.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
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

/// A graph of up to 80 rows: random of some degree; groups that see themselves and the next; a band with its
/// columns reversed; intervals; many rows for few columns. Its rows may be in random order.
template <class Index>
Graph<Index> graph_of_some_kind(std::mt19937& rng) {
  const auto below = [&](Index bound) {
    return std::uniform_int_distribution<Index>(0, std::max(bound, Index{1}) - 1)(rng);
  };
  const Index n_rows = below(81);
  const Index n_cols = 1 + below(81);
  const Index degree = 1 + below(5);
  const Index size = 2 + below(8);
  const Index kind = below(5);
  std::vector<std::pair<Index, Index>> edges;
  for (Index row = 0; row < n_rows; ++row) {
    const Index start = below(n_cols);
    const Index n_edges = kind == 2 ? degree : below(2 * degree + 1);
    for (Index k = 0; k < n_edges; ++k) {
      const Index col = kind == 0   ? below(n_cols)
                        : kind == 1 ? row / size * size + below(2 * size)
                        : kind == 2 ? n_cols - 1 - (row + k) % n_cols
                        : kind == 3 ? start + k
                                    : below(row % 4 == 0 ? n_cols : n_cols / 8);
      edges.emplace_back(row, col % n_cols);
    }
  }
  if (below(2) == 0) {
    std::vector<Index> order(at(n_rows));
    for (Index row = 0; row < n_rows; ++row) order[at(row)] = row;
    std::ranges::shuffle(order, rng);
    for (auto& edge : edges) edge.first = order[at(edge.first)];
  }
  return from_edges(n_rows, n_cols, edges);
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
