#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/cost_scaling.hpp>
#include <hankelmatch/weighted/full_assignment.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <limits>
#include <random>
#include <vector>

#include "reference_weighted_matching.hpp"

using namespace hankelmatch;

namespace {

/// A square graph with a perfect matching, the diagonal, and further edges; weight(row, col) of each.
template <class Index, class Weight>
reference::Weighted<Index> with_perfect_matching(std::mt19937& rng, Index n, Index degree,
                                                 const Weight& weight) {
  std::vector<std::vector<Index>> rows(at(n));
  std::uniform_int_distribution<Index> any(0, n - 1);
  for (Index row = 0; row < n; ++row) {
    rows[at(row)].push_back(row);
    for (Index i = 1; i < degree; ++i) rows[at(row)].push_back(any(rng));
  }
  reference::Weighted<Index> result{{n, n, {0}, {}, {}}, {}};
  for (Index row = 0; row < n; ++row) {
    for (const Index col : rows[at(row)]) {
      result.graph.indices.push_back(col);
      result.weights.push_back(weight(row, col));
    }
    result.graph.indptr.push_back(static_cast<Index>(result.graph.indices.size()));
  }
  return result;
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
        with_perfect_matching<Index>(rng, n, 4, [&](Index, Index) { return whole(rng) * 1.0; });
    std::vector<double> prices(at(n), 0.0);
    const WeightedCsrGraph<Index> edges = graph.view();
    detail::Auction<Index> auction(edges, prices, false, interrupt);
    auction.run(10, 1.0 / (static_cast<double>(n) + 1), std::size_t{1} << 40);
    double total = 0;
    std::vector<int> taken(at(n), 0);
    for (Index row = 0; row < n; ++row) {
      double heaviest = -std::numeric_limits<double>::infinity();
      edges.for_each_edge([&](Index r) { return r == row; },
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
  detail::Auction<std::int32_t> auction(edges, prices, false, interrupt);
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
  const auto check = [&](Index degree, const auto& weight) {
    const auto graph = with_perfect_matching<Index>(rng, n, degree, weight);
    const auto result = maximum_weight_matching(graph.view(), true);
    CHECK(result.matching.size == n);
    CHECK(is_optimal(graph.view(), result, 1e-12));
  };
  for (int trial = 0; trial < 10; ++trial) {
    check(6, [&](Index row, Index) { return of_row[at(row)]; });
    check(6, [&](Index row, Index) { return of_row[at(row)] + noise(rng); });
    check(6, [&](Index row, Index col) { return of_row[at(row)] - of_row[at(col)] + 1e-3 * noise(rng); });
    check(60, [&](Index row, Index col) { return -1.0 * row * col; });
    check(60, [&](Index row, Index col) { return 1.0 * row * (n - col); });
    check(60, [&](Index row, Index col) { return std::ldexp(1.0, std::abs(row - col)); });
    check(20, [&](Index, Index) { return std::floor(1e6 * noise(rng)); });
    check(20, [&](Index row, Index col) { return 1e12 + 1e-3 * (row % 7) * (col % 5); });
  }
}
