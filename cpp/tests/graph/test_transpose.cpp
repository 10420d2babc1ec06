#include <doctest/doctest.h>

#include <algorithm>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

TEST_CASE("a transposed graph has the same edges; the rows of each column ascend") {
  const auto graph = reference::from_edges<int>(3, 4, {{0, 2}, {0, 0}, {2, 2}, {1, 2}, {2, 2}});
  Interrupt interrupt;
  const auto transposed_graph = transpose(graph.view(), interrupt);
  CHECK(transposed_graph.n_rows == 4);
  CHECK(transposed_graph.n_cols == 3);
  CHECK(transposed_graph.indptr == std::vector<int>{0, 1, 1, 5, 5});
  CHECK(transposed_graph.indices == std::vector<int>{0, 0, 1, 2, 2});
  TransposeOnDemand<int> on_demand(graph.view(), interrupt);
  CHECK(std::ranges::equal(on_demand.view().indptr, transposed_graph.indptr));
  CHECK(std::ranges::equal(on_demand.view().indices, transposed_graph.indices));
}
