// What every matcher by weight returns: a matching with the dual variables that prove it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <vector>

namespace hankelmatch {

/// A matching with numbers that show that none of its size is heavier:
/// - all row_dual and col_dual are >= 0, and 0 where unmatched;
/// - row_dual[r] + col_dual[c] + cardinality_dual >= weight of every edge (r, c), and equal for those
/// matched. Proof: a matching of that size weighs at most the sum of the left sides over its edges, and so at
/// most size * cardinality_dual plus all row and column duals, which is what this one weighs. With
/// cardinality_dual = 0 the same holds for matchings of any size.
template <class Index>
struct WeightedMatching {
  Matching<Index> matching;
  std::vector<double> row_dual;
  std::vector<double> col_dual;
  double cardinality_dual = 0;
};

/// Whether a matching and its duals keep what WeightedMatching promises, up to `tolerance` times the largest
/// weight or dual in size. O(nodes + edges).
template <class Index>
bool is_optimal(const WeightedCsrGraph<Index>& edges, const WeightedMatching<Index>& claim,
                double tolerance) {
  const Matching<Index>& matching = claim.matching;
  if (!is_valid(edges.graph, matching)) return false;
  double scale = std::abs(claim.cardinality_dual);
  for (const double w : edges.weights.first(edges.n_edges())) scale = std::max(scale, std::abs(w));
  for (const double d : claim.row_dual) scale = std::max(scale, std::abs(d));
  for (const double d : claim.col_dual) scale = std::max(scale, std::abs(d));
  const double slack = tolerance * scale;

  const auto duals_hold = [&](const std::vector<double>& dual, const Mates<Index>& mate) {
    for (std::size_t i = 0; i < dual.size(); ++i) {
      if (!(dual[i] >= -slack) || (mate[i] == kUnmatched && dual[i] > slack)) return false;
    }
    return true;
  };
  if (claim.row_dual.size() != matching.row_mate.size() ||
      claim.col_dual.size() != matching.col_mate.size() || !duals_hold(claim.row_dual, matching.row_mate) ||
      !duals_hold(claim.col_dual, matching.col_mate))
    return false;

  bool feasible = true;
  Index n_tight = 0;
  Index last_tight_row = kUnmatched;  // of a repeated edge one may be tight only
  edges.for_each_edge(no_interrupt(), [&](Index row, Index col, double weight) {
    const double reduced =
        claim.row_dual[at(row)] + claim.col_dual[at(col)] + claim.cardinality_dual - weight;
    feasible &= reduced >= -slack;
    if (matching.row_mate[at(row)] != col || reduced > slack || last_tight_row == row) return;
    last_tight_row = row;
    ++n_tight;
  });
  return feasible && n_tight == matching.size;
}

namespace detail {

/// The matching of no edge, with duals of 0.
template <class Index>
WeightedMatching<Index> no_edges(std::size_t n_rows, std::size_t n_cols) {
  return {Matching<Index>(static_cast<Index>(n_rows), static_cast<Index>(n_cols)),
          std::vector<double>(n_rows, 0.0), std::vector<double>(n_cols, 0.0), 0.0};
}

}  // namespace detail

}  // namespace hankelmatch
