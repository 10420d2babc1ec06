#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "reference_weighted_matching.hpp"

using namespace hankelmatch;

namespace {

/// The greatest weight of the matchings of the rows from `row` on with exactly `size` edges; -infinity if
/// there is none.
template <class Index>
double best_weight(const WeightedCsrGraph<Index>& edges, Index row, Index size, std::vector<bool>& taken) {
  if (size == 0) return 0;
  if (row == edges.graph.n_rows) return -std::numeric_limits<double>::infinity();
  double best = best_weight(edges, row + 1, size, taken);
  const auto begin = at(edges.graph.indptr[at(row)]);
  const auto end = at(edges.graph.indptr[at(row) + 1]);
  for (std::size_t i = begin; i < end; ++i) {
    const auto col = at(edges.graph.indices[i]);
    if (taken[col]) continue;
    taken[col] = true;
    best = std::max(best, edges.weights[i] + best_weight(edges, row + 1, size - 1, taken));
    taken[col] = false;
  }
  return best;
}

template <class Index>
double weight_by_duals(const WeightedMatching<Index>& result) {
  double weight = static_cast<double>(result.matching.size) * result.cardinality_dual;
  for (const double d : result.row_dual) weight += d;
  for (const double d : result.col_dual) weight += d;
  return weight;
}

/// A graph that brute force can match.
template <class Index>
auto random_small(std::mt19937& rng, bool integer) {
  std::uniform_int_distribution<Index> side(0, 5);
  std::uniform_int_distribution<Index> edges(0, 14);
  return reference::random_weighted<Index>(rng, side(rng), side(rng), edges(rng), integer);
}

}  // namespace

TEST_CASE_TEMPLATE("the heaviest maximum matching is that of brute force, and proves itself", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 rng(11);
  for (int trial = 0; trial < 600; ++trial) {
    const auto graph = random_small<Index>(rng, trial % 2 == 0);
    const auto result = maximum_weight_matching(graph.view(), true);
    CHECK(result.matching.size == reference::maximum_matching_size(graph.graph.view()));
    CHECK(is_optimal(graph.view(), result, 1e-12));
    std::vector<bool> taken(at(graph.graph.n_cols), false);
    CHECK(weight_by_duals(result) ==
          doctest::Approx(best_weight(graph.view(), Index{0}, result.matching.size, taken)));
  }
}

TEST_CASE("the heaviest matching of any size is that of brute force, and proves itself") {
  using Index = std::int32_t;
  std::mt19937 rng(12);
  for (int trial = 0; trial < 400; ++trial) {
    const auto graph = random_small<Index>(rng, trial % 2 == 0);
    const auto result = maximum_weight_matching(graph.view(), false);
    CHECK(result.cardinality_dual == 0);
    CHECK(is_optimal(graph.view(), result, 1e-12));
    double best = 0;
    for (Index size = 0; size <= graph.graph.n_rows; ++size) {
      std::vector<bool> taken(at(graph.graph.n_cols), false);
      best = std::max(best, best_weight(graph.view(), Index{0}, size, taken));
    }
    CHECK(weight_by_duals(result) == doctest::Approx(best));
  }
}

TEST_CASE("larger graphs prove themselves, square, wide, tall and with long rows") {
  using Index = std::int32_t;
  std::mt19937 rng(13);
  for (int trial = 0; trial < 12; ++trial) {
    for (const auto& [rows, cols, edges] : std::vector<std::array<Index, 3>>{{120, 120, 700},
                                                                             {60, 300, 600},
                                                                             {300, 60, 600},
                                                                             {12, 900, 6000},
                                                                             {900, 12, 6000},
                                                                             {200, 200, 150}}) {
      const auto graph = reference::random_weighted<Index>(rng, rows, cols, edges, trial % 2 == 0);
      const auto result = maximum_weight_matching(graph.view(), true);
      CHECK(is_maximum(graph.graph.view(), result.matching));
      CHECK(is_optimal(graph.view(), result, 1e-12));
      CHECK(is_optimal(graph.view(), maximum_weight_matching(graph.view(), false), 1e-12));
    }
  }
}

TEST_CASE("weights many orders of magnitude apart, for which no width of buckets is right") {
  using Index = std::int32_t;
  std::mt19937 rng(18);
  for (const double spread : {3.0, 40.0, 250.0}) {
    for (int trial = 0; trial < 400; ++trial) {
      auto graph = reference::random_weighted<Index>(rng, 80, 80, 500, false);
      for (double& w : graph.weights) w = std::pow(10.0, spread * w / 2);
      const auto result = maximum_weight_matching(graph.view(), true);
      CHECK(is_optimal(graph.view(), result, 1e-12));
    }
  }
}

TEST_CASE("wide graphs of long rows that want the same columns are read some twenty times") {
  using Index = std::int32_t;
  constexpr Index kRows = 500;
  constexpr Index kCols = 750;
  constexpr std::size_t kDegree = 200;
  std::mt19937 rng(19);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> liked(at(kCols));
  for (double& weight : liked) weight = uniform(rng);
  std::vector<Index> all(at(kCols));
  std::iota(all.begin(), all.end(), 0);
  const auto graph = collect_edges<Index>(kRows, kCols, [&](const auto& visit) {
    std::mt19937 same(20);
    std::vector<Index> cols(kDegree);
    for (Index row = 0; row < kRows; ++row) {
      std::ranges::sample(all, cols.begin(), kDegree, same);
      for (const Index col : cols) visit(row, col, liked[at(col)]);
    }
  });
  std::uint64_t n_checks = 0;
  Interrupt interrupt([&] { ++n_checks; });
  const auto result = maximum_weight_matching(graph.weighted_view(), true, interrupt);
  CHECK(is_optimal(graph.weighted_view(), result, 1e-12));
  CHECK(n_checks * Interrupt::kInterval < 40 * graph.indices.size());
}
