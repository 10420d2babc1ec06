// Ranked matchings and warm starts against all matchings of small graphs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/exchange/ranked_matchings.hpp>
#include <hankelmatch/exchange/rematch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <random>
#include <set>
#include <vector>

#include "random_graph.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
double weight_of(const CsrMatrix<Index>& graph, const std::vector<Index>& row_mate) {
  double sum = 0;
  graph.weighted_view().for_each_edge(no_interrupt(), [&](Index row, Index col, double weight) {
    if (row_mate[at(row)] == col) sum += weight;
  });
  return sum;
}

/// The column of each row in every matching, rows one after the other.
template <class Index>
std::vector<std::vector<Index>> all_matchings(const CsrMatrix<Index>& graph) {
  std::vector<std::vector<Index>> found{{}};
  for (Index row = 0; row < graph.n_rows; ++row) {
    std::vector<std::vector<Index>> longer;
    for (const auto& mates : found) {
      longer.push_back(mates);
      longer.back().push_back(kUnmatched);
      for (const Index col : graph.view().row(row)) {
        if (std::ranges::find(mates, col) != mates.end()) continue;
        longer.push_back(mates);
        longer.back().push_back(col);
      }
    }
    found = longer;
  }
  return found;
}

template <class Index>
auto size_of(const std::vector<Index>& mates) {
  return static_cast<Index>(std::ranges::count_if(mates, [](Index col) { return col != kUnmatched; }));
}

}  // namespace

TEST_CASE_TEMPLATE("every maximum matching comes once, by weight", Index, std::int32_t, std::int64_t) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const auto graph =
        random_graph<Index>(random, static_cast<Index>(1 + random() % 4), static_cast<Index>(random() % 5));
    auto expected = all_matchings(graph);
    Index most = 0;
    for (const auto& mates : expected) most = std::max(most, size_of(mates));
    std::erase_if(expected, [&](const auto& mates) { return size_of(mates) < most; });
    const auto first = maximum_weight_matching(graph.weighted_view(), true);
    RankedMatchings<Index> ranking(graph.weighted_view(), first);
    std::set<std::vector<Index>> found;
    double last = std::numeric_limits<double>::infinity();
    for (auto mates = ranking.next(); !mates.empty(); mates = ranking.next()) {
      const std::vector<Index> plain(mates.begin(), mates.end());
      CHECK(weight_of(graph, plain) <= last + 1e-9);
      last = weight_of(graph, plain);
      CHECK(found.insert(plain).second);
    }
    CHECK(found == std::set<std::vector<Index>>(expected.begin(), expected.end()));
    CHECK(ranking.next().empty());
  }
}

TEST_CASE_TEMPLATE("a warm start from another graph's matching is as good as a cold one", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto n_rows = static_cast<Index>(random() % 6);
    const auto n_cols = static_cast<Index>(random() % 6);
    const auto before = random_graph<Index>(random, n_rows, n_cols);
    const auto after = random_graph<Index>(random, n_rows, n_cols);
    const auto start = maximum_weight_matching(before.weighted_view(), random() % 2 == 0);
    const bool maximum_cardinality = random() % 2 == 0;
    const auto cold = maximum_weight_matching(after.weighted_view(), maximum_cardinality);
    const auto warm = rematch(after.weighted_view(), start, maximum_cardinality, 0.0);
    CHECK(is_optimal(after.weighted_view(), warm, 1e-9));
    CHECK((!maximum_cardinality || warm.matching.size == cold.matching.size));
    if (!maximum_cardinality) CHECK(warm.cardinality_dual == 0);
  }
}

TEST_CASE("a warm start of another shape is refused") {
  std::mt19937 random(3);
  const auto graph = random_graph<std::int32_t>(random, 2, 3);
  const auto other = random_graph<std::int32_t>(random, 3, 3);
  const auto start = maximum_weight_matching(other.weighted_view(), true);
  CHECK_THROWS_AS((void)rematch(graph.weighted_view(), start, true, 0.0), std::invalid_argument);
}
