// Slow and obvious code to compare the matchers with, and graphs to compare them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/csr_graph.hpp>
#include <random>
#include <utility>
#include <vector>

namespace hankelmatch::reference {

/// A graph that owns its arrays.
template <class Index>
struct Graph {
  Index n_rows;
  Index n_cols;
  std::vector<Index> indptr;
  std::vector<Index> indices;

  CsrGraph<Index> view() const { return {n_rows, n_cols, indptr, indices}; }
};

template <class Index>
Graph<Index> from_edges(Index n_rows, Index n_cols, const std::vector<std::pair<Index, Index>>& edges) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(n_rows));
  for (const auto& [row, col] : edges) rows[static_cast<std::size_t>(row)].push_back(col);
  Graph<Index> graph{n_rows, n_cols, {0}, {}};
  for (const auto& row : rows) {
    graph.indices.insert(graph.indices.end(), row.begin(), row.end());
    graph.indptr.push_back(static_cast<Index>(graph.indices.size()));
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

template <class Index>
bool try_row(const CsrGraph<Index>& graph, Index row, std::vector<bool>& tried,
             std::vector<Index>& col_mate) {
  for (const Index col : graph.row(row)) {
    const auto c = static_cast<std::size_t>(col);
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
  std::vector<Index> col_mate(static_cast<std::size_t>(graph.n_cols), -1);
  Index size = 0;
  for (Index row = 0; row < graph.n_rows; ++row) {
    std::vector<bool> tried(static_cast<std::size_t>(graph.n_cols), false);
    if (try_row(graph, row, tried, col_mate)) ++size;
  }
  return size;
}

}  // namespace hankelmatch::reference
