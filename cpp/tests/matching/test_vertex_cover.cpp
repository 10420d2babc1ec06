#include <doctest/doctest.h>

#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <stdexcept>

#include "reference_matching.hpp"

using namespace hankelmatch;

TEST_CASE("a matching that is not maximum has no cover, and is_vertex_cover refuses what is none") {
  const auto graph = reference::from_edges<int>(2, 2, {{0, 0}, {1, 0}, {1, 1}});
  const Matching<int> matching(2, 2);
  CHECK_FALSE(is_maximum(graph.view(), matching));
  CHECK_THROWS_AS(minimum_vertex_cover(graph.view(), matching), std::invalid_argument);
  CHECK(is_vertex_cover(graph.view(), VertexCover<int>{{1}, {0}}));
  CHECK_FALSE(is_vertex_cover(graph.view(), VertexCover<int>{{1}, {}}));
}
