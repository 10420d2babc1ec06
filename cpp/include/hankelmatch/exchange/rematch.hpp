// The heaviest matching of a graph, begun from the pairs and duals of a similar graph's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/exchange/shortest_exchange.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// A matching with potentials (see ShortestExchange) that is mended path by path. `floor` is the price of an
/// edge: no row's potential is below it. What is free should have a potential of `floor`, or 0 for a column.
template <class Index>
class MendedMatching {
 public:
  MendedMatching(const WeightedCsrGraph<Index>& edges, Matching<Index> matching, Potentials potentials,
                 double floor, Interrupt& interrupt)
      : edges_(edges),
        matching_(std::move(matching)),
        potentials_(std::move(potentials)),
        floor_(floor),
        interrupt_(interrupt),
        search_(edges, 0) {}

  /// Every free row above the floor gets a column, by the cheapest alternating path to a free one, or falls
  /// to the floor, or lets another row fall there. A search for each.
  void mend_rows() {
    for (Index row = 0; row < edges_.graph.n_rows; ++row) {
      if (!matching_.has_row(row) && potentials_.row[at(row)] > floor_) mend(row);
    }
  }

  /// Whether a column is free above 0, or, if asked for, an augmenting path may be left.
  bool is_unfinished(bool maximum_cardinality) const {
    bool has_free_col = false;
    for (std::size_t col = 0; col < potentials_.col.size(); ++col) {
      if (matching_.col_mate[col] != kUnmatched) continue;
      if (potentials_.col[col] > 0) return true;
      has_free_col = true;
    }
    return maximum_cardinality && has_free_col &&
           std::ranges::find(matching_.row_mate, Index{kUnmatched}) != matching_.row_mate.end();
  }

  /// Adds the cheapest augmenting path, by one search from all free rows at once; false if there is none.
  /// All that is free must be at the floor.
  bool augment() {
    search_.begin(interrupt_);
    for (Index row = 0; row < edges_.graph.n_rows; ++row) {
      if (!matching_.has_row(row)) scan(row, 0.0);
    }
    const End end = nearest_end(kInfinity);
    if (end.col == kUnmatched) return false;
    search_.settle(end.distance, potentials_);
    floor_ -= end.distance;  // where the free rows are now
    flip(end.col);
    return true;
  }

  /// The same state of the transposed graph.
  MendedMatching transposed(const WeightedCsrGraph<Index>& columns, Interrupt& interrupt) && {
    for (double& potential : potentials_.row) potential = std::max(0.0, potential - floor_);
    for (double& potential : potentials_.col) potential += floor_;
    std::swap(potentials_.row, potentials_.col);
    return {columns, hankelmatch::transposed(std::move(matching_)), std::move(potentials_), floor_,
            interrupt};
  }

  WeightedMatching<Index> result() && {
    matching_.size = static_cast<Index>(
        std::ranges::count_if(matching_.row_mate, [](Index col) { return col != kUnmatched; }));
    for (double& potential : potentials_.row) potential = std::max(0.0, potential - floor_);
    for (double& potential : potentials_.col) potential = std::max(0.0, potential);
    return {std::move(matching_), std::move(potentials_.row), std::move(potentials_.col), floor_};
  }

 private:
  static constexpr double kInfinity = ShortestExchange<Index>::kInfinity;

  struct End {
    double distance;
    Index col = kUnmatched;  // free
    Index row = kUnmatched;  // falls to the floor, if there is no column
  };

  void mend(Index root) {
    const double fall = potentials_.row[at(root)] - floor_;
    search_.begin(interrupt_, fall);
    scan(root, 0.0);
    const End end = nearest_end(fall, root);
    search_.settle(end.distance, potentials_);
    if (end.col != kUnmatched) return flip(end.col);
    potentials_.row[at(end.row)] = floor_;
    const Index col = matching_.row_mate[at(end.row)];
    matching_.row_mate[at(end.row)] = kUnmatched;
    if (end.row != root) flip(col);
  }

  void scan(Index row, double distance) {
    search_.scan(
        row, distance, potentials_, [](std::size_t) { return true; },
        [this](std::size_t col) { return matching_.col_mate[col] == kUnmatched; });
  }

  // The nearest free column, or the row that can fall to the floor at less.
  End nearest_end(double distance, Index row = kUnmatched) {
    const bool rows_may_fall = row != kUnmatched;
    End best{distance, kUnmatched, row};
    for (auto next = search_.next(); next.distance < best.distance; next = search_.next()) {
      const Index mate = matching_.col_mate[next.node];
      if (mate == kUnmatched) return {next.distance, static_cast<Index>(next.node), kUnmatched};
      const double fall = next.distance + std::max(0.0, potentials_.row[at(mate)] - floor_);
      if (rows_may_fall && fall < best.distance) {
        best = {fall, kUnmatched, mate};
        search_.lower_bound(fall);
      }
      scan(mate, next.distance);
    }
    return best;
  }

  void flip(Index col) {
    while (col != kUnmatched) {
      const std::size_t edge = search_.route_of(at(col));
      const Index row = row_of(edge);
      col = matching_.rejoin(row, col);
    }
  }

  // The row of an edge: the last one that begins at or before it.
  Index row_of(std::size_t edge) const {
    const auto indptr = edges_.graph.indptr;
    const auto after = std::ranges::upper_bound(indptr, static_cast<Index>(edge));
    return static_cast<Index>(after - indptr.begin() - 1);
  }

  WeightedCsrGraph<Index> edges_;
  Matching<Index> matching_;
  Potentials potentials_;
  double floor_;
  Interrupt& interrupt_;
  ShortestExchange<Index> search_;
};

template <class Index>
WeightedMatching<Index> transposed(WeightedMatching<Index> matching) {
  matching.matching = hankelmatch::transposed(std::move(matching.matching));
  std::swap(matching.row_dual, matching.col_dual);
  return matching;
}

/// The least potentials of rows for these of the columns; pairs that are edges of reduced cost 0.
template <class Index>
MendedMatching<Index> tight_start(const WeightedCsrGraph<Index>& edges, const WeightedMatching<Index>& start,
                                  double floor, Interrupt& interrupt) {
  Matching<Index> matching(edges.graph.n_rows, edges.graph.n_cols);
  Potentials potentials{std::vector<double>(at(edges.graph.n_rows), floor), start.col_dual};
  edges.for_each_edge(interrupt, [&](Index row, Index col, double weight) {
    double& potential = potentials.row[at(row)];
    potential = std::max(potential, weight - potentials.col[at(col)]);
  });
  edges.for_each_edge(interrupt, [&](Index row, Index col, double weight) {
    if (start.matching.row_mate[at(row)] != col || matching.has_row(row) || matching.has_col(col)) return;
    if (potentials.row[at(row)] == weight - potentials.col[at(col)]) matching.join(row, col);
  });
  return {edges, std::move(matching), std::move(potentials), floor, interrupt};
}

}  // namespace detail

/// The heaviest maximum matching, or, at a price for every edge, the heaviest of any size: the sum of weights
/// less the price of each edge. `start` holds the pairs and duals of a matching of a similar graph; only
/// where they do not fit any more a path is searched for. Throws invalid_argument if its arrays do not have
/// the graph's lengths.
///
/// O(s (m + n) log n) for the s rows and columns that do not fit, or that have become more or fewer.
template <class Index>
WeightedMatching<Index> rematch(const WeightedCsrGraph<Index>& edges, const WeightedMatching<Index>& start,
                                bool maximum_cardinality, double price,
                                Interrupt& interrupt = no_interrupt()) {
  const auto n_rows = at(edges.graph.n_rows);
  const auto n_cols = at(edges.graph.n_cols);
  if (start.matching.row_mate.size() != n_rows || start.col_dual.size() != n_cols)
    throw std::invalid_argument("initial: one mate and dual for each row and column of the graph is needed");
  const double floor = maximum_cardinality ? start.cardinality_dual : price;
  auto rows = detail::tight_start(edges, start, floor, interrupt);
  rows.mend_rows();

  // Columns likewise: the same on the transposed graph, where potentials change sides.
  if (rows.is_unfinished(maximum_cardinality)) {
    const CsrMatrix<Index> columns = transpose(edges, interrupt);
    auto cols = std::move(rows).transposed(columns.weighted_view(), interrupt);
    cols.mend_rows();
    while (maximum_cardinality && cols.augment()) interrupt.check();
    return detail::transposed(std::move(cols).result());
  }
  return std::move(rows).result();
}

}  // namespace hankelmatch
