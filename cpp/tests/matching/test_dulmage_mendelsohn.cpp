#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/dulmage_mendelsohn.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
std::vector<Index> places(const std::vector<Index>& order) {
  std::vector<Index> place(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<Index>(i);
  return place;
}

template <class Index>
std::size_t interval(const std::vector<Index>& ends, Index place) {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, place) - ends.begin()) - 1;
}

// Which rows of the square part reach which others, by repeated squaring of a table.
template <class Index>
std::vector<std::vector<bool>> reachability(const CsrGraph<Index>& graph, const Matching<Index>& matching) {
  const auto n = at(graph.n_rows);
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (std::size_t i = 0; i < n; ++i) {
    reach[i][i] = true;
    for (const Index col : graph.row(static_cast<Index>(i))) {
      const Index mate = matching.col_mate[at(col)];
      if (mate != kUnmatched) reach[i][at(mate)] = true;
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
      }
    }
  }
  return reach;
}

template <class Index>
void check_decomposition(const CsrGraph<Index>& graph) {
  const auto matching = hopcroft_karp(graph);
  const auto dm = dulmage_mendelsohn(graph, matching);
  const auto row_place = places(dm.row_order);
  const auto col_place = places(dm.col_order);
  REQUIRE(std::cmp_equal(dm.row_order.size(), graph.n_rows));
  REQUIRE(std::cmp_equal(dm.col_order.size(), graph.n_cols));
  CHECK(std::ranges::find(row_place, -1) == row_place.end());
  CHECK(std::ranges::find(col_place, -1) == col_place.end());
  CHECK(dm.row_parts.back() == graph.n_rows);
  CHECK(dm.col_parts.back() == graph.n_cols);
  CHECK(dm.row_blocks.front() == 0);
  CHECK(dm.col_blocks.front() == 0);
  CHECK(dm.row_blocks.back() == graph.n_rows);
  CHECK(dm.col_blocks.back() == graph.n_cols);

  // Columns of parts C1, C2, C3 are the mates, in order, of the rows of R0, R1, R2.
  for (std::size_t part = 0; part < 3; ++part) {
    REQUIRE(dm.row_parts[part + 1] - dm.row_parts[part] == dm.col_parts[part + 2] - dm.col_parts[part + 1]);
  }
  for (Index i = 0; i < dm.row_parts[3]; ++i) {
    const Index row = dm.row_order[at(i)];
    CHECK(matching.row_mate[at(row)] == dm.col_order[at(i + dm.col_parts[1])]);
  }
  CHECK(dm.row_parts[3] == matching.size);
  CHECK((dm.col_parts[1] > 0 || dm.row_parts[1] == 0));  // no wide part without free columns
  CHECK((dm.row_parts[4] > dm.row_parts[3] ||
         dm.col_parts[3] == graph.n_cols));  // no tall part without free rows

  // Block upper triangular, coarsely and finely. Nothing but A23 and A33 is in the last rows and columns'
  // parts.
  const auto reach = reachability(graph, matching);
  const std::vector<Index> coarse_rows{0, dm.row_parts[1], dm.row_parts[2]};
  const std::vector<Index> coarse_cols{0, dm.col_parts[2], dm.col_parts[3]};
  for (Index row = 0; row < graph.n_rows; ++row) {
    const Index r = row_place[at(row)];
    for (const Index col : graph.row(row)) {
      const Index c = col_place[at(col)];
      CHECK(interval(coarse_rows, r) <= interval(coarse_cols, c));
      CHECK(interval(dm.row_blocks, r) <= interval(dm.col_blocks, c));
    }
  }
  // Rows of the square part share a block exactly if each reaches the other.
  for (Index i = dm.row_parts[1]; i < dm.row_parts[2]; ++i) {
    for (Index j = dm.row_parts[1]; j < dm.row_parts[2]; ++j) {
      const auto a = at(dm.row_order[at(i)]);
      const auto b = at(dm.row_order[at(j)]);
      CHECK((interval(dm.row_blocks, i) == interval(dm.row_blocks, j)) == (reach[a][b] && reach[b][a]));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("the block triangular form of random matrices", Index, std::int32_t, std::int64_t) {
  std::mt19937 rng(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::uniform_int_distribution<Index> side(0, 9);
    std::uniform_int_distribution<Index> edges(0, 25);
    check_decomposition(reference::random_graph<Index>(rng, side(rng), side(rng), edges(rng)).view());
  }
}

TEST_CASE("parts and blocks do not depend on the matching") {
  std::mt19937 rng(4);
  for (int trial = 0; trial < 100; ++trial) {
    const auto graph = reference::random_graph<int>(rng, 12, 12, 22);
    const auto one = dulmage_mendelsohn(graph.view(), hopcroft_karp(graph.view()));
    Interrupt interrupt;
    const auto columns = transpose(graph.view(), interrupt);
    const auto other = dulmage_mendelsohn(graph.view(), transposed(hopcroft_karp(columns.view())));
    CHECK(one.row_parts[1] == other.row_parts[1]);
    CHECK(one.row_parts[2] == other.row_parts[2]);
    CHECK(one.col_parts[2] == other.col_parts[2]);
    CHECK(one.row_blocks.size() == other.row_blocks.size());
  }
}

TEST_CASE("a matrix with every part") {
  // Row 0 has columns 0 and 1: wide. Rows 1 and 2 form one irreducible block with columns 2 and 3. Rows 3 and
  // 4 share 4.
  const auto graph = reference::from_edges<int>(
      5, 5, {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {1, 4}, {3, 4}, {4, 4}});
  const auto dm = dulmage_mendelsohn(graph.view(), hopcroft_karp(graph.view()));
  CHECK(dm.row_parts == std::array<int, 5>{0, 1, 3, 4, 5});
  CHECK(dm.col_parts == std::array<int, 5>{0, 1, 2, 4, 5});
  CHECK(dm.row_blocks == std::vector<int>{0, 1, 3, 5});
  CHECK(dm.col_blocks == std::vector<int>{0, 2, 4, 5});
}

TEST_CASE("a matching that is not maximum is refused") {
  const auto graph = reference::from_edges<int>(1, 1, {{0, 0}});
  CHECK_THROWS_AS(dulmage_mendelsohn(graph.view(), Matching<int>(1, 1)), std::invalid_argument);
}

TEST_CASE("one cycle of 100,000 rows is one block, a chain as many as rows: no recursion") {
  const std::int32_t n = 100'000;
  for (const bool closed : {true, false}) {
    reference::Graph<std::int32_t> graph{n, n, {0}, {}, {}};
    for (std::int32_t row = 0; row < n; ++row) {
      graph.indices.push_back(row);
      if (closed || row < n - 1) graph.indices.push_back((row + 1) % n);
      reference::end_row(graph);
    }
    const auto dm = dulmage_mendelsohn(graph.view(), hopcroft_karp(graph.view()));
    CHECK(dm.row_blocks.size() == (closed ? 2 : at(n) + 1));
  }
}
