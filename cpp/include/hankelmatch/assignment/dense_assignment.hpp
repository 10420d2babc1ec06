// Cheapest assignment of the rows of a dense matrix.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): column reduction, bidding rows, shortest paths. Differs from it: every search reads
// whole rows without branches, in vector instructions, and the first free column at the least distance ends
// it. Where searches are long, prices come from an auction: Bertsekas, Annals of Operations Research 14
// (1988).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <hankelmatch/assignment/least_of.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Assigns every row of a matrix of n_rows <= n_cols, `costs` row after row, to a column of its own at the
/// least total cost. Costs are finite, or infinity where a pair is forbidden.
///
/// Invariants, from the first step to the last: a matched row has a column of the least cost - price in its
/// row; a column that is free has the highest price, 0, unless the matrix is square: then all columns will be
/// matched. Time: O(rows^2 * cols); memory: 24 bytes a column besides the costs.
template <class Index>
class DenseAssignment {
 public:
  DenseAssignment(std::span<const double> costs, Index n_rows, Index n_cols, Interrupt& interrupt,
                  Restarts restarts = Restarts::kWhenSearchesAreLong)
      : costs_(costs),
        n_cols_(at(n_cols)),
        interrupt_(interrupt),
        restarts_(restarts),
        col_of_(at(n_rows), Index{kUnmatched}),
        row_of_(at(n_cols), Index{kUnmatched}),
        prices_(at(n_cols), 0.0) {}

  /// Returns false, and leaves the rest undone, if some row cannot be matched.
  [[nodiscard]] bool solve() {
    if (is_square() && !reduce_columns()) return false;
    std::vector<std::size_t> waiting;
    for (std::size_t row = col_of_.size(); row-- > 0;)
      if (col_of_[row] == kUnmatched && !(is_square() && take_tight(row))) waiting.push_back(row);
    bid(waiting);
    prepare_searches();
    for (bool auction_pays = is_square() && restarts_ != Restarts::kNever; !waiting.empty();
         waiting.pop_back()) {
      if (auction_pays && searches_are_long()) {
        auction_pays = false;
        start_from_auction(waiting);
        if (waiting.empty()) break;
      }
      if (!search_from(waiting.back())) return false;
    }
    return true;
  }

  Index col_of(Index row) const { return col_of_[at(row)]; }
  double price_of(Index col) const { return prices_[at(col)]; }
  double potential_of(Index row) const { return potential(at(row)); }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kBlock = 64;

  bool is_square() const { return col_of_.size() == n_cols_; }
  const double* costs_of(std::size_t row) const { return costs_.data() + row * n_cols_; }
  double potential(std::size_t row) const {
    const auto col = at(col_of_[row]);
    return costs_of(row)[col] - prices_[col];
  }

  // The least cost of a column is its price, and its row takes it unless it has another one; false if a
  // column has no cost.
  bool reduce_columns() {
    std::vector<Index> best_row(n_cols_, 0);
    std::ranges::fill(prices_, kInfinity);
    for (std::size_t row = 0; row < col_of_.size(); ++row) {
      const double* const costs = costs_of(row);
      for (std::size_t col = 0; col < n_cols_; ++col) {
        if (costs[col] < prices_[col]) {
          prices_[col] = costs[col];
          best_row[col] = static_cast<Index>(row);
        }
      }
      interrupt_.poll(n_cols_);
    }
    for (std::size_t col = n_cols_; col-- > 0;) {
      if (prices_[col] == kInfinity) return false;
      if (col_of_[at(best_row[col])] == kUnmatched) join(at(best_row[col]), col);
    }
    return true;
  }

  // Gives a row a free column whose least cost it has, if there is any: where costs are often equal.
  bool take_tight(std::size_t row) {
    const double* const costs = costs_of(row);
    interrupt_.poll(n_cols_);
    for (std::size_t col = 0; col < n_cols_; ++col) {
      if (costs[col] == prices_[col] && row_of_[col] == kUnmatched) return join(row, col), true;
    }
    return false;
  }

  void join(std::size_t row, std::size_t col) {
    col_of_[row] = static_cast<Index>(col);
    row_of_[col] = static_cast<Index>(row);
  }

  struct BestTwo {
    double value = kInfinity;
    double second = kInfinity;
    std::size_t col = 0;
    std::size_t second_col = 0;

    void add(double col_value, std::size_t this_col) {
      if (col_value >= second) return;
      if (col_value < value) {
        second = std::exchange(value, col_value);
        second_col = std::exchange(col, this_col);
      } else {
        second = col_value;
        second_col = this_col;
      }
    }
  };

  // Most groups of columns have no value below the second so far: their least is found without branches.
  BestTwo best_two(std::size_t row) {
    constexpr std::size_t kGroup = 32;
    const double* const costs = costs_of(row);
    const double* const prices = prices_.data();
    BestTwo best;
    std::size_t col = 0;
    for (; col + kGroup <= n_cols_; col += kGroup) {
      std::array<double, kGroup> values;
      for (std::size_t i = 0; i < kGroup; ++i) values[i] = costs[col + i] - prices[col + i];
      if (least_of(std::span<const double, kGroup>(values)) >= best.second) continue;
      for (std::size_t i = 0; i < kGroup; ++i) best.add(values[i], col + i);
    }
    for (; col < n_cols_; ++col) best.add(costs[col] - prices[col], col);
    interrupt_.poll(n_cols_);
    return best;
  }

  // Every row takes its best column, at the price that makes its second best as good; the row that had it
  // bids again, unless it was a tie. Leaves the rows still free after two rounds, or after so many bids a
  // row.
  void bid(std::vector<std::size_t>& waiting) {
    constexpr int kRounds = 2;
    constexpr std::size_t kBids = 20;  // uniform costs: 6 and 100 take 1.2 to 2 times as long
    std::size_t bids_left = kBids * waiting.size();
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::size_t> losers;
      for (std::size_t row : waiting) {
        while (bid_once(row, bids_left, losers)) {
        }
      }
      waiting = std::move(losers);
    }
  }

  // Returns whether another row, now `row`, is to bid next.
  bool bid_once(std::size_t& row, std::size_t& bids_left, std::vector<std::size_t>& losers) {
    const BestTwo best = bids_left > 0 ? best_two(row) : BestTwo{};
    if (best.second == kInfinity) return losers.push_back(row), false;
    --bids_left;
    const bool tie = best.second == best.value;
    const std::size_t col = tie && row_of_[best.col] != kUnmatched ? best.second_col : best.col;
    prices_[col] -= best.second - best.value;
    const Index loser = row_of_[col];
    join(row, col);
    if (loser == kUnmatched) return false;
    col_of_[at(loser)] = kUnmatched;
    if (tie) return losers.push_back(at(loser)), false;
    row = at(loser);
    return true;
  }

  // Whether more rows were read than easy problems take.
  bool searches_are_long() const {
    constexpr std::size_t kEasy = 16;
    return restarts_ == Restarts::kAtOnce || n_scans_ > kEasy * col_of_.size();
  }

  // Where searches read many rows it pays to start again from the prices of an auction with falling
  // increments (see assignment/cost_scaling.hpp). Rows keep its columns where these are exactly the best.
  void start_from_auction(std::vector<std::size_t>& waiting) {
    constexpr double kFactor = 5;
    constexpr double kPerColumn = 4;  // steps of the last round between the values of a row
    constexpr double kRounding = 0x1p-40;
    constexpr std::size_t kMostBids = 200;  // a row
    const Spread spread = measure_spread();
    if (!(spread.over_least > kRounding * spread.size)) return;
    const auto n = static_cast<double>(n_cols_);
    const double fine = spread.whole ? 1 / (n + 1) : spread.over_least / (kPerColumn * n);
    const double last = std::max(fine, kRounding * spread.size);
    forget_matching();
    std::size_t bids_left = kMostBids * col_of_.size();
    for (double epsilon = spread.over_least; auction(epsilon, bids_left) && epsilon > last;)
      epsilon = std::max(last, epsilon / kFactor);
    if (spread.whole) {  // more pairs are tight then, and none that is ceases to be
      for (double& price : prices_) price = std::floor(price);
    }
    settle();
    waiting.clear();
    for (std::size_t row = 0; row < col_of_.size(); ++row) {
      if (col_of_[row] != kUnmatched && over_best(row) > 0) leave(row);
      if (col_of_[row] == kUnmatched) waiting.push_back(row);
    }
    prepare_searches();
  }

  // One round; false if some row has no second column, or bids are used up.
  bool auction(double epsilon, std::size_t& bids_left) {
    std::vector<std::size_t> waiting;
    for (std::size_t row = 0; row < col_of_.size(); ++row) {
      if (col_of_[row] != kUnmatched && potential(row) > best_two(row).value + epsilon) leave(row);
      if (col_of_[row] == kUnmatched) waiting.push_back(row);
    }
    for (; !waiting.empty() && bids_left > 0; --bids_left) {
      const std::size_t row = waiting.back();
      const BestTwo best = best_two(row);
      if (best.second == kInfinity) return false;
      waiting.pop_back();
      prices_[best.col] -= best.second - best.value + epsilon;
      const Index loser = row_of_[best.col];
      join(row, best.col);
      if (loser == kUnmatched) continue;
      col_of_[at(loser)] = kUnmatched;
      waiting.push_back(at(loser));
    }
    return waiting.empty();
  }

  // Raises the price of a row's column where another one is better by at most epsilon, until both are as
  // good.
  void settle() {
    constexpr int kSweeps = 12;
    std::size_t n_raised = 1;
    for (int sweep = 0; sweep < kSweeps && n_raised > 0; ++sweep) {
      n_raised = 0;
      for (std::size_t row = 0; row < col_of_.size(); ++row) {
        const double over = col_of_[row] == kUnmatched ? 0.0 : over_best(row);
        if (over <= 0) continue;
        prices_[at(col_of_[row])] += over;
        ++n_raised;
      }
    }
  }

  // How much worse a row's column is than its best; 0 if that may be rounding.
  double over_best(std::size_t row) {
    constexpr double kRounding = 0x1p-52;
    const auto col = at(col_of_[row]);
    const double over = potential(row) - best_two(row).value;
    return over > kRounding * (std::abs(costs_of(row)[col]) + std::abs(prices_[col])) ? over : 0.0;
  }

  void leave(std::size_t row) {
    row_of_[at(col_of_[row])] = kUnmatched;
    col_of_[row] = kUnmatched;
  }

  struct Spread {
    double over_least = 0;  // the mean of all allowed pairs, over the least value of their row
    double size = 0;        // of costs, in the mean
    bool whole = true;      // all costs are integers
  };

  Spread measure_spread() {
    Spread spread;
    double n = 0;
    for (std::size_t row = 0; row < col_of_.size(); ++row) {
      const double least = best_two(row).value;
      const double* const costs = costs_of(row);
      for (std::size_t col = 0; col < n_cols_; ++col) {
        if (costs[col] == kInfinity) continue;
        spread.over_least += costs[col] - prices_[col] - least;
        spread.size += std::abs(costs[col]);
        spread.whole = spread.whole && costs[col] == std::floor(costs[col]);
        n += 1;
      }
    }
    spread.over_least /= n;
    spread.size /= n;
    return spread;
  }

  void forget_matching() {
    std::ranges::fill(col_of_, Index{kUnmatched});
    std::ranges::fill(row_of_, Index{kUnmatched});
  }

  struct Scanned {
    std::size_t row;
    double offset;
    double least;
  };

  struct Closed {
    std::size_t col;
    double distance;
  };

  void prepare_searches() {
    open_prices_ = prices_;
    block_least_.assign(n_cols_ / kBlock + 1, kInfinity);
    distances_.assign(block_least_.size() * kBlock, kInfinity);
  }

  // Dijkstra's search over reduced costs from a free row to the nearest free column. Of columns at one
  // distance, as ties make many, each is scanned only if the rows before it led to no free one.
  bool search_from(std::size_t root) {
    closed_.clear();
    scanned_.clear();
    double nearest = scan(root, -best_value(root), 0.0);
    std::size_t sink = n_cols_;
    while (true) {
      if (nearest == kInfinity) return false;
      sink = close_at(nearest);
      if (sink < n_cols_) break;
      double next = kInfinity;
      do {
        const auto row = at(row_of_[closed_[scanned_.size() - 1].col]);
        next = scan(row, nearest - potential(row), nearest);
      } while (next > nearest && scanned_.size() <= closed_.size());
      nearest = next;
    }
    flip(root, sink);
    lower_prices(nearest);
    return true;
  }

  double best_value(std::size_t row) const {
    const double* const costs = costs_of(row);
    double best = kInfinity;
    for (std::size_t col = 0; col < n_cols_; ++col) best = std::min(best, costs[col] - prices_[col]);
    return best == kInfinity ? 0.0 : best;
  }

  // Shortens distances along a row; returns the least of those that are open, at least `least` (rounding must
  // not lead back). The distance of a column along the row is cost - price + offset. Closed columns have an
  // open price of -infinity, so no distance to them is short. No branches: compilers make vector instructions
  // of it.
  double scan(std::size_t row, double offset, double least) {
    const double* const costs = costs_of(row);
    const double* const prices = open_prices_.data();
    double* const distances = distances_.data();
    double nearest = kInfinity;
    for (std::size_t begin = 0; begin < n_cols_; begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, n_cols_);
      for (std::size_t col = begin; col < end; ++col) {
        const double along = costs[col] - prices[col] + offset;
        const double there = along > least ? along : least;
        distances[col] = there < distances[col] ? there : distances[col];
      }
      const double in_block = least_of(std::span<const double, kBlock>(distances + begin, kBlock));
      block_least_[begin / kBlock] = in_block;
      nearest = std::min(nearest, in_block);
    }
    interrupt_.poll(n_cols_);
    ++n_scans_;
    scanned_.push_back({row, offset, least});
    return nearest;
  }

  // Closes all columns at this distance; or returns one of them that is free.
  std::size_t close_at(double nearest) {
    const std::size_t n_before = closed_.size();
    for (std::size_t begin = 0; begin < n_cols_; begin += kBlock) {
      if (block_least_[begin / kBlock] != nearest) continue;
      for (std::size_t col = begin, end = std::min(begin + kBlock, n_cols_); col < end; ++col) {
        if (distances_[col] != nearest) continue;
        if (row_of_[col] == kUnmatched) {
          closed_.resize(n_before);
          return col;
        }
        closed_.push_back({col, nearest});
      }
    }
    for (std::size_t i = n_before; i < closed_.size(); ++i) {
      open_prices_[closed_[i].col] = -kInfinity;
      distances_[closed_[i].col] = kInfinity;
    }
    return n_cols_;
  }

  // From the free column back to the root.
  void flip(std::size_t root, std::size_t col) {
    for (std::size_t row = n_cols_; row != root;) {
      row = route_to(col);
      const std::size_t left = row == root ? 0 : at(col_of_[row]);
      join(row, col);
      col = left;
    }
  }

  // The row along which the distance of a column was found: the first of those with the least. Paths are
  // short, so that looking for it takes less than a note beside each distance would.
  std::size_t route_to(std::size_t col) {
    double nearest = kInfinity;
    std::size_t route = 0;
    for (const Scanned& scanned : scanned_) {
      const double along = costs_of(scanned.row)[col] - prices_[col] + scanned.offset;
      const double there = along > scanned.least ? along : scanned.least;
      route = there < nearest ? scanned.row : route;
      nearest = there < nearest ? there : nearest;
    }
    interrupt_.poll(scanned_.size());
    return route;
  }

  // The prices that keep all reduced costs from falling below 0 once the path is flipped.
  void lower_prices(double nearest) {
    for (const Closed& closed : closed_) {
      prices_[closed.col] += closed.distance - nearest;
      open_prices_[closed.col] = prices_[closed.col];
    }
    std::ranges::fill(distances_, kInfinity);
  }

  std::span<const double> costs_;
  std::size_t n_cols_;
  Interrupt& interrupt_;
  Restarts restarts_;
  std::vector<Index> col_of_;
  std::vector<Index> row_of_;
  std::vector<double> prices_;
  std::vector<double> open_prices_;  // of the columns that the search has not closed
  std::vector<double> distances_;    // of those, from the root; infinity beyond the last
  std::vector<double> block_least_;  // of the distances
  std::size_t n_scans_ = 0;
  std::vector<Closed> closed_;
  std::vector<Scanned> scanned_;  // the root, and the rows of closed columns in their order
};

}  // namespace hankelmatch
