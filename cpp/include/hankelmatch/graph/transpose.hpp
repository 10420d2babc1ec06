// The transposed graph: each column with its rows. And a graph from the list of its edges.
#pragma once

#include <cstddef>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <span>
#include <stdexcept>

namespace hankelmatch {

namespace detail {

/// Fills `indices`, one place for every edge, and `indptr`, n_cols + 2 zeros (see GroupPlaces).
template <class Index>
void fill_transpose(const CsrGraph<Index>& graph, std::span<Index> indptr, std::span<Index> indices,
                    Interrupt& interrupt) {
  GroupPlaces<Index> places(graph.indices.first(at(graph.n_edges())), indptr, interrupt);
  for (Index row = 0; row < graph.n_rows; ++row) {
    interrupt.poll(graph.row(row).size() + 1);
    for (const Index col : graph.row(row)) indices[places.take(col)] = row;
  }
}

}  // namespace detail

/// The transposed graph; the ids in each of its rows ascend. Counting sort: O(nodes + edges), with a write to
/// a distant place for every edge, so it costs several plain passes over the edges.
template <class Index>
[[nodiscard]] CsrMatrix<Index> transpose(const CsrGraph<Index>& graph, Interrupt& interrupt) {
  CsrMatrix<Index> result{graph.n_cols, graph.n_rows, {}, {}, {}};
  resize_large(result.indptr, at(graph.n_cols) + 2);
  resize_large(result.indices, at(graph.n_edges()));
  detail::fill_transpose<Index>(graph, result.indptr, result.indices, interrupt);
  result.indptr.pop_back();
  return result;
}

/// The graph of edges (rows[i], cols[i]), which must be below n_rows and n_cols; the edges of a row keep
/// their order. Throws invalid_argument unless there are as many rows as columns. O(rows + edges), as for
/// `transpose`.
template <class Index>
[[nodiscard]] CsrMatrix<Index> csr_of_coordinates(Index n_rows, Index n_cols, std::span<const Index> rows,
                                                  std::span<const Index> cols, Interrupt& interrupt) {
  if (rows.size() != cols.size()) throw std::invalid_argument("cols: one for each row is needed");
  CsrMatrix<Index> result{n_rows, n_cols, {}, {}, {}};
  resize_large(result.indptr, at(n_rows) + 2);
  resize_large(result.indices, rows.size());
  detail::GroupPlaces<Index> places(rows, result.indptr, interrupt);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    interrupt.poll();
    result.indices[places.take(rows[i])] = cols[i];
  }
  result.indptr.pop_back();
  return result;
}

/// The transposed graph, made when it is first needed; not every search needs it.
template <class Index>
class TransposeOnDemand {
 public:
  TransposeOnDemand(const CsrGraph<Index>& graph, Interrupt& interrupt)
      : graph_(graph), interrupt_(interrupt) {}

  /// Makes it now, on a thread with its own interrupt.
  void make(Interrupt& interrupt) {
    indptr_ = Buffer<Index>(at(graph_.n_cols) + 2, Index{0});
    indices_ = Buffer<Index>(at(graph_.n_edges()));
    detail::fill_transpose<Index>(graph_, indptr_.span(), indices_.span(), interrupt);
  }
  bool is_made() const { return indptr_.size() != 0; }

  CsrGraph<Index> view() {
    if (!is_made()) make(interrupt_);
    return {graph_.n_cols, graph_.n_rows, indptr_.span().first(indptr_.size() - 1), indices_.span()};
  }

 private:
  const CsrGraph<Index> graph_;
  Interrupt& interrupt_;
  Buffer<Index> indptr_;
  Buffer<Index> indices_;
};

}  // namespace hankelmatch
