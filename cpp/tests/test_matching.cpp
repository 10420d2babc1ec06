#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <hankelmatch/augmenting_path.hpp>
#include <hankelmatch/hopcroft_karp.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/vertex_cover.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
struct Matcher {
  std::string name;
  std::function<Matching<Index>(const CsrGraph<Index>&, const Matching<Index>&)> run;
};

template <class Index>
std::vector<Matcher<Index>> matchers() {
  using Graph = CsrGraph<Index>;
  using Initial = Matching<Index>;
  return {
      {"augmenting path", [](const Graph& g, const Initial& m) { return augmenting_path(g, {}, m); }},
      {"augmenting path, rows descending",
       [](const Graph& g, const Initial& m) {
         return augmenting_path(g, std::views::iota(Index{0}, g.n_rows) | std::views::reverse, m);
       }},
      {"Hopcroft-Karp", [](const Graph& g, const Initial& m) { return hopcroft_karp(g, m); }},
  };
}

template <class Index>
void check_maximum(const CsrGraph<Index>& graph, const Matching<Index>& matching) {
  CHECK(is_valid(graph, matching));
  CHECK(is_maximum(graph, matching));
  const VertexCover<Index> cover = minimum_vertex_cover(graph, matching);
  CHECK(is_vertex_cover(graph, cover));
  CHECK(std::cmp_equal(cover.size(), matching.size));
}

}  // namespace

TEST_CASE_TEMPLATE("every matcher finds a maximum matching of random graphs", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(7);
  for (int trial = 0; trial < 400; ++trial) {
    std::uniform_int_distribution<Index> side(0, trial < 200 ? 6 : 40);
    std::uniform_int_distribution<Index> edges(0, trial < 200 ? 20 : 120);
    const auto graph = reference::random_graph<Index>(rng, side(rng), side(rng), edges(rng));
    const Index expected = reference::maximum_matching_size(graph.view());
    for (const auto& matcher : matchers<Index>()) {
      CAPTURE(matcher.name);
      const auto matching = matcher.run(graph.view(), {});
      CHECK(matching.size == expected);
      check_maximum(graph.view(), matching);
    }
  }
}

TEST_CASE_TEMPLATE("every matcher goes on from a matching of a changed graph", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(8);
  for (int trial = 0; trial < 200; ++trial) {
    const auto before = reference::random_graph<Index>(rng, 25, 30, 60);
    auto edges = reference::random_graph<Index>(rng, 25, 30, 60);
    edges.indices = before.indices;  // the same columns, cut into other rows: some pairs are no longer edges
    for (const auto& matcher : matchers<Index>()) {
      CAPTURE(matcher.name);
      const auto matching = matcher.run(edges.view(), matcher.run(before.view(), {}));
      CHECK(matching.size == reference::maximum_matching_size(edges.view()));
      check_maximum(edges.view(), matching);
    }
  }
}

TEST_CASE("an initial matching of another graph's shape is refused") {
  const auto graph = reference::from_edges<int>(2, 2, {{0, 0}});
  Matching<int> inconsistent(2, 2);
  inconsistent.row_mate[0] = 1;
  for (const auto& matcher : matchers<int>()) {
    CHECK_THROWS_AS(matcher.run(graph.view(), Matching<int>(2, 3)), std::invalid_argument);
    CHECK_THROWS_AS(matcher.run(graph.view(), inconsistent), std::invalid_argument);
  }
}

TEST_CASE("degenerate shapes") {
  for (const auto& [n_rows, n_cols] : {std::pair{0, 0}, {0, 3}, {3, 0}, {3, 3}}) {
    const auto graph = reference::from_edges<int>(n_rows, n_cols, {});
    for (const auto& matcher : matchers<int>()) {
      const auto matching = matcher.run(graph.view(), {});
      CHECK(matching.size == 0);
      check_maximum(graph.view(), matching);
    }
  }
}

TEST_CASE("a path of 200,000 nodes, deep for a search from its far end") {
  const std::int32_t n = 100'000;
  reference::Graph<std::int32_t> path{n, n, {0}, {}};
  for (std::int32_t row = 0; row < n; ++row) {
    path.indices.push_back(row == n - 1 ? 0 : row);
    if (row < n - 1) path.indices.push_back(row + 1);
    path.indptr.push_back(static_cast<std::int32_t>(path.indices.size()));
  }
  for (const auto& matcher : matchers<std::int32_t>()) {
    CAPTURE(matcher.name);
    CHECK(matcher.run(path.view(), {}).size == n);
  }
}

TEST_CASE("only rows in the order are tried") {
  const auto graph = reference::from_edges<int>(3, 3, {{0, 0}, {1, 1}, {2, 2}});
  const std::vector<int> order{2, 1};
  const auto matching = augmenting_path(graph.view(), order);
  CHECK(matching.row_mate == std::vector<int>{-1, 1, 2});
}

TEST_CASE("what is not a matching, not maximum or not a cover is told apart") {
  const auto graph = reference::from_edges<int>(2, 2, {{0, 0}, {1, 0}, {1, 1}});
  Matching<int> matching(2, 2);
  CHECK(is_valid(graph.view(), matching));
  CHECK_FALSE(is_maximum(graph.view(), matching));
  CHECK_THROWS_AS(minimum_vertex_cover(graph.view(), matching), std::invalid_argument);

  matching.join(0, 1);
  CHECK_FALSE(is_valid(graph.view(), matching));  // no such edge
  matching = Matching<int>(2, 2);
  matching.join(0, 0);
  matching.col_mate[1] = 1;
  CHECK_FALSE(is_valid(graph.view(), matching));  // a column claims a row that does not claim it
  CHECK_FALSE(is_valid(graph.view(), Matching<int>(2, 3)));

  CHECK(is_vertex_cover(graph.view(), VertexCover<int>{{1}, {0}}));
  CHECK_FALSE(is_vertex_cover(graph.view(), VertexCover<int>{{1}, {}}));
}

TEST_CASE("every matcher stops when asked to") {
  const auto stop = [] { throw std::runtime_error("stop"); };
  const std::int32_t n = 300;
  reference::Graph<std::int32_t> complete{n, n, {0}, {}};
  for (std::int32_t row = 0; row < n; ++row) {
    for (std::int32_t col = 0; col < n; ++col) complete.indices.push_back(col);
    complete.indptr.push_back(static_cast<std::int32_t>(complete.indices.size()));
  }
  CHECK_THROWS_AS(augmenting_path(complete.view(), {}, {}, Interrupt(stop)), std::runtime_error);
  CHECK_THROWS_AS(hopcroft_karp(complete.view(), {}, Interrupt(stop)), std::runtime_error);
}
