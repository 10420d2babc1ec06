// The most or the heaviest edges within capacities, against all sets of edges of small graphs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/exchange/capacities_by_size.hpp>
#include <hankelmatch/exchange/capacities_by_weight.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "random_graph.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
std::vector<Index> random_capacities(std::mt19937& random, Index n) {
  std::vector<Index> capacities(at(n));
  for (Index& capacity : capacities) capacity = static_cast<Index>(random() % 4);
  return capacities;
}

/// Each row has up to 4 of the columns, all of weight 1.
CsrMatrix<int> sparse_graph(std::mt19937& random, int n_rows, int n_cols) {
  CsrMatrix<int> graph{n_rows, n_cols, {0}, {}, {}};
  for (int row = 0; row < n_rows; ++row) {
    std::set<int> cols;
    for (int i = 0; i < 4; ++i) cols.insert(static_cast<int>(random() % static_cast<unsigned>(n_cols)));
    graph.indices.insert(graph.indices.end(), cols.begin(), cols.end());
    graph.indptr.push_back(static_cast<int>(graph.indices.size()));
  }
  graph.data.assign(graph.indices.size(), 1.0);
  return graph;
}

/// A bit for each chosen edge.
std::uint32_t as_bits(const std::vector<std::uint8_t>& chosen) {
  std::uint32_t bits = 0;
  for (std::size_t edge = 0; edge < chosen.size(); ++edge)
    bits |= static_cast<std::uint32_t>(chosen[edge]) << edge;
  return bits;
}

/// The count and weight of a set of edges, a bit each; a count of -1 if it is not within the capacities.
template <class Index>
CountedWeight worth(const CsrMatrix<Index>& graph, std::vector<Index> rows, std::vector<Index> cols,
                    std::uint32_t edges) {
  CountedWeight sum;
  std::size_t edge = 0;
  bool fits = true;
  graph.weighted_view().for_each_edge(no_interrupt(), [&](Index row, Index col, double weight) {
    if ((edges >> edge++ & 1U) == 0) return;
    sum = sum + CountedWeight{1, weight};
    fits = fits && --rows[at(row)] >= 0;
    fits = fits && --cols[at(col)] >= 0;
  });
  return fits ? sum : CountedWeight{-1, 0};
}

}  // namespace

TEST_CASE_TEMPLATE("edges within capacities are the heaviest, of any size or the largest", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    const auto graph =
        random_graph<Index>(random, static_cast<Index>(random() % 4), static_cast<Index>(random() % 5));
    const auto rows = random_capacities(random, graph.n_rows);
    const auto cols = random_capacities(random, graph.n_cols);
    const bool maximum_size = random() % 2 == 0;
    const auto found =
        match_within_capacities<Index>(graph.weighted_view(), rows, cols, maximum_size, no_interrupt());
    const auto comparable = [&](CountedWeight sum) {
      return maximum_size || sum.count < 0 ? sum : CountedWeight{0, sum.weight};
    };
    CountedWeight best;
    for (std::uint32_t edges = 0; edges < 1U << graph.indices.size(); ++edges)
      best = std::max(best, comparable(worth(graph, rows, cols, edges)));
    CHECK(comparable(worth(graph, rows, cols, as_bits(found.chosen))) == best);
    if (!maximum_size) continue;
    const auto largest = largest_within_capacities<Index>(graph.view(), rows, cols);
    CHECK(worth(graph, rows, cols, as_bits(largest)).count == best.count);
  }
}

TEST_CASE("large graphs: as many edges by size as by weight where all weigh the same") {
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    const auto graph = sparse_graph(random, 300, 200);
    const auto rows = random_capacities(random, graph.n_rows);
    const auto cols = random_capacities(random, graph.n_cols);
    const auto largest = largest_within_capacities<int>(graph.view(), rows, cols);
    const auto heaviest = match_within_capacities<int>(graph.weighted_view(), rows, cols, true);
    CHECK(std::ranges::count(largest, 1) == std::ranges::count(heaviest.chosen, 1));
    std::vector<int> in_row(rows.size());
    std::vector<int> in_col(cols.size());
    std::size_t edge = 0;
    graph.weighted_view().for_each_edge(no_interrupt(), [&](int row, int col, double) {
      in_row[at(row)] += largest[edge];
      in_col[at(col)] += largest[edge++];
    });
    CHECK(std::ranges::equal(in_row, rows, std::less_equal<>{}));
    CHECK(std::ranges::equal(in_col, cols, std::less_equal<>{}));
  }
}

TEST_CASE("capacities that do not fit are refused") {
  const CsrMatrix<int> graph{1, 2, {0, 2}, {0, 1}, {1.0, 2.0}};
  const std::vector<int> one{1};
  const std::vector<int> negative{1, -1};
  CHECK_THROWS_AS((void)match_within_capacities<int>(graph.weighted_view(), one, one, true),
                  std::invalid_argument);
  CHECK_THROWS_AS((void)match_within_capacities<int>(graph.weighted_view(), one, negative, true),
                  std::invalid_argument);
  CHECK_THROWS_AS((void)largest_within_capacities<int>(graph.view(), one, negative), std::invalid_argument);
}
