#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <hankelmatch/assignment.hpp>
#include <hankelmatch/bucket_queue.hpp>
#include <hankelmatch/cheapest_edges.hpp>
#include <hankelmatch/collected_edges.hpp>
#include <hankelmatch/cover_flags.hpp>
#include <hankelmatch/full_assignment.hpp>
#include <hankelmatch/heavy_matching.hpp>
#include <hankelmatch/maximum_weight_matching.hpp>
#include <hankelmatch/vertex_cover.hpp>
#include <hankelmatch/weighted_matching.hpp>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
struct Weighted {
  reference::Graph<Index> graph;
  std::vector<double> weights;

  WeightedCsrGraph<Index> view() const { return {graph.view(), weights}; }
};

/// Repeated edges, empty rows, ties, zeros and negative weights.
template <class Index>
Weighted<Index> random_weighted(std::mt19937& rng, Index n_rows, Index n_cols, Index n_edges, bool integer) {
  Weighted<Index> result{reference::random_graph<Index>(rng, n_rows, n_cols, n_edges), {}};
  std::uniform_real_distribution<double> real(-2, 2);
  for (std::size_t i = 0; i < result.graph.indices.size(); ++i)
    result.weights.push_back(integer ? std::round(real(rng)) : real(rng));
  return result;
}

/// The greatest weight of the matchings of the rows from `row` on with exactly `size` edges; -infinity if
/// there is none.
template <class Index>
double best_weight(const WeightedCsrGraph<Index>& edges, Index row, Index size, std::vector<bool>& taken) {
  if (size == 0) return 0;
  if (row == edges.graph.n_rows) return -std::numeric_limits<double>::infinity();
  double best = best_weight(edges, row + 1, size, taken);
  const auto begin = static_cast<std::size_t>(edges.graph.indptr[static_cast<std::size_t>(row)]);
  const auto end = static_cast<std::size_t>(edges.graph.indptr[static_cast<std::size_t>(row) + 1]);
  for (std::size_t i = begin; i < end; ++i) {
    const auto col = static_cast<std::size_t>(edges.graph.indices[i]);
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

}  // namespace

TEST_CASE_TEMPLATE("the heaviest maximum matching is that of brute force, and proves itself", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 rng(11);
  for (int trial = 0; trial < 600; ++trial) {
    std::uniform_int_distribution<Index> side(0, 5);
    std::uniform_int_distribution<Index> edges(0, 14);
    const auto graph = random_weighted<Index>(rng, side(rng), side(rng), edges(rng), trial % 2 == 0);
    const auto result = maximum_weight_matching(graph.view(), true);
    CHECK(result.matching.size == reference::maximum_matching_size(graph.graph.view()));
    CHECK(is_optimal(graph.view(), result, 1e-12));
    std::vector<bool> taken(static_cast<std::size_t>(graph.graph.n_cols), false);
    CHECK(weight_by_duals(result) ==
          doctest::Approx(best_weight(graph.view(), Index{0}, result.matching.size, taken)));
  }
}

TEST_CASE("the heaviest matching of any size is that of brute force, and proves itself") {
  using Index = std::int32_t;
  std::mt19937 rng(12);
  for (int trial = 0; trial < 400; ++trial) {
    std::uniform_int_distribution<Index> side(0, 5);
    std::uniform_int_distribution<Index> edges(0, 14);
    const auto graph = random_weighted<Index>(rng, side(rng), side(rng), edges(rng), trial % 2 == 0);
    const auto result = maximum_weight_matching(graph.view(), false);
    CHECK(result.cardinality_dual == 0);
    CHECK(is_optimal(graph.view(), result, 1e-12));
    double best = 0;
    for (Index size = 0; size <= graph.graph.n_rows; ++size) {
      std::vector<bool> taken(static_cast<std::size_t>(graph.graph.n_cols), false);
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
      const auto graph = random_weighted<Index>(rng, rows, cols, edges, trial % 2 == 0);
      const auto result = maximum_weight_matching(graph.view(), true);
      CHECK(is_maximum(graph.graph.view(), result.matching));
      CHECK(is_optimal(graph.view(), result, 1e-12));
      CHECK(is_optimal(graph.view(), maximum_weight_matching(graph.view(), false), 1e-12));
    }
  }
}

TEST_CASE("edges come cheapest first however few are kept") {
  using Index = std::int32_t;
  std::mt19937 rng(14);
  const Index n_rows = 5;
  std::vector<std::vector<double>> costs(n_rows);
  for (auto& row : costs) {
    for (int i = 0; i < 300; ++i) row.push_back(std::uniform_int_distribution<int>(0, 40)(rng));
  }
  const auto for_each_edge = [&](const auto& visit) {
    for (Index r = 0; r < n_rows; ++r) {
      for (Index c = 0; c < 300; ++c)
        visit(r, costs[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)], c);
    }
  };
  for (const std::size_t keep : {std::size_t{1}, std::size_t{8}, std::size_t{1000}}) {
    CheapestEdges<Index, decltype(for_each_edge)> edges(n_rows, for_each_edge, keep);
    for (Index r = 0; r < n_rows; ++r) {
      std::vector<std::pair<double, Index>> found;
      edges.visit_row(r, [&](const auto& edge) {
        found.emplace_back(edge.cost, edge.col);
        return true;
      });
      CHECK(found.size() == 300);
      CHECK(std::ranges::is_sorted(found));
    }
  }
}

TEST_CASE("reading all edges and reading the cheapest find the same total and good prices") {
  using Index = std::int32_t;
  std::mt19937 rng(16);
  Interrupt interrupt;
  const auto solve = [](auto& problem, const auto& for_each_edge, Index n_rows, bool square) {
    double total = 0;
    if (!problem.solve()) return std::numeric_limits<double>::infinity();
    for (Index r = 0; r < n_rows; ++r) total += problem.potential_of(r) + problem.price_of(problem.col_of(r));
    bool feasible = true;
    for_each_edge([&](Index r, double cost, Index col) {
      feasible &= cost >= problem.potential_of(r) + problem.price_of(col) - 1e-12;
      feasible &= square || problem.price_of(col) <= 0;
    });
    CHECK(feasible);
    return total;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const Index n_rows = 12;
    const Index n_cols = trial % 3 == 0 ? 12 : 15;
    const auto graph = random_weighted<Index>(rng, n_rows, n_cols, 80, trial % 2 == 0);
    const CsrGraph<Index> rows = graph.graph.view();
    const auto for_each_edge = [&](const auto& visit) {
      for (Index r = 0; r < n_rows; ++r) {
        const std::size_t begin = static_cast<std::size_t>(rows.begin(r));
        for (std::size_t i = 0; i < rows.row(r).size(); ++i)
          visit(r, -graph.weights[begin + i], rows.row(r)[i]);
      }
    };
    FullAssignment<Index> full(rows, graph.weights, n_rows == n_cols, interrupt);
    const double all_read = solve(full, for_each_edge, n_rows, n_rows == n_cols);
    const CollectedEdges<Index> copied(n_rows, n_cols, for_each_edge);
    FullAssignment<Index> of_copy(copied.graph(), copied.weights, false, interrupt);
    const double copy_read = solve(of_copy, for_each_edge, n_rows, false);
    CheapestEdges<Index, decltype(for_each_edge)> edges(n_rows, for_each_edge, 1 + rng() % 5);
    Assignment<Index, decltype(edges)> cheapest(edges, n_cols, interrupt);
    const double cheapest_read = solve(cheapest, for_each_edge, n_rows, false);
    if (all_read == std::numeric_limits<double>::infinity()) {
      CHECK(cheapest_read == all_read);
      CHECK(copy_read == all_read);
    } else {
      CHECK(all_read == doctest::Approx(cheapest_read).epsilon(1e-12));
      CHECK(all_read == doctest::Approx(copy_read).epsilon(1e-12));
    }
  }
}

TEST_CASE("a bucket queue gives every entry below the bound, in exact order once it is asked for") {
  std::mt19937 rng(17);
  BucketQueue<std::int32_t> queue;  // one for all widths, from one node a bucket to all in one
  for (const double width : {1e-300, 1e-4, 0.01, 1.0, 1e3, 1e300}) {
    for (const bool exact : {false, true}) {
      if (exact) queue.order_exactly();
      queue.clear(width);
      // Distances many orders of magnitude apart, some of them equal; each pop may push a few more behind it.
      const auto step = [&] {
        const int exponent = std::uniform_int_distribution<int>(-8, 8)(rng);
        return std::uniform_int_distribution<int>(0, 3)(rng) * std::pow(10.0, exponent);
      };
      std::vector<double> pushed;
      const auto push = [&](double distance) {
        queue.push(distance, static_cast<std::int32_t>(pushed.size()));
        pushed.push_back(distance);
      };
      for (int i = 0; i < 50; ++i) push(step());
      const double bound = exact ? 1e7 : 1e9;
      std::vector<bool> popped(10'000, false);
      double last = 0;
      BucketQueue<std::int32_t>::Entry entry{};
      while (queue.pop(bound, entry)) {
        const auto node = static_cast<std::size_t>(entry.node);
        CHECK(entry.distance == pushed[node]);
        CHECK_FALSE(popped[node]);
        popped[node] = true;
        if (exact) CHECK(entry.distance >= last);
        last = entry.distance;
        for (int i = 0; i < 3 && pushed.size() < 1000; ++i) push(entry.distance + step());
      }
      CHECK(pushed.size() == 1000);
      for (std::size_t i = 0; i < pushed.size(); ++i) CHECK((popped[i] || pushed[i] >= bound));
    }
    queue = {};
  }
}

TEST_CASE("weights many orders of magnitude apart, for which no width of buckets is right") {
  using Index = std::int32_t;
  std::mt19937 rng(18);
  for (const double spread : {3.0, 40.0, 250.0}) {
    for (int trial = 0; trial < 30; ++trial) {
      auto graph = random_weighted<Index>(rng, 80, 80, 500, false);
      for (double& w : graph.weights) w = std::pow(10.0, spread * w / 2);
      const auto result = maximum_weight_matching(graph.view(), true);
      CHECK(is_optimal(graph.view(), result, 1e-12));
    }
  }
}

TEST_CASE("proposals and sorting find the same heaviest edges first") {
  using Index = std::int32_t;
  std::mt19937 rng(15);
  for (int trial = 0; trial < 200; ++trial) {
    const auto graph = random_weighted<Index>(rng, 9, 8, 40, trial % 2 == 0);
    Interrupt interrupt;
    const detail::CoverFlags none{Flags(9, 0), Flags(8, 0)};
    const auto proposed = detail::heaviest_edges_first(graph.view(), none, interrupt);
    const auto sorted = detail::heaviest_first_by_sorting(graph.view(), none);
    CHECK(proposed.row_mate == sorted.row_mate);
    CHECK(proposed.size == sorted.size);
    const auto heavy = heavy_matching(graph.view());
    CHECK(is_valid(graph.graph.view(), heavy));
    CHECK(is_maximum(graph.graph.view(), heavy));
  }
}

TEST_CASE("claims that are not optimal are refused") {
  const reference::Graph<std::int32_t> graph{2, 2, {0, 2, 3}, {0, 1, 0}};
  const std::vector<double> weights{4, 3, 3};
  const WeightedCsrGraph<std::int32_t> edges{graph.view(), weights};
  const auto optimal = maximum_weight_matching(edges, true);
  CHECK(is_optimal(edges, optimal, 1e-12));
  auto claim = optimal;
  claim.row_dual[0] -= 1;
  CHECK_FALSE(is_optimal(edges, claim, 1e-12));
  claim = optimal;
  claim.col_dual.pop_back();
  CHECK_FALSE(is_optimal(edges, claim, 1e-12));
  claim = optimal;
  claim.row_dual[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(is_optimal(edges, claim, 1e-12));
  const std::vector<double> heavier{9, 3, 3};
  CHECK_FALSE(is_optimal(WeightedCsrGraph<std::int32_t>{graph.view(), heavier}, optimal, 1e-12));
}
