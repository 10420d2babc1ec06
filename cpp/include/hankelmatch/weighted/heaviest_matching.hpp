// The heaviest of all matchings, whatever their size, and the heaviest perfect matching of a square graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/assignment/dense_assignment.hpp>
#include <hankelmatch/assignment/full_assignment.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace hankelmatch {

/// The heaviest of all matchings, whatever their size; edges of weight <= 0 are never used. Each row of the
/// smaller side may also be assigned to nothing, at cost 0: one more edge for each.
template <class Index>
WeightedMatching<Index> heaviest_matching(const WeightedCsrGraph<Index>& edges,
                                          Interrupt& interrupt = no_interrupt()) {
  const Index n_rows = edges.graph.n_rows;
  const Index n_cols = edges.graph.n_cols;
  WeightedMatching<Index> result = detail::no_edges<Index>(at(n_rows), at(n_cols));
  const bool by_row = n_rows <= n_cols;
  const Index n_small = std::min(n_rows, n_cols);
  const Index n_large = std::max(n_rows, n_cols);
  if (n_large > std::numeric_limits<Index>::max() - n_small)
    throw std::length_error("graph: rows and columns together are too many for the index type");
  const auto for_each_edge = [&](const auto& visit) {
    edges.for_each_edge(interrupt, [&](Index row, Index col, double weight) {
      if (weight > 0) visit(by_row ? row : col, by_row ? col : row, weight);
    });
    for (Index i = 0; i < n_small; ++i) visit(i, n_large + i, 0.0);
  };
  const CsrMatrix<Index> all = collect_edges<Index>(n_small, n_large + n_small, for_each_edge);
  FullAssignment<Index> assignment(all.view(), all.data, false, interrupt);
  if (!assignment.solve()) throw std::logic_error("weighted matching: a row cannot even stay alone");
  for (Index i = 0; i < n_small; ++i) {
    const Index other = assignment.col_of(i);
    if (other >= n_large)
      continue;  // left alone: its dual is 0, and may be, since it is never
                 // above
    result.matching.join(by_row ? i : other, by_row ? other : i);
    (by_row ? result.row_dual : result.col_dual)[at(i)] = std::max(0.0, -assignment.potential_of(i));
    (by_row ? result.col_dual : result.row_dual)[at(other)] = -assignment.price_of(other);
  }
  return result;
}

namespace detail {

/// Whether so many pairs are edges that a dense matrix is faster: it takes 1.0 to 2.4 times as long where
/// half of them are, .5 to 1.5 times where nine tenths are (benchmarks.weighted --families --only pairs).
template <class Index>
bool is_nearly_dense(const CsrGraph<Index>& graph) {
  constexpr double kEdges = 0.85;  // of all pairs
  return static_cast<double>(graph.n_edges()) >=
         kEdges * static_cast<double>(graph.n_rows) * static_cast<double>(graph.n_cols);
}

/// The costs of all pairs: weights negated, infinity where there is no edge.
template <class Index>
std::vector<double> dense_costs(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt) {
  const std::size_t n_cols = at(edges.graph.n_cols);
  std::vector<double> costs(at(edges.graph.n_rows) * n_cols, std::numeric_limits<double>::infinity());
  edges.for_each_edge(interrupt, [&](Index row, Index col, double weight) {
    double& cost = costs[at(row) * n_cols + at(col)];
    cost = std::min(cost, -weight);
  });
  return costs;
}

template <class Index, class Problem>
bool solve_perfect(Index n, Problem assignment, WeightedMatching<Index>& result) {
  if (!assignment.solve()) return false;
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

/// The cheapest perfect matching of a square matrix, `costs` row after row; its duals are those of the costs
/// negated. False, and no result, if there is none.
template <class Index>
bool cheapest_of_dense(std::span<const double> costs, Index n, Interrupt& interrupt,
                       WeightedMatching<Index>& result) {
  return solve_perfect(n, DenseAssignment<Index>(costs, n, n, interrupt), result);
}

/// The heaviest of all perfect matchings of a square graph; false, and no result, if there is none.
template <class Index>
bool heaviest_perfect_matching(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt,
                               WeightedMatching<Index>& result) {
  const Index n = edges.graph.n_rows;
  if (!is_nearly_dense(edges.graph))
    return solve_perfect(n, FullAssignment<Index>(edges.graph, edges.weights, true, interrupt), result);
  return cheapest_of_dense<Index>(dense_costs(edges, interrupt), n, interrupt, result);
}

}  // namespace detail

}  // namespace hankelmatch
