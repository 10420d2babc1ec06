#include <doctest/doctest.h>

#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/greedy_heavy.hpp>
#include <random>

#include "reference_weighted_matching.hpp"

using namespace hankelmatch;

TEST_CASE("proposals and sorting find the same heaviest edges first") {
  using Index = std::int32_t;
  std::mt19937 rng(15);
  for (int trial = 0; trial < 200; ++trial) {
    const auto graph = reference::random_weighted<Index>(rng, 9, 8, 40, trial % 2 == 0);
    Interrupt interrupt;
    const auto proposed = detail::heaviest_edges_first(graph.view(), interrupt);
    const auto sorted = detail::heaviest_first_by_sorting(graph.view(), interrupt);
    CHECK(proposed.row_mate == sorted.row_mate);
    CHECK(proposed.size == sorted.size);
    const auto heavy = heavy_matching(graph.view());
    CHECK(is_valid(graph.graph.view(), heavy));
    CHECK(is_maximum(graph.graph.view(), heavy));
  }
}
