// The transposed graph: each column with its rows. And a graph from the list of its edges.
#pragma once

#include <cstddef>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose_by_blocks.hpp>
#include <span>
#include <stdexcept>

namespace hankelmatch {

namespace detail {

/// Fills `indices`, one place for every edge, and `indptr`, n_cols + 2 zeros (see GroupPlaces).
template <class Index>
void fill_transpose(const CsrGraph<Index>& graph, std::span<Index> indptr, std::span<Index> indices,
                    Interrupt& interrupt) {
  if (TransposeByBlocks<Index>::is_faster(graph))
    return TransposeByBlocks<Index>(graph, indptr, indices, interrupt).run();
  // A column's count, then the place that it leads to, are fetched so many edges ahead: three quarters of the
  // time at 1,000,000 rows of 5 edges (benchmarks.matching, triangular); more than all of it in the caches.
  constexpr std::size_t kFar = 12;
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  const std::span<const Index> cols = graph.indices.first(at(graph.n_edges()));
  const std::size_t n_fetched = cols.size() >= kLarge ? cols.size() - 2 * kFar : 0;
  GroupPlaces<Index> places(cols, indptr, interrupt);
  std::size_t i = 0;
  for (Index row = 0; row < graph.n_rows; ++row) {
    const std::size_t end = at(graph.indptr[at(row) + 1]);
    interrupt.poll(end - i + 1);
    for (; i < end; ++i) {
      if (i < n_fetched) {
        places.prefetch_next(cols[i + 2 * kFar]);
        prefetch(indices.data() + places.next(cols[i + kFar]));
      }
      indices[places.take(cols[i])] = row;
    }
  }
}

}  // namespace detail

/// The transposed graph; the ids in each of its rows ascend. Counting sort: O(nodes + edges), with a write to
/// a distant place for every edge, or, beyond the caches, by blocks; it costs several plain passes over the
/// edges.
template <class Index>
[[nodiscard]] CsrMatrix<Index> transpose(const CsrGraph<Index>& graph, Interrupt& interrupt) {
  CsrMatrix<Index> result{graph.n_cols, graph.n_rows, {}, {}, {}};
  resize_large(result.indptr, at(graph.n_cols) + 2);
  resize_large(result.indices, at(graph.n_edges()));
  detail::fill_transpose<Index>(graph, result.indptr, result.indices, interrupt);
  result.indptr.pop_back();
  return result;
}

/// The same with weights.
template <class Index>
[[nodiscard]] CsrMatrix<Index> transpose(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt) {
  return collect_edges<Index>(edges.graph.n_cols, edges.graph.n_rows, [&](const auto& visit) {
    edges.for_each_edge(interrupt, [&](Index row, Index col, double weight) { visit(col, row, weight); });
  });
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
