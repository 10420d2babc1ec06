// A bipartite graph as a sparse matrix in compressed row form: views of it, and an owner.
//
//     const std::vector<int> indptr{0, 2, 3}, indices{0, 2, 1};  // edges (0, 0), (0, 2), (1, 1)
//     const CsrGraph<int> graph{2, 3, indptr, indices};
//     validate_csr(graph);                                       // graph/validate_csr.hpp
//     for (const int col : graph.row(0)) visit(0, col);
#pragma once

#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// A view: rows on the left, columns on the right, an edge for every stored entry. It copies and owns
/// nothing.
///
/// `indptr` has n_rows + 1 entries, begins with 0, never falls, and ends with at most `indices.size()`.
/// `indices` are in [0, n_cols), in any order within a row; repeats are allowed. Index is std::int32_t or
/// std::int64_t, the same for both arrays. The view trusts its arrays: check those of a caller first, with
/// `validate_csr`.
template <class Index>
struct CsrGraph {
  using index_type = Index;

  Index n_rows = 0;
  Index n_cols = 0;
  std::span<const Index> indptr;
  std::span<const Index> indices;

  std::span<const Index> row(Index r) const {
    const auto i = at(r);
    return indices.subspan(at(indptr[i]), at(indptr[i + 1] - indptr[i]));
  }
  /// The first position in a row's edges, for `find`.
  Index begin(Index r) const { return indptr[at(r)]; }

  /// The next column of a row for which wanted(column) is true, or -1 after the last one. `cursor` comes from
  /// `begin` and moves past all columns that were looked at. Searches use `begin` and `find` alone, so they
  /// also run on graphs without a list of edges (see hankel/split_graph.hpp).
  template <class Wanted>
  Index find(Index r, Index& cursor, const Wanted& wanted) const {
    const Index end = indptr[at(r) + 1];
    for (Index next = cursor; next < end;) {
      const Index col = indices[at(next++)];
      if (wanted(col)) return cursor = next, col;
    }
    cursor = end;
    return -1;
  }
  Index n_edges() const { return indptr.empty() ? Index{0} : indptr.back(); }
};

/// A graph with a finite weight for every entry of `indices`. Of a repeated edge the heaviest counts.
template <class Index>
struct WeightedCsrGraph {
  CsrGraph<Index> graph;
  std::span<const double> weights;

  std::size_t n_edges() const { return at(graph.n_edges()); }

  /// Calls visit(row, col, weight) for all edges.
  template <class Visit>
  void for_each_edge(Interrupt& interrupt, const Visit& visit) const {
    for_each_edge(interrupt, [](Index) { return true; }, visit);
  }
  /// The same for the edges of all rows for which wanted(row).
  template <class Wanted, class Visit>
  void for_each_edge(Interrupt& interrupt, const Wanted& wanted, const Visit& visit) const {
    for (Index row = 0; row < graph.n_rows; ++row) {
      interrupt.poll(graph.row(row).size() + 1);
      if (!wanted(row)) continue;
      const auto begin = at(graph.indptr[at(row)]);
      const auto end = at(graph.indptr[at(row) + 1]);
      for (std::size_t i = begin; i < end; ++i) visit(row, graph.indices[i], weights[i]);
    }
  }
};

/// A sparse matrix that owns its arrays, or the pattern of one: then `data` is empty.
template <class Index>
struct CsrMatrix {
  Index n_rows = 0;
  Index n_cols = 0;
  std::vector<Index> indptr;
  std::vector<Index> indices;
  std::vector<double> data;

  CsrGraph<Index> view() const { return {n_rows, n_cols, indptr, indices}; }
  WeightedCsrGraph<Index> weighted_view() const { return {view(), data}; }
};

/// The matrix of the entries that a function visits: `for_each_edge(visit)` calls visit(row, col, value), and
/// is called twice with the same result. Throws length_error if Index cannot count them. Cost: O(rows +
/// entries).
template <class Index, class ForEachEdge>
[[nodiscard]] CsrMatrix<Index> collect_edges(Index n_rows, Index n_cols, const ForEachEdge& for_each_edge) {
  std::vector<std::size_t> next(at(n_rows) + 1, 0);
  for_each_edge([&](Index row, Index /*col*/, double /*value*/) { ++next[at(row) + 1]; });
  for (std::size_t r = 1; r < next.size(); ++r) next[r] += next[r - 1];
  if (std::cmp_greater(next.back(), std::numeric_limits<Index>::max()))
    throw std::length_error("graph: its edges are too many for the index type");
  CsrMatrix<Index> matrix{n_rows, n_cols, {}, {}, {}};
  matrix.indptr.reserve(next.size());
  for (const std::size_t i : next) matrix.indptr.push_back(static_cast<Index>(i));
  matrix.indices.resize(next.back());
  matrix.data.resize(next.back());
  for_each_edge([&](Index row, Index col, double value) {
    const std::size_t i = next[at(row)]++;
    matrix.indices[i] = col;
    matrix.data[i] = value;
  });
  return matrix;
}

}  // namespace hankelmatch
