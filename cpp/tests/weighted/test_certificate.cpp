#include <doctest/doctest.h>

#include <cstdint>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <limits>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

TEST_CASE("claims that are not optimal are refused") {
  const reference::Graph<std::int32_t> graph{2, 2, {0, 2, 3}, {0, 1, 0}, {}};
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
