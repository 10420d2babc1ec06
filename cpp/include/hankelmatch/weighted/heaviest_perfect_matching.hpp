// The heaviest of all perfect matchings of a square graph.
#pragma once

#include <algorithm>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/full_assignment.hpp>
#include <vector>

namespace hankelmatch::detail {

/// The heaviest of all perfect matchings of a square graph; false, and no result, if there is none.
template <class Index>
bool heaviest_perfect_matching(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt,
                               WeightedMatching<Index>& result) {
  FullAssignment<Index> assignment(edges.graph, edges.weights, true, interrupt);
  if (!assignment.solve()) return false;
  const Index n = edges.graph.n_rows;
  result = no_edges<Index>(at(n), at(n));
  for (Index row = 0; row < n; ++row) {
    const Index col = assignment.col_of(row);
    result.matching.join(row, col);
    result.row_dual[at(row)] = -assignment.potential_of(row);
    result.col_dual[at(row)] = -assignment.price_of(row);
  }
  // What all duals of a side have in common goes to that of the cardinality.
  for (std::vector<double>* duals : {&result.row_dual, &result.col_dual}) {
    const double least = *std::ranges::min_element(*duals);
    for (double& dual : *duals) dual -= least;
    result.cardinality_dual += least;
  }
  return true;
}

}  // namespace hankelmatch::detail
