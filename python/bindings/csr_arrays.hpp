// The arrays of a CSR graph and of a matching, from numpy to the core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/validate_csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <stdexcept>

#include "bindings.hpp"
#include "steady_array.hpp"

namespace hankelmatch::bindings {

template <class Index>
void require_shape(std::int64_t n_rows, std::int64_t n_cols) {
  constexpr std::int64_t kLargest = std::numeric_limits<Index>::max();
  if (std::min(n_rows, n_cols) < 0) throw std::invalid_argument("shape: it must not be negative");
  if (std::max(n_rows, n_cols) > kLargest) throw std::invalid_argument("shape: too large for the index type");
}

/// The arrays of a caller's graph. They are checked in each call: they may have been changed since the last
/// one.
template <class Index>
class GraphArrays {
 public:
  GraphArrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
              const Array<Index>& indices)
      : n_rows_(static_cast<Index>(n_rows)),
        n_cols_(static_cast<Index>(n_cols)),
        indptr_(indptr),
        indices_(indices) {
    require_shape<Index>(n_rows, n_cols);
  }

  /// Without the GIL. Throws invalid_argument if they contradict each other.
  CsrGraph<Index> checked(Interrupt& interrupt) {
    const CsrGraph<Index> graph{n_rows_, n_cols_, indptr_.view(interrupt), indices_.view(interrupt)};
    validate_csr(graph);
    return graph;
  }

 private:
  Index n_rows_;
  Index n_cols_;
  SteadyArray<Index> indptr_;
  SteadyArray<Index> indices_;
};

/// The same with a weight for each edge, which may be any number.
template <class Index>
class WeightedGraphArrays {
 public:
  WeightedGraphArrays(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                      const Array<Index>& indices, const Array<double>& weights)
      : graph_(n_rows, n_cols, indptr, indices), weights_(weights) {}

  WeightedCsrGraph<Index> checked(Interrupt& interrupt) {
    const WeightedCsrGraph<Index> edges{graph_.checked(interrupt), weights_.view(interrupt)};
    if (edges.weights.size() < edges.n_edges())
      throw std::invalid_argument("graph: one weight for each entry is needed");
    return edges;
  }

 private:
  GraphArrays<Index> graph_;
  SteadyArray<double> weights_;
};

/// A copy of unchecked arrays (see `is_valid`).
template <class Index>
Matching<Index> to_matching(const Array<Index>& row_mate, const Array<Index>& col_mate) {
  Matching<Index> matching;
  matching.row_mate.assign(row_mate.data(), row_mate.data() + row_mate.size());
  matching.col_mate.assign(col_mate.data(), col_mate.data() + col_mate.size());
  matching.size =
      static_cast<Index>(std::ranges::count_if(matching.row_mate, [](Index c) { return c != kUnmatched; }));
  return matching;
}

}  // namespace hankelmatch::bindings
