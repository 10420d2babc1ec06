// Edges by number, from either end.
#pragma once

#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <numeric>
#include <vector>

namespace hankelmatch {

/// The edges of a graph, numbered by their places in `indices`; and of each column their numbers, by row.
/// O(edges + nodes).
template <class Index>
class NumberedEdges {
 public:
  NumberedEdges(const CsrGraph<Index>& graph, Interrupt& interrupt)
      : graph_(graph),
        row_of_(at(graph.n_edges())),
        col_begin_(at(graph.n_cols) + 1),
        of_col_(at(graph.n_edges())) {
    for (Index row = 0; row < graph.n_rows; ++row) {
      interrupt.poll(graph.row(row).size() + 1);
      for (std::size_t edge = begin_of_row(at(row)); edge < begin_of_row(at(row) + 1); ++edge) {
        row_of_[edge] = row;
        ++col_begin_[col_of(edge) + 1];
      }
    }
    std::partial_sum(col_begin_.begin(), col_begin_.end(), col_begin_.begin());
    std::vector<Index> next(col_begin_.begin(), col_begin_.end());
    for (std::size_t edge = 0; edge < size(); ++edge) {
      interrupt.poll();
      of_col_[at(next[col_of(edge)]++)] = static_cast<Index>(edge);
    }
  }

  std::size_t size() const { return row_of_.size(); }
  std::size_t n_rows() const { return at(graph_.n_rows); }
  std::size_t n_cols() const { return at(graph_.n_cols); }

  std::size_t row_of(std::size_t edge) const { return at(row_of_[edge]); }
  std::size_t col_of(std::size_t edge) const { return at(graph_.indices[edge]); }

  /// The number of a row's first edge, and of the first edge of the row after it.
  std::size_t begin_of_row(std::size_t row) const { return at(graph_.indptr[row]); }

  /// The place of a column's first edge, and of that of the column after it; and the edge at a place.
  std::size_t begin_of_col(std::size_t col) const { return at(col_begin_[col]); }
  std::size_t edge_at(std::size_t place) const { return at(of_col_[place]); }

 private:
  const CsrGraph<Index> graph_;
  std::vector<Index> row_of_;
  std::vector<Index> col_begin_;
  std::vector<Index> of_col_;
};

}  // namespace hankelmatch
