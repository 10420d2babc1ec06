#include <doctest/doctest.h>

#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

TEST_CASE("only rows in the order are tried") {
  const auto graph = reference::from_edges<int>(3, 3, {{0, 0}, {1, 1}, {2, 2}});
  const std::vector<int> order{2, 1};
  const auto matching = augmenting_path(graph.view(), order);
  CHECK(matching.row_mate == Mates<int>{-1, 1, 2});
}

TEST_CASE("rows whose columns failed searches have visited are passed by, either way") {
  // Rows 0 to 2 share two columns, so one of them fails; rows 3 to 2999 see these columns only, or none; row
  // 3000 has a column of its own.
  std::vector<std::pair<int, int>> edges;
  for (int row = 0; row < 3000; ++row) {
    if (row % 5 == 4) continue;
    edges.emplace_back(row, row % 2);
    if (row < 3) edges.emplace_back(row, 1 - row % 2);
  }
  edges.emplace_back(3000, 2);
  const auto graph = reference::from_edges<int>(3001, 3, edges);
  const auto view = graph.view();
  Matching<int> matching(3001, 3);
  DepthFirstSearch search(view, matching, no_interrupt());
  CHECK(search.next_with_a_way(3000, -1, -1) == 3000);  // no search has failed yet, but row 4 has no edge
  CHECK(search.next_with_a_way(4, 3001, 1) == 5);
  CHECK(search.match_row(0));
  CHECK(search.match_row(1));
  CHECK_FALSE(search.match_row(2));
  CHECK(search.next_with_a_way(0, 3001, 1) == 3000);
  CHECK(search.next_with_a_way(0, 3000, 1) == 3000);
  CHECK(search.next_with_a_way(2999, -1, -1) == -1);
  CHECK(search.match_row(3000));
  CHECK(search.next_with_a_way(3000, -1, -1) == -1);
  CHECK(matching.size == 3);
}
