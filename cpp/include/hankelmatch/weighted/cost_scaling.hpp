// Good prices for an assignment whose shortest paths grow long: an auction with falling increments.
//
// Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment problem", Annals of
// Operations Research 14 (1988). Goldberg, Kennedy, "An efficient cost scaling algorithm for the assignment
// problem", Mathematical Programming 71 (1995): the same steps as pushes and relabelings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Assigns all rows of a graph that has a perfect matching so that no row's value is more than epsilon above
/// the least in its row, where the value of an edge is its cost, the weight negated, minus the price of its
/// column. Epsilon falls by a factor from round to round. The assignment is nearly the cheapest; its prices
/// are what counts, since they leave few and short paths to exact searches.
///
/// In a round every free row takes its best column, at the price that makes its second best better by
/// epsilon; the row that had the column is free again.
template <class Index>
class Auction {
 public:
  /// Changes the prices, which may have any sign. If `whole`, epsilon is rounded down to whole numbers, so
  /// that prices which are whole stay so.
  Auction(const WeightedCsrGraph<Index>& edges, std::span<double> prices, bool whole, Interrupt& interrupt)
      : edges_(edges),
        prices_(prices),
        whole_(whole),
        interrupt_(interrupt),
        col_of_(at(edges.graph.n_rows), Index{kUnmatched}),
        row_of_(prices.size(), Index{kUnmatched}) {}

  /// Rounds of epsilon from `first` to `last`. Stops early once `most_reads` edges were read, or if some row
  /// has no edge: then some rows have no column.
  void run(double first, double last, std::size_t most_reads) {
    constexpr double kFactor = 5;  // benchmarks.weighted, neighbours: 10 takes as long, 2 longer
    reads_left_ = most_reads;
    double epsilon = first;
    while (round(epsilon) && epsilon > last)
      epsilon = std::max(last, whole_ ? std::floor(epsilon / kFactor) : epsilon / kFactor);
  }

  /// Raises the price of a row's column where another one is better by at most epsilon, until both are as
  /// good; that may make others better for other rows, so not all of it is done.
  void settle() {
    constexpr int kSweeps = 12;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      std::size_t n_raised = 0;
      for (std::size_t row = 0; row < col_of_.size(); ++row) {
        if (col_of_[row] == kUnmatched) continue;
        const BestTwo best = best_two(row);
        if (best.own <= best.value) continue;
        prices_[at(col_of_[row])] += best.own - best.value;
        ++n_raised;
      }
      if (n_raised == 0) return;
    }
  }

  /// The column of a row, or kUnmatched.
  Index col_of(Index row) const { return col_of_[at(row)]; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct BestTwo {
    double value = kInfinity;
    double second = kInfinity;
    Index col = kUnmatched;
    double own = kInfinity;  // of the row's column
  };

  BestTwo best_two(std::size_t row) {
    BestTwo best;
    const Index own = col_of_[row];
    const auto begin = at(edges_.graph.indptr[row]);
    const auto end = at(edges_.graph.indptr[row + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      const Index col = edges_.graph.indices[i];
      const double value = -edges_.weights[i] - prices_[at(col)];
      if (col == own) best.own = std::min(best.own, value);
      if (value >= best.second) continue;
      if (value < best.value) {
        if (col != best.col) best.second = best.value;
        best.value = value;
        best.col = col;
      } else if (col != best.col) {
        best.second = value;
      }
    }
    interrupt_.poll(end - begin + 1);
    reads_left_ -= std::min(reads_left_, end - begin + 1);
    return best;
  }

  // Returns false if it was stopped.
  bool round(double epsilon) {
    free_rows_above(epsilon);
    while (!waiting_.empty()) {
      if (reads_left_ == 0) return false;
      const Index row = waiting_.back();
      waiting_.pop_back();
      const BestTwo best = best_two(at(row));
      if (best.col == kUnmatched) return false;
      prices_[at(best.col)] -= (best.second == kInfinity ? 0.0 : best.second - best.value) + epsilon;
      const Index loser = std::exchange(row_of_[at(best.col)], row);
      col_of_[at(row)] = best.col;
      if (loser == kUnmatched) continue;
      col_of_[at(loser)] = kUnmatched;
      waiting_.push_back(loser);
    }
    return true;
  }

  // Rows whose column is worse than that by more than epsilon lose it.
  void free_rows_above(double epsilon) {
    waiting_.clear();
    for (std::size_t row = col_of_.size(); row-- > 0;) {
      const BestTwo best = best_two(row);
      if (best.own <= best.value + epsilon && col_of_[row] != kUnmatched) continue;
      if (col_of_[row] != kUnmatched) row_of_[at(col_of_[row])] = kUnmatched;
      col_of_[row] = kUnmatched;
      waiting_.push_back(static_cast<Index>(row));
    }
  }

  const WeightedCsrGraph<Index>& edges_;
  std::span<double> prices_;
  bool whole_;
  Interrupt& interrupt_;
  std::vector<Index> col_of_;
  std::vector<Index> row_of_;
  std::vector<Index> waiting_;
  std::size_t reads_left_ = 0;
};

}  // namespace hankelmatch::detail
