#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment/cost_scaling.hpp>
#include <hankelmatch/assignment/full_assignment.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "reference_weighted_matching.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
detail::Auction<Index> auction_of(const WeightedCsrGraph<Index>& edges, std::span<double> prices, bool square,
                                  Interrupt& interrupt) {
  const auto over = detail::Costs<Index>(edges, interrupt).over_least(prices);
  return {edges, prices, over, square, interrupt};
}

/// Solves, checks that the prices prove it, and returns the cost.
template <class Index>
double proved_cost(const WeightedCsrGraph<Index>& edges, Restarts restarts, Interrupt& interrupt) {
  const Index n = edges.graph.n_rows;
  const Index n_cols = edges.graph.n_cols;
  FullAssignment<Index> problem(edges.graph, edges.weights, n == n_cols, interrupt, restarts);
  REQUIRE(problem.solve());
  const detail::Costs<Index> costs(edges, interrupt);
  double total = 0;
  double bound = 0;
  std::vector<char> taken(at(n_cols), 0);
  for (Index row = 0; row < n; ++row) {
    const double potential = problem.potential_of(row);
    bound += potential + problem.price_of(problem.col_of(row));
    CHECK(std::exchange(taken[at(problem.col_of(row))], char{1}) == 0);
    double own = std::numeric_limits<double>::infinity();
    costs.visit_row(at(row), [&](std::size_t col, double cost) {
      CHECK(cost - problem.price_of(static_cast<Index>(col)) >= potential - 1e-11);
      if (col == at(problem.col_of(row))) own = std::min(own, cost);
    });
    total += own;
  }
  CHECK(total == doctest::Approx(bound));
  if (n < n_cols) {
    for (Index col = 0; col < n_cols; ++col)
      CHECK((taken[at(col)] == 0 ? problem.price_of(col) == 0 : problem.price_of(col) <= 1e-12));
  }
  return total;
}

}  // namespace

TEST_CASE_TEMPLATE("an auction of whole costs that ends below 1 / n is optimal", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(21);
  std::uniform_int_distribution<int> whole(-20, 20);
  Interrupt interrupt;
  for (int trial = 0; trial < 200; ++trial) {
    const auto n = static_cast<Index>(1 + rng() % 12);
    const auto graph =
        reference::with_perfect_matching<Index>(rng, n, 4, [&](Index, Index) { return whole(rng) * 1.0; });
    std::vector<double> prices(at(n), 0.0);
    const WeightedCsrGraph<Index> edges = graph.view();
    auto auction = auction_of(edges, prices, true, interrupt);
    auction.run(10, 1.0 / (static_cast<double>(n) + 1), std::size_t{1} << 40);
    double total = 0;
    std::vector<int> taken(at(n), 0);
    for (Index row = 0; row < n; ++row) {
      double heaviest = -std::numeric_limits<double>::infinity();
      edges.for_each_edge(
          interrupt, [&](Index r) { return r == row; },
          [&](Index, Index col, double weight) {
            if (col == auction.col_of(row)) heaviest = std::max(heaviest, weight);
          });
      total += heaviest;
      ++taken[at(auction.col_of(row))];
    }
    CHECK(*std::ranges::max_element(taken) == 1);
    const auto best = maximum_weight_matching(edges, true);
    CHECK(is_optimal(edges, best, 1e-12));
    double expected = static_cast<double>(n) * best.cardinality_dual;
    for (const double d : best.row_dual) expected += d;
    for (const double d : best.col_dual) expected += d;
    CHECK(total == doctest::Approx(expected));
  }
}

TEST_CASE("an auction without a perfect matching stops at its limit") {
  const reference::Graph<std::int32_t> graph{2, 2, {0, 1, 2}, {0, 0}, {}};
  const std::vector<double> weights{1, 2};
  std::vector<double> prices(2, 0.0);
  Interrupt interrupt;
  const WeightedCsrGraph<std::int32_t> edges{graph.view(), weights};
  auto auction = auction_of(edges, prices, true, interrupt);
  auction.run(1, 1, 1000);
  CHECK((auction.col_of(0) == kUnmatched) != (auction.col_of(1) == kUnmatched));
}

TEST_CASE("costs for which shortest paths grow long") {
  using Index = std::int32_t;
  const Index n = 150;
  std::mt19937 rng(22);
  std::uniform_real_distribution<double> noise(0, 1);
  std::vector<double> of_row(n);
  for (double& a : of_row) a = 1000 * noise(rng);
  std::vector<double> of_col(2 * at(n));
  for (double& b : of_col) b = 1000 * noise(rng);
  const auto check = [&](Index degree, const auto& weight) {
    for (const Index n_cols : {n, n + n / 4, 2 * n}) {
      const auto graph = reference::with_full_matching<Index>(rng, n, n_cols, degree, weight);
      const auto result = maximum_weight_matching(graph.view(), true);
      CHECK(result.matching.size == n);
      CHECK(is_optimal(graph.view(), result, 1e-12));
    }
  };
  for (int trial = 0; trial < 10; ++trial) {
    check(6, [&](Index row, Index) { return of_row[at(row)]; });
    check(6, [&](Index row, Index) { return of_row[at(row)] + noise(rng); });
    check(6, [&](Index row, Index col) { return of_row[at(row)] - of_col[at(col)] + 1e-3 * noise(rng); });
    check(6, [&](Index row, Index col) { return of_row[at(row)] + of_col[at(col)]; });
    check(6, [&](Index row, Index col) { return std::floor(of_row[at(row)]) + std::floor(of_col[at(col)]); });
    check(6, [&](Index, Index col) { return of_col[at(col)]; });
    check(60, [&](Index row, Index col) { return -1.0 * row * col; });
    check(60, [&](Index row, Index col) { return 1.0 * row * (n - col); });
    check(60, [&](Index row, Index col) { return std::ldexp(1.0, std::abs(row - col)); });
    check(20, [&](Index, Index) { return std::floor(1e6 * noise(rng)); });
    check(20, [&](Index row, Index col) { return 1e12 + 1e-3 * (row % 7) * (col % 5); });
  }
}

TEST_CASE("an auction with more columns than rows leaves free columns no lower price than others") {
  using Index = std::int32_t;
  std::mt19937 rng(23);
  std::uniform_int_distribution<int> whole(-20, 20);
  Interrupt interrupt;
  const double epsilon = 1.0 / 64;
  for (int trial = 0; trial < 200; ++trial) {
    const auto n = static_cast<Index>(1 + rng() % 12);
    const Index n_cols = n + static_cast<Index>(rng() % 8);
    const auto graph = reference::with_full_matching<Index>(rng, n, n_cols, 4,
                                                            [&](Index, Index) { return whole(rng) * 1.0; });
    std::vector<double> prices(at(n_cols), 0.0);
    const WeightedCsrGraph<Index> edges = graph.view();
    auto auction = auction_of(edges, prices, false, interrupt);
    auction.run(10, epsilon, std::size_t{1} << 40);
    std::vector<char> taken(at(n_cols), 0);
    double highest = -std::numeric_limits<double>::infinity();
    for (Index row = 0; row < n; ++row) {
      REQUIRE(auction.col_of(row) != kUnmatched);
      taken[at(auction.col_of(row))] = 1;
      highest = std::max(highest, prices[at(auction.col_of(row))]);
    }
    CHECK(std::ranges::count(taken, 1) == n);
    for (std::size_t col = 0; col < prices.size(); ++col)
      CHECK((taken[col] == 1 || prices[col] >= highest - 1e-9));
    const detail::Costs<Index> costs(edges, interrupt);
    const std::vector<double> least = costs.least_values(prices);
    for (Index row = 0; row < n; ++row) {
      double own = std::numeric_limits<double>::infinity();
      costs.visit_row(at(row), [&](std::size_t col, double cost) {
        if (col == at(auction.col_of(row))) own = std::min(own, cost - prices[col]);
      });
      CHECK(own <= least[at(row)] + epsilon + 1e-9);
    }
  }
}

TEST_CASE("searches are too slow if what they lately took foretells more passes than an auction's") {
  constexpr std::size_t kPass = 2000;  // 1,000 rows of one edge: an auction takes 4
  for (const auto& [n_later, is_too_slow] :
       {std::pair{40, false}, std::pair{300, true}, std::pair{600, true}}) {
    detail::Pace pace(kPass / 2, kPass / 2);
    CHECK_FALSE(pace.is_too_slow(0, 1000));
    CHECK_FALSE(pace.is_too_slow(4 * kPass, 600));  // the first to compare with
    CHECK_FALSE(pace.is_too_slow(5 * kPass, 600));  // too soon after it
    CHECK(pace.is_too_slow(6 * kPass, static_cast<std::size_t>(n_later)) == is_too_slow);
    CHECK(pace.is_too_slow(20 * kPass, 1) == is_too_slow);  // stays so
    pace.begin_again();
    CHECK_FALSE(pace.is_too_slow(6 * kPass, 600));
  }
  detail::Pace pace(kPass / 2, kPass / 2);
  CHECK_FALSE(pace.is_too_slow(4 * kPass, 21));
  CHECK_FALSE(pace.is_too_slow(6 * kPass, 20));  // so few rows are searched from soon
}

TEST_CASE("auctions begin coarser the more rows wait, and are finer one after another") {
  detail::Epsilons many;
  many.refine(1.0, 0.06, 1.0);
  CHECK(many.first() == 1.0);
  CHECK(many.last() == doctest::Approx(0.001));
  detail::Epsilons few;
  few.refine(1.0, 0.06, 0.01);
  CHECK(few.first() == doctest::Approx(0.04));
  CHECK(few.last() == many.last());
  for (int auction = 2; auction < 5; ++auction) {
    const double before = few.last();
    few.refine(1.0, 0.06, 1.0);
    CHECK(few.n_auctions() == auction);
    CHECK(before > few.first());
    CHECK(few.first() > few.last());
  }
}

TEST_CASE_TEMPLATE("starting again at once, or never, is proved by the prices", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(25);
  std::uniform_real_distribution<double> real(-3, 3);
  Interrupt interrupt;
  for (int trial = 0; trial < 1500; ++trial) {
    const auto n = static_cast<Index>(1 + rng() % 6);
    const Index n_cols = n + static_cast<Index>(trial % 2 == 0 ? 0 : rng() % 5);
    const auto graph = reference::with_full_matching<Index>(rng, n, n_cols, 3, [&](Index row, Index col) {
      const double sum = static_cast<double>(row % 3) - static_cast<double>(col * 2 % 5);
      return trial % 3 == 0 ? std::round(real(rng)) : trial % 3 == 1 ? real(rng) : sum / 7;
    });
    const double expected = proved_cost(graph.view(), Restarts::kWhenSearchesAreLong, interrupt);
    for (const Restarts restarts : {Restarts::kAtOnce, Restarts::kNever})
      CHECK(proved_cost(graph.view(), restarts, interrupt) == doctest::Approx(expected));
  }
}

TEST_CASE("costs that are sums but for about their rounding, or but for that of a few large ones") {
  using Index = std::int32_t;
  std::mt19937 rng(28);
  std::uniform_real_distribution<double> real(-1, 1);
  Interrupt interrupt;
  const Index n = 40;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> part(4 * at(n));
    for (double& x : part) x = real(rng);
    const bool has_large = trial % 2 == 0;
    const auto graph = reference::with_full_matching<Index>(rng, n, 3 * n, 4, [&](Index row, Index col) {
      if (has_large && row == col) return -1e3;
      return part[at(row)] + part[at(n + col)] + 1e-14 * real(rng);
    });
    const double expected = proved_cost(graph.view(), Restarts::kNever, interrupt);
    CHECK(proved_cost(graph.view(), Restarts::kAtOnce, interrupt) == doctest::Approx(expected));
  }
}
