#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment/cheapest_edges.hpp>
#include <hankelmatch/assignment/full_assignment.hpp>
#include <hankelmatch/assignment/lazy_assignment.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <limits>
#include <random>

#include "reference_weighted_matching.hpp"

using namespace hankelmatch;

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
    const auto graph = reference::random_weighted<Index>(rng, n_rows, n_cols, 80, trial % 2 == 0);
    const CsrGraph<Index> rows = graph.graph.view();
    const auto for_each_edge = [&](const auto& visit) {
      for (Index r = 0; r < n_rows; ++r) {
        const std::size_t begin = at(rows.begin(r));
        for (std::size_t i = 0; i < rows.row(r).size(); ++i)
          visit(r, -graph.weights[begin + i], rows.row(r)[i]);
      }
    };
    FullAssignment<Index> full(rows, graph.weights, n_rows == n_cols, interrupt);
    const double all_read = solve(full, for_each_edge, n_rows, n_rows == n_cols);
    const auto copied = collect_edges<Index>(n_rows, n_cols, [&](const auto& visit) {
      for_each_edge([&](Index r, double cost, Index col) { visit(r, col, -cost); });
    });
    FullAssignment<Index> of_copy(copied.view(), copied.data, false, interrupt);
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
