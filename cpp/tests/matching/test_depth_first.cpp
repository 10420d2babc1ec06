#include <doctest/doctest.h>

#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

TEST_CASE("only rows in the order are tried") {
  const auto graph = reference::from_edges<int>(3, 3, {{0, 0}, {1, 1}, {2, 2}});
  const std::vector<int> order{2, 1};
  const auto matching = augmenting_path(graph.view(), order);
  CHECK(matching.row_mate == Mates<int>{-1, 1, 2});
}
