#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/breadth_first.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/pothen_fan.hpp>
#include <hankelmatch/matching/push_relabel.hpp>
#include <hankelmatch/portfolio/match.hpp>
#include <hankelmatch/portfolio/portfolio.hpp>
#include <hankelmatch/portfolio/search_in_turns.hpp>
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

// The later stages of the automatic choice, which small graphs do not reach. The rule starts from nothing.
enum class Stage : std::uint8_t { kRule, kRuleAndPushRelabel, kSearchesGivenUp, kGreedyRest };

template <class Index>
Matching<Index> later_stage(const CsrGraph<Index>& graph, const Matching<Index>& initial, Stage stage) {
  Interrupt interrupt;
  Matching<Index> matching = starting_matching(graph, initial);
  TransposeOnDemand<Index> transpose(graph, interrupt);
  const double most_passes =
      stage == Stage::kRule || stage == Stage::kGreedyRest ? SearchLimits::kMostPasses : 0;
  detail::Portfolio<Index> portfolio(graph, transpose, matching, matching.size == 0, interrupt, most_passes);
  const std::size_t least_forced = stage == Stage::kGreedyRest ? at(graph.n_rows) + 1 : 0;
  // The rule is not used where nothing is forced.
  if (stage == Stage::kSearchesGivenUp || !portfolio.match_by_rule(least_forced)) portfolio.run();
  return matching;
}

// Each search on its own, in rounds until no row is left that has to search again.
template <class Rounds, bool kLooksFarther = false, class Index>
Matching<Index> in_rounds(const CsrGraph<Index>& graph, const Matching<Index>& initial) {
  Interrupt interrupt;
  Matching<Index> matching = starting_matching(graph, initial);
  LookAhead<Index> look_ahead(graph, matching);
  Bitset closed(at(graph.n_cols));
  Rounds rounds(graph, look_ahead, matching, closed, interrupt);
  std::vector<Index> rows;
  for (Index row = 0; row < graph.n_rows; ++row)
    if (!matching.has_row(row)) rows.push_back(row);
  while (!rows.empty()) {
    const std::size_t n_before = rows.size();
    if (kLooksFarther) look_ahead.look_farther(no_interrupt());
    rounds.search_all(rows);
    REQUIRE(rows.size() < n_before);  // the first row that searches in a round is matched or a dead end
  }
  return matching;
}

template <class Index>
std::vector<Matcher<Index>> matchers() {
  using Graph = CsrGraph<Index>;
  using Initial = Matching<Index>;
  return {
      {"augmenting path", [](const Graph& g, const Initial& m) { return augmenting_path(g, {}, m); }},
      {"augmenting path, rows descending",
       [](const Graph& g, const Initial& m) { return augmenting_path(g, last_row_first(g.n_rows), m); }},
      {"Hopcroft-Karp", [](const Graph& g, const Initial& m) { return hopcroft_karp(g, m); }},
      {"push-relabel", [](const Graph& g, const Initial& m) { return push_relabel(g, m); }},
      {"automatic", [](const Graph& g, const Initial& m) { return match_automatically(g, m); }},
      {"automatic, searches given up",
       [](const Graph& g, const Initial& m) { return later_stage(g, m, Stage::kSearchesGivenUp); }},
      {"Karp-Sipser and searches",
       [](const Graph& g, const Initial& m) { return later_stage(g, m, Stage::kRule); }},
      {"Karp-Sipser where forced, greedy, searches",
       [](const Graph& g, const Initial& m) { return later_stage(g, m, Stage::kGreedyRest); }},
      {"Karp-Sipser and push-relabel",
       [](const Graph& g, const Initial& m) { return later_stage(g, m, Stage::kRuleAndPushRelabel); }},
      {"breadth-first rounds", &in_rounds<BreadthFirstRounds<Index>, false, Index>},
      {"breadth-first rounds, farther look-ahead", &in_rounds<BreadthFirstRounds<Index>, true, Index>},
      {"Pothen-Fan", &in_rounds<PothenFan<Index>, false, Index>},
  };
}

// Graphs too large for the reference, and so hard that the automatic choice gives up its first method: groups
// of rows, each joined at random to the columns of its own group and of the next.
template <class Index>
reference::Graph<Index> ring_of_groups(std::mt19937& rng, Index n_groups) {
  const Index size = 16;
  const Index n = n_groups * size;
  std::uniform_int_distribution<Index> column(0, 2 * size - 1);
  reference::Graph<Index> graph{n, n, {0}, {}, {}};
  for (Index row = 0; row < n; ++row) {
    for (int k = 0; k < 3; ++k) graph.indices.push_back((row / size * size + column(rng)) % n);
    reference::end_row(graph);
  }
  return graph;
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
      reference::check_maximum(graph.view(), matching);
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
      reference::check_maximum(edges.view(), matching);
    }
  }
}

// HANKELMATCH_FUZZ=100000 core_tests -tc="fuzz*" runs so many graphs with every matcher, each from its own
// seed.
TEST_CASE_TEMPLATE("fuzz: every matcher, on small graphs of many kinds", Index, std::int32_t, std::int64_t) {
  const char* const wanted = std::getenv("HANKELMATCH_FUZZ");
  const unsigned n_graphs = wanted == nullptr ? 150 : static_cast<unsigned>(std::stoul(wanted));
  for (unsigned seed = 0; seed < n_graphs; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(seed);
    const auto graph = reference::graph_of_some_kind<Index>(rng);
    const Index expected = reference::maximum_matching_size(graph.view());
    for (const auto& matcher : matchers<Index>()) {
      CAPTURE(matcher.name);
      const auto matching = matcher.run(graph.view(), {});
      REQUIRE(matching.size == expected);
      reference::check_maximum(graph.view(), matching);
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
      reference::check_maximum(graph.view(), matching);
    }
  }
}

TEST_CASE("a path of 200,000 nodes, deep for a search from its far end") {
  const std::int32_t n = 100'000;
  reference::Graph<std::int32_t> path{n, n, {0}, {}, {}};
  for (std::int32_t row = 0; row < n; ++row) {
    path.indices.push_back(row == n - 1 ? 0 : row);
    if (row < n - 1) path.indices.push_back(row + 1);
    reference::end_row(path);
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
    reference::check_maximum(graph.view(), expected);
    for (const auto& matcher : matchers<Index>()) {
      CAPTURE(matcher.name);
      const auto matching = matcher.run(graph.view(), {});
      CHECK(matching.size == expected.size);
      reference::check_maximum(graph.view(), matching);
    }
  }
}

TEST_CASE("is_valid refuses what is not a matching of the graph") {
  const auto graph = reference::from_edges<int>(2, 2, {{0, 0}, {1, 0}, {1, 1}});
  Matching<int> matching(2, 2);
  CHECK(is_valid(graph.view(), matching));
  matching.join(0, 1);
  CHECK_FALSE(is_valid(graph.view(), matching));  // no such edge
  matching = Matching<int>(2, 2);
  matching.join(0, 0);
  matching.col_mate[1] = 1;
  CHECK_FALSE(is_valid(graph.view(), matching));  // a column claims a row that does not claim it
  CHECK_FALSE(is_valid(graph.view(), Matching<int>(2, 3)));
}

TEST_CASE("every matcher stops when asked to") {
  Interrupt stop([] { throw std::runtime_error("stop"); });
  const std::int32_t n = 600;
  reference::Graph<std::int32_t> complete{n, n, {0}, {}, {}};
  for (std::int32_t row = 0; row < n; ++row) {
    for (std::int32_t col = 0; col < n; ++col) complete.indices.push_back(col);
    reference::end_row(complete);
  }
  for (const auto* method : {"auto", "augmenting-path", "hopcroft-karp", "push-relabel"}) {
    CHECK_THROWS_AS(match(complete.view(), method, {}, stop), std::runtime_error);
  }
}

TEST_CASE("an unknown method is refused by name") {
  const auto graph = reference::from_edges<int>(1, 1, {{0, 0}});
  CHECK_THROWS_WITH_AS(match(graph.view(), "magic"), doctest::Contains("method"), std::invalid_argument);
}
