#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment/cheapest_edges.hpp>
#include <hankelmatch/base/index.hpp>
#include <random>
#include <utility>
#include <vector>

using namespace hankelmatch;

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
      for (Index c = 0; c < 300; ++c) visit(r, costs[at(r)][at(c)], c);
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
