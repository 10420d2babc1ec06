#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <hankelmatch/augmenting_path.hpp>
#include <hankelmatch/automatic.hpp>
#include <hankelmatch/hopcroft_karp.hpp>
#include <hankelmatch/karp_sipser.hpp>
#include <hankelmatch/match.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/push_relabel.hpp>
#include <hankelmatch/transpose.hpp>
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

// The later stages of the automatic choice, which small graphs do not come to. They start from nothing.
template <class Index>
Matching<Index> by_rule(const CsrGraph<Index>& graph, const Matching<Index>& initial, std::uint64_t budget) {
  Interrupt interrupt;
  Matching<Index> matching = starting_matching(graph, initial);
  TransposeOnDemand<Index> transpose(graph, interrupt);
  detail::match_by_rule(graph, transpose, matching, budget, interrupt);
  return matching;
}

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
      {"push-relabel", [](const Graph& g, const Initial& m) { return push_relabel(g, m); }},
      {"automatic", [](const Graph& g, const Initial& m) { return match_automatically(g, m); }},
      {"Karp-Sipser and Pothen-Fan", [](const Graph& g, const Initial& m) { return by_rule(g, m, 1 << 30); }},
      {"Karp-Sipser and push-relabel", [](const Graph& g, const Initial& m) { return by_rule(g, m, 0); }},
  };
}

// Graphs that are too large for the reference, and hard enough for the automatic choice to give up its first
// method: groups of rows, each joined at random to the columns of its own group and of the next.
template <class Index>
reference::Graph<Index> ring_of_groups(std::mt19937& rng, Index n_groups) {
  const Index size = 16;
  const Index n = n_groups * size;
  std::uniform_int_distribution<Index> column(0, 2 * size - 1);
  reference::Graph<Index> graph{n, n, {0}, {}};
  for (Index row = 0; row < n; ++row) {
    for (int k = 0; k < 3; ++k) graph.indices.push_back((row / size * size + column(rng)) % n);
    graph.indptr.push_back(static_cast<Index>(graph.indices.size()));
  }
  return graph;
}

// Rows of up to twice this degree, at random.
template <class Index>
reference::Graph<Index> random_rows(std::mt19937& rng, Index n_rows, Index n_cols, Index degree) {
  std::uniform_int_distribution<Index> size(0, 2 * degree);
  std::uniform_int_distribution<Index> column(0, n_cols - 1);
  reference::Graph<Index> graph{n_rows, n_cols, {0}, {}};
  for (Index row = 0; row < n_rows; ++row) {
    for (Index k = size(rng); k > 0; --k) graph.indices.push_back(column(rng));
    graph.indptr.push_back(static_cast<Index>(graph.indices.size()));
  }
  return graph;
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

TEST_CASE_TEMPLATE("all matchers agree on larger graphs", Index, std::int32_t, std::int64_t) {
  std::mt19937 rng(10);
  for (const Index n_groups : {5, 50, 200}) {
    const auto graph = ring_of_groups<Index>(rng, n_groups);
    const auto expected = hopcroft_karp(graph.view());
    check_maximum(graph.view(), expected);
    for (const auto& matcher : matchers<Index>()) {
      CAPTURE(matcher.name);
      const auto matching = matcher.run(graph.view(), {});
      CHECK(matching.size == expected.size);
      check_maximum(graph.view(), matching);
    }
  }
}

// Tall, wide and square; of low and high degree; with few columns, or rows, that have most edges: what the
// automatic choice tells apart.
TEST_CASE_TEMPLATE("the automatic choice is right on graphs of every shape", Index, std::int32_t,
                   std::int64_t) {
  struct Shape {
    Index n_rows, n_cols, degree;
  };
  std::mt19937 rng(11);
  for (const Shape& shape : {Shape{3000, 3000, 2}, Shape{3000, 3000, 5}, Shape{20000, 20000, 3},
                             Shape{4000, 1500, 2}, Shape{1500, 4000, 3}, Shape{2000, 2000, 40}}) {
    auto graph = random_rows(rng, shape.n_rows, shape.n_cols, shape.degree);
    const auto expected = hopcroft_karp(graph.view());
    const auto matching = match_automatically(graph.view());
    CHECK(matching.size == expected.size);
    check_maximum(graph.view(), matching);
    Interrupt interrupt;
    const auto columns = transpose(graph.view(), interrupt);
    check_maximum(columns.view(), match_automatically(columns.view()));
    // Half of the edges to the first twentieth of the columns, and the same transposed: skewed.
    for (std::size_t i = 0; i < graph.indices.size(); i += 2) graph.indices[i] %= graph.n_cols / 20;
    check_maximum(graph.view(), match_automatically(graph.view()));
    const auto skewed = transpose(graph.view(), interrupt);
    check_maximum(skewed.view(), match_automatically(skewed.view()));
  }
}

TEST_CASE("only rows in the order are tried") {
  const auto graph = reference::from_edges<int>(3, 3, {{0, 0}, {1, 1}, {2, 2}});
  const std::vector<int> order{2, 1};
  const auto matching = augmenting_path(graph.view(), order);
  CHECK(matching.row_mate == Mates<int>{-1, 1, 2});
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
  const std::int32_t n = 600;
  reference::Graph<std::int32_t> complete{n, n, {0}, {}};
  for (std::int32_t row = 0; row < n; ++row) {
    for (std::int32_t col = 0; col < n; ++col) complete.indices.push_back(col);
    complete.indptr.push_back(static_cast<std::int32_t>(complete.indices.size()));
  }
  for (const auto* method : {"auto", "augmenting-path", "hopcroft-karp", "push-relabel"}) {
    CHECK_THROWS_AS(match(complete.view(), method, {}, Interrupt(stop)), std::runtime_error);
  }
}

TEST_CASE("an unknown method is refused by name") {
  const auto graph = reference::from_edges<int>(1, 1, {{0, 0}});
  CHECK_THROWS_WITH_AS(match(graph.view(), "magic"), doctest::Contains("method"), std::invalid_argument);
}

TEST_CASE_TEMPLATE("Karp and Sipser's rule is right, and enough on forests", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(9);
  Interrupt interrupt;
  for (int trial = 0; trial < 200; ++trial) {
    const auto graph = reference::random_graph<Index>(rng, 20, 25, 30);
    const auto part = karp_sipser(graph.view(), interrupt);
    CHECK(is_valid(graph.view(), part));
    // Taking only forced edges loses nothing: the largest matching that keeps to them is a maximum one.
    CHECK(hopcroft_karp(graph.view(), part).size == reference::maximum_matching_size(graph.view()));
  }
  for (int trial = 0; trial < 50;
       ++trial) {  // every node but the first hangs on an earlier one of the other side
    std::vector<std::pair<Index, Index>> edges;
    for (Index node = 1; node < 30; ++node) {
      const Index earlier =
          std::uniform_int_distribution<Index>(0, (node - 1) / 2)(rng) * 2 + (node % 2 == 0 ? 1 : 0);
      if (earlier >= node) continue;
      edges.emplace_back((node % 2 == 0 ? node : earlier) / 2, (node % 2 == 0 ? earlier : node) / 2);
    }
    const auto tree = reference::from_edges<Index>(15, 15, edges);
    CHECK(karp_sipser(tree.view(), interrupt).size == reference::maximum_matching_size(tree.view()));
  }
}

TEST_CASE_TEMPLATE("Karp and Sipser's rule does the same with nodes of any size", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(10);
  Interrupt interrupt;
  const auto mates = [&](auto& rule) {
    REQUIRE(rule.count_neighbours());
    rule.match_forced();
    rule.match_rest();
    Matching<Index> matching;
    matching.row_mate.assign(60, 0);
    matching.col_mate.assign(70, 0);
    rule.write(matching);
    return matching.row_mate;
  };
  for (int trial = 0; trial < 50; ++trial) {
    const auto graph = reference::random_graph<Index>(rng, 60, 70, 130);
    TransposeOnDemand<Index> transpose(graph.view(), interrupt);
    KarpSipser<Index, detail::PackedNodes> packed(graph.view(), transpose, interrupt);
    KarpSipser<Index, detail::WideNodes<Index>> wide(graph.view(), transpose, interrupt);
    CHECK(mates(packed) == mates(wide));
  }
}

TEST_CASE("large graphs, on two threads, have the same matching every time, and stop when asked to") {
  std::mt19937 rng(11);
  const auto graph = reference::random_graph<int>(rng, 400'000, 400'000, 1'200'000);
  const auto matching = match(graph.view(), "auto");
  CHECK(is_maximum(graph.view(), matching));
  CHECK(match(graph.view(), "auto").row_mate == matching.row_mate);
  int n_checks = 0;
  const auto stop = [&] {
    if (++n_checks == 12) throw std::runtime_error("stopped");
  };
  CHECK_THROWS_AS(match(graph.view(), "auto", {}, Interrupt(stop)), std::runtime_error);
}

TEST_CASE("Karp and Sipser's rule counts more neighbours than 32 bits have room for beside an id") {
  constexpr int kRows = 1 << 20;
  Interrupt interrupt;
  for (const int degree : {1023, 1024, 2047, 2048, 2049, 5000}) {
    CAPTURE(degree);
    std::vector<std::pair<int, int>> edges;
    edges.reserve(static_cast<std::size_t>(degree) + 1);
    for (int row = 0; row < degree; ++row) edges.emplace_back(row, 1);
    edges.emplace_back(0, 0);  // the star's own column is the only one of all other rows
    const auto star = reference::from_edges<int>(kRows, 2, edges);
    CHECK(karp_sipser(star.view(), interrupt).size == 2);
    const auto transposed_star = transpose(star.view(), interrupt);
    CHECK(karp_sipser(transposed_star.view(), interrupt).size == 2);
  }
}

TEST_CASE("a transposed graph has the same edges, those of a column by increasing row") {
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
