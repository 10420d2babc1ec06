// Starting an assignment again from better prices, where its searches grow long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hankelmatch/assignment/bidding.hpp>
#include <hankelmatch/assignment/cost_scaling.hpp>
#include <hankelmatch/assignment/level_prices.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// The base of a Problem that starts again: first from level prices (assignment/level_prices.hpp), if costs
/// are sums of a part of the row and a part of the column, or nearly; then from those of an auction, and of
/// ever finer ones (assignment/cost_scaling.hpp). A Problem is as for Bidding, from which it gets bid,
/// match_tight and match_tight_again, and as for FreeColumns, and has also
/// - prices(), set_prices(prices): of all columns; least_value(row): the least in its row;
/// - forget_matching(): frees all rows and columns;
/// - bid_for_free(): rows whose best column is free take it; returns the others.
template <class Index, class Problem>
class FreshStarts {
  friend Problem;
  using Edge = CostEdge<Index>;
  using OverLeast = typename Costs<Index>::OverLeast;
  static constexpr double kRoundings = 8;  // of a single value, by which a sum of parts may be off

  FreshStarts(const WeightedCsrGraph<Index>& edges, bool square, bool may_start_again, Interrupt& interrupt)
      : edges_(edges), interrupt_(interrupt), square_(square), may_start_again_(may_start_again) {}

 protected:
  /// Whether another start may pay.
  bool may_start_again() const { return may_start_again_; }

  /// Leaves the rows that are still free in `waiting`.
  void start_again(std::vector<Index>& waiting, const Gains& gains) {
    constexpr int kAuctions = 4;
    const Costs<Index> costs(edges_, interrupt_);
    const OverLeast over = costs.over_least(problem().prices());
    may_start_again_ = over.mean > 0;
    if (!may_start_again_) return;
    if (!std::exchange(has_started_, true) && start_from_levels(costs, over.mean, waiting)) return;
    start_from_auction(over, gains, waiting);
    may_start_again_ = epsilons_.n_auctions() < kAuctions;
  }

  /// Once all rows have a column: those that a new start has left free, and too cheap, get the highest price.
  void raise_free_columns(const Gains& gains) {
    if (square_ || !has_started_ || !has_too_cheap_column()) return;
    FreeColumns<Index, Problem>(edges_, problem(), gains.bucket_width(), interrupt_).raise_to_0();
  }

 private:
  Problem& problem() { return static_cast<Problem&>(*this); }
  std::size_t n_rows() const { return at(edges_.graph.n_rows); }

  bool has_too_cheap_column() {
    for (Index col = 0; col < edges_.graph.n_cols; ++col) {
      if (!problem().is_matched(col) && problem().price_of(col) < 0) return true;
    }
    return false;
  }

  // Returns false, and changes nothing, if costs are far from sums of one part of the row, one of the column;
  // if columns will stay free, unless they are sums.
  bool start_from_levels(const Costs<Index>& costs, double mean, std::vector<Index>& waiting) {
    constexpr double kMuch = 4;
    constexpr double kRounding = kRoundings * 0x1p-49;
    constexpr double kNearlyAll = 0.9;  // edges: a few large costs hide in the mean that others are no sums
    const auto level = level_prices(costs, mean, costs.are_whole());
    if (!level) return false;
    const double level_mean = costs.over_least(*level).mean;
    if (level_mean <= kRounding * costs.mean_size()) {
      const CsrMatrix<Index> tight = nearly_tight(costs, *level, kRounding);
      if (static_cast<double>(tight.indices.size()) >= kNearlyAll * static_cast<double>(edges_.n_edges())) {
        start_from_sums(tight, *level, waiting);
        return true;
      }
    }
    if (!square_ || level_mean * kMuch > mean) return false;
    problem().forget_matching();
    problem().set_prices(costs.prices_above(costs.least_values(*level)));
    waiting = problem().bid_for_free();
    problem().bid(waiting, n_rows());
    problem().match_tight(waiting);
    return true;
  }

  // Where costs are sums up to rounding, all edges of a column are as good: any matching is the cheapest that
  // takes the cheapest columns, and so any at all if it takes all of them. Edges that are farther from
  // sums are left out, and may be better.
  void start_from_sums(const CsrMatrix<Index>& edges, std::span<const double> parts,
                       std::vector<Index>& waiting) {
    Mates<Index> cols;
    if (square_) {
      problem().set_prices(parts);
      cols = match(edges.view(), "auto", {}, interrupt_).row_mate;
    } else {
      PricedMatching<Index> cheapest = cheapest_columns(edges.view(), parts, interrupt_);
      problem().set_prices(cheapest.prices);
      cols = std::move(cheapest.cols);
    }
    keep_best([&](Index row) { return cols[at(row)]; }, kRoundings, waiting);
  }

  void start_from_auction(const OverLeast& over, const Gains& gains, std::vector<Index>& waiting) {
    constexpr std::size_t kMostPasses = 400;
    constexpr double kRounding = 1e-6;
    epsilons_.refine(over.mean, gains.mean(),
                     static_cast<double>(waiting.size()) / static_cast<double>(n_rows()));
    std::vector<double> prices = problem().prices();
    Auction<Index> auction(edges_, prices, over, square_, interrupt_);
    auction.run(epsilons_.first(), epsilons_.last(), kMostPasses * (edges_.n_edges() + n_rows()));
    if (gains.are_integers()) {  // more edges are tight then, and none that is ceases to be
      for (double& price : prices) price = std::floor(price);
    }
    if (!square_) auction.move_prices_to_0(kRounding * epsilons_.last());
    problem().set_prices(prices);
    keep_best([&](Index row) { return auction.col_of(row); }, 1, waiting);
  }

  // Rows keep these columns where they are exactly the best, but for so many times the rounding.
  template <class ColOf>
  void keep_best(const ColOf& col_of, double roundings, std::vector<Index>& waiting) {
    const std::vector<Edge> edges = cheapest_to(col_of);
    settle(edges, roundings);
    problem().forget_matching();
    waiting.clear();
    for (std::size_t r = 0; r < edges.size(); ++r) {
      const auto row = static_cast<Index>(r);
      if (edges[r].col != kUnmatched && over_best(row, edges[r], roundings) <= 0) {
        problem().take(row, edges[r]);
      } else {
        waiting.push_back(row);
      }
    }
    problem().match_tight_again(waiting);
  }

  // The cheapest edge of each row to its column, col_of(row).
  template <class ColOf>
  std::vector<Edge> cheapest_to(const ColOf& col_of) {
    std::vector<Edge> edges(n_rows());
    for (std::size_t r = 0; r < edges.size(); ++r) {
      const auto row = static_cast<Index>(r);
      const Index col = col_of(row);
      if (col != kUnmatched) edges[r] = problem().cheapest_to(row, col);
    }
    return edges;
  }

  // Raises the price of a row's column where another one is better by at most epsilon, until both are as
  // good; that may make others better for other rows, so not all of it is done.
  void settle(std::span<const Edge> edges, double roundings) {
    constexpr int kSweeps = 12;
    std::size_t n_raised = 1;
    for (int sweep = 0; sweep < kSweeps && n_raised > 0; ++sweep) {
      n_raised = 0;
      for (std::size_t r = 0; r < edges.size(); ++r) {
        const Index col = edges[r].col;
        const double over = col == kUnmatched ? 0.0 : over_best(static_cast<Index>(r), edges[r], roundings);
        if (over <= 0) continue;
        problem().lower_price(col, -(square_ ? over : std::min(over, -problem().price_of(col))));
        ++n_raised;
      }
    }
  }

  // How much worse an edge is than the best of its row; 0 if that may be rounding.
  double over_best(Index row, const Edge& edge, double roundings) {
    const double over = problem().value(edge) - problem().least_value(row);
    return over > roundings * problem().rounding(edge) ? over : 0.0;
  }

  WeightedCsrGraph<Index> edges_;
  Interrupt& interrupt_;
  bool square_;
  bool has_started_ = false;
  bool may_start_again_;
  Epsilons epsilons_;
};

}  // namespace hankelmatch::detail
