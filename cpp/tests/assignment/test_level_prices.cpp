#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment/level_prices.hpp>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "reference_matching.hpp"
#include "reference_weighted_matching.hpp"

using namespace hankelmatch;

namespace {

/// The columns that are left if each in turn, the cheapest first, is kept as long as a matching has all.
template <class Index>
std::vector<Index> greedy_columns(const CsrGraph<Index>& graph, const std::vector<double>& parts) {
  std::vector<Index> order(parts.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index col) { return parts[at(col)]; });
  std::vector<Index> kept;
  for (const Index col : order) {
    kept.push_back(col);
    reference::Graph<Index> part{graph.n_rows, graph.n_cols, {0}, {}, {}};
    for (Index row = 0; row < graph.n_rows; ++row) {
      for (const Index other : graph.row(row))
        if (std::ranges::find(kept, other) != kept.end()) part.indices.push_back(other);
      reference::end_row(part);
    }
    if (at(reference::maximum_matching_size(part.view())) < kept.size()) kept.pop_back();
  }
  return kept;
}

double sum_of(const std::vector<double>& parts, const auto& cols) {
  double sum = 0;
  for (const auto col : cols) sum += parts[at(col)];
  return sum;
}

}  // namespace

TEST_CASE("level prices make costs equal that are sums, and nearly equal ones nearly") {
  using Index = std::int32_t;
  std::mt19937 rng(24);
  std::uniform_real_distribution<double> real(0, 1);
  Interrupt interrupt;
  for (const double noise : {0.0, 1e-6}) {
    for (const bool whole : {false, true}) {
      const Index n = 200;
      std::vector<double> part(2 * at(n));
      for (double& x : part) x = whole ? std::floor(1000 * real(rng)) : real(rng);
      const auto graph = reference::with_perfect_matching<Index>(rng, n, 5, [&](Index row, Index col) {
        return -(part[at(row)] + part[at(n + col)] + (whole ? 0 : noise * real(rng)));
      });
      const WeightedCsrGraph<Index> edges = graph.view();
      const detail::Costs<Index> costs(edges, interrupt);
      CHECK(costs.are_whole() == whole);
      const auto prices = detail::level_prices(costs, 1.0, whole).value_or(std::vector<double>{});
      REQUIRE(prices.size() == at(n));
      const double mean = costs.over_least(prices).mean;
      CHECK(mean <= (whole ? 0.0 : 4 * noise + 1e-12));
      CHECK(costs.over_least(std::vector<double>(at(n), 0.0)).mean > 0.1);
      const auto tight = detail::nearly_tight(costs, prices, 1e-12);
      CHECK((noise > 0 && !whole ? tight.indices.size() < edges.n_edges()
                                 : tight.indices.size() == edges.n_edges()));
    }
  }
}

TEST_CASE("level prices are not looked for where costs are far from sums") {
  using Index = std::int32_t;
  std::mt19937 rng(26);
  std::uniform_real_distribution<double> real(0, 1);
  Interrupt interrupt;
  const auto graph =
      reference::with_perfect_matching<Index>(rng, 200, 5, [&](Index, Index) { return real(rng); });
  const WeightedCsrGraph<Index> edges = graph.view();
  const detail::Costs<Index> costs(edges, interrupt);
  CHECK_FALSE(detail::level_prices(costs, 0.1, false));
  CHECK(detail::level_prices(costs, 100, false));
}

TEST_CASE_TEMPLATE("the cheapest columns are those of the greedy algorithm, and their prices prove it", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 rng(27);
  std::uniform_real_distribution<double> real(-5, 5);
  for (int trial = 0; trial < 300; ++trial) {
    const auto graph = reference::graph_of_some_kind<Index>(rng);
    std::vector<double> parts(at(graph.n_cols));
    for (double& part : parts) part = trial % 2 == 0 ? real(rng) : std::round(real(rng));
    const auto found = detail::cheapest_columns<Index>(graph.view(), parts, no_interrupt());
    const auto& cols = found.cols;
    const auto& prices = found.prices;
    REQUIRE(cols.size() == at(graph.n_rows));
    REQUIRE(prices.size() == parts.size());

    Matching<Index> matching(graph.n_rows, graph.n_cols);
    std::vector<Index> taken;
    for (Index row = 0; row < graph.n_rows; ++row) {
      if (cols[at(row)] == kUnmatched) continue;
      taken.push_back(cols[at(row)]);
      REQUIRE_FALSE(matching.has_col(cols[at(row)]));
      matching.join(row, cols[at(row)]);
    }
    CHECK(is_valid(graph.view(), matching));
    const std::vector<Index> expected = greedy_columns(graph.view(), parts);
    CHECK(taken.size() == expected.size());
    CHECK(sum_of(parts, taken) == doctest::Approx(sum_of(parts, expected)));

    for (Index col = 0; col < graph.n_cols; ++col)
      CHECK((matching.has_col(col) ? prices[at(col)] <= 0 : prices[at(col)] == 0));
    for (Index row = 0; row < graph.n_rows; ++row) {
      if (!matching.has_row(row)) continue;
      const auto value = [&](Index col) { return parts[at(col)] - prices[at(col)]; };
      for (const Index col : graph.view().row(row)) CHECK(value(cols[at(row)]) <= value(col) + 1e-12);
    }
  }
}
