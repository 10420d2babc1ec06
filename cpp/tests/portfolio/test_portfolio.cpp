#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/greedy.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/karp_sipser.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/portfolio/portfolio.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

// Tall, wide and square; of low and high degree; with few columns, or rows, that have most edges: what the
// automatic choice distinguishes.
TEST_CASE_TEMPLATE("the automatic choice is right on graphs of every shape", Index, std::int32_t,
                   std::int64_t) {
  struct Shape {
    Index n_rows, n_cols, degree;
  };
  std::mt19937 rng(11);
  for (const Shape& shape :
       {Shape{3000, 3000, 2}, Shape{3000, 3000, 5}, Shape{20000, 20000, 3}, Shape{20000, 20000, 5},
        Shape{20000, 20000, 6}, Shape{4000, 1500, 2}, Shape{1500, 4000, 3}, Shape{2000, 2000, 40}}) {
    auto graph = reference::random_rows(rng, shape.n_rows, shape.n_cols, shape.degree);
    const auto expected = hopcroft_karp(graph.view());
    const auto matching = match_automatically(graph.view());
    CHECK(matching.size == expected.size);
    reference::check_maximum(graph.view(), matching);
    Interrupt interrupt;
    const auto columns = transpose(graph.view(), interrupt);
    reference::check_maximum(columns.view(), match_automatically(columns.view()));
    // Half of the edges to the first twentieth of the columns, and the same transposed: skewed.
    for (std::size_t i = 0; i < graph.indices.size(); i += 2) graph.indices[i] %= graph.n_cols / 20;
    reference::check_maximum(graph.view(), match_automatically(graph.view()));
    const auto skewed = transpose(graph.view(), interrupt);
    reference::check_maximum(skewed.view(), match_automatically(skewed.view()));
  }
}

TEST_CASE("the last rows of large random graphs with many edges are matched by a farther look-ahead") {
  constexpr int kRows = 200'000, kDegree = 15;
  std::mt19937 rng(12);
  std::uniform_int_distribution<int> column(0, kRows - 1);
  reference::Graph<int> graph{kRows, kRows, {0}, {}, {}};
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kDegree; ++i) graph.indices.push_back(column(rng));
    reference::end_row(graph);
  }
  CHECK(is_maximum(graph.view(), match_automatically(graph.view())));
  const auto columns = transpose(graph.view(), no_interrupt());  // some rows have no edge
  CHECK(is_maximum(columns.view(), match_automatically(columns.view())));
}

// A look farther would list half of the edges: those of free columns.
TEST_CASE("rows without edges, and as many free columns, do not make the look-ahead go farther") {
  constexpr int kRows = 80'000, kDegree = 80;
  std::mt19937 rng(13);
  std::uniform_int_distribution<int> column(0, kRows - 1);
  reference::Graph<int> graph{kRows, kRows, {0}, {}, {}};
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kDegree && row < kRows / 2; ++i) graph.indices.push_back(column(rng));
    reference::end_row(graph);
  }
  int n_checks = 0;  // one for each 2^16 edges that are looked at
  Interrupt interrupt([&] { ++n_checks; });
  const auto matching = match_automatically(graph.view(), {}, interrupt);
  CHECK(matching.size == kRows / 2);
  CHECK(is_valid(graph.view(), matching));
  CHECK(n_checks < 2 * kRows / 2 * kDegree >> 16);  // the start reads all edges once
}

TEST_CASE("large graphs have the same matching every time, and stop when asked to") {
  std::mt19937 rng(11);
  const auto graph = reference::random_graph<int>(rng, 400'000, 400'000, 1'200'000);
  const auto matching = match_automatically(graph.view());
  CHECK(is_maximum(graph.view(), matching));
  CHECK(match_automatically(graph.view()).row_mate == matching.row_mate);
  int n_checks = 0;
  Interrupt stop([&] {
    if (++n_checks == 12) throw std::runtime_error("stopped");
  });
  CHECK_THROWS_AS(match_automatically(graph.view(), {}, stop), std::runtime_error);
}

// Nested intervals, the widest row first: rows that take their first column soon leave none to the others;
// from the last column it ends well for blocks as wide as their rows, and fails as well for narrower ones.
TEST_CASE_TEMPLATE("a start that is led astray begins again at the other end of the rows", Index,
                   std::int32_t, std::int64_t) {
  for (const Index depth : {8, 64}) {
    for (const Index width : {depth, depth / 2}) {
      reference::Graph<Index> graph{640, 640, {0}, {}, {}};
      for (Index row = 0; row < graph.n_rows; ++row) {
        const Index block = row / depth * depth;
        for (Index col = block; col < block + std::min(width, block + depth - row); ++col)
          graph.indices.push_back(col);
        reference::end_row(graph);
      }
      const auto matching = match_automatically(graph.view());
      CHECK(matching.size == 640 / depth * width);
      reference::check_maximum(graph.view(), matching);
      Interrupt interrupt;
      const auto columns = transpose(graph.view(), interrupt);
      reference::check_maximum(columns.view(), match_automatically(columns.view()));
    }
  }
}

// Each row sees one column more than the row before, in random order: only the order of their lengths, from
// which no row is led astray, matches all without a search.
TEST_CASE_TEMPLATE("rows with the fewest edges are matched first", Index, std::int32_t, std::int64_t) {
  std::mt19937 rng(5);
  std::vector<Index> lengths(100);
  std::iota(lengths.begin(), lengths.end(), Index{1});
  std::ranges::shuffle(lengths, rng);
  reference::Graph<Index> graph{100, 100, {0}, {}, {}};
  for (const Index length : lengths) {
    for (Index col = 0; col < length; ++col) graph.indices.push_back(col);
    std::shuffle(graph.indices.end() - length, graph.indices.end(), rng);
    reference::end_row(graph);
  }
  Matching<Index> matching(100, 100);
  CHECK(match_sparse_rows_first(graph.view(), matching, no_interrupt()).empty());
  reference::check_maximum(graph.view(), matching);
  reference::check_maximum(graph.view(), match_automatically(graph.view()));
}

// A third of the rows sees nine tenths as many columns: a search that fails passes by most of the edges.
TEST_CASE_TEMPLATE("dense graphs with too few columns for some rows", Index, std::int32_t, std::int64_t) {
  std::mt19937 rng(5);
  for (const Index n : {90, 300}) {
    std::vector<Index> cols(at(n));
    std::iota(cols.begin(), cols.end(), Index{0});
    std::ranges::shuffle(cols, rng);
    reference::Graph<Index> graph{n, n, {0}, {}, {}};
    for (Index row = 0; row < n; ++row) {
      const auto n_seen = row % 3 == 0 ? n * 3 / 10 : n;
      graph.indices.insert(graph.indices.end(), cols.begin(), cols.begin() + n_seen);
      reference::end_row(graph);
    }
    const auto matching = match_automatically(graph.view());
    CHECK(matching.size == n - n / 3 + n * 3 / 10);
    reference::check_maximum(graph.view(), matching);
    Interrupt interrupt;
    const auto columns = transpose(graph.view(), interrupt);
    reference::check_maximum(columns.view(), match_automatically(columns.view()));
  }
}

TEST_CASE("row lengths whose multiples pass 2^31 are compared rightly") {
  const std::vector<std::int32_t> indptr{0, 1 << 29, 1 << 30};  // alike, so no row has most of the edges
  CHECK_FALSE(detail::RowDegrees<std::int32_t>(CsrGraph<std::int32_t>{2, 1, indptr, {}}).are_skewed);
}

// Rows of any length, columns of the same length each: those rows without an edge leave room for the others.
// Searches are given up at once where most_passes is 0.
TEST_CASE_TEMPLATE("one side with more nodes that have edges is searched from the other", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(3);
  std::vector<std::pair<Index, Index>> edges;
  std::uniform_int_distribution<Index> row(0, 1999);
  for (Index col = 0; col < 2000; ++col)
    for (int k = 0; k < 4; ++k) edges.emplace_back(row(rng), col);
  const auto graph = reference::from_edges<Index>(2000, 2000, edges);
  CHECK(LaterRows<Index>(graph.view(), no_interrupt()).n_cols_of(0) == 0);
  const Index n_rows = detail::RowDegrees<Index>(graph.view()).n_with_edges;
  CHECK(n_rows < 2000 - 2000 / 256);
  CHECK(n_rows > 2000 - 2000 / 32);
  const auto columns = transpose(graph.view(), no_interrupt());
  CHECK(LaterRows<Index>(columns.view(), no_interrupt()).n_cols_of(0) == 2000 - n_rows);
  for (const double most_passes : {SearchLimits::kMostPasses, 0.0}) {
    for (const auto& view : {graph.view(), columns.view()})
      reference::check_maximum(view, match_automatically(view, {}, no_interrupt(), most_passes));
  }
}

// A hundredth, a twelfth, a third of the rows left out, of all kinds of graphs, as they are and transposed.
TEST_CASE_TEMPLATE("graphs with somewhat fewer rows than columns, or more", Index, std::int32_t,
                   std::int64_t) {
  constexpr Index kRows = 3000;
  std::mt19937 rng(8);
  for (const int kind : {0, 1, 2, 3}) {
    for (const Index one_in : {100, 12, 3}) {
      reference::Graph<Index> graph{0, kRows, {0}, {}, {}};
      std::vector<Index> order(at(kRows));
      std::iota(order.begin(), order.end(), Index{0});
      if (kind == 3) std::ranges::shuffle(order, rng);
      for (const Index row : order) {
        if (rng() % at(one_in) == 0) continue;
        if (kind == 0)  // random
          for (int k = 0; k < 4; ++k) graph.indices.push_back(static_cast<Index>(rng() % kRows));
        if (kind == 1) {  // a mesh, in order
          for (const Index col : {row, row + 1, row + 50})
            if (col < kRows) graph.indices.push_back(col);
        }
        if (kind == 2)  // nested intervals, in order
          for (Index col = row; col < row / 32 * 32 + 32 && col < kRows; ++col) graph.indices.push_back(col);
        if (kind == 3)  // a triangle, shuffled: solved by what is forced
          for (int k = 0; k < 4; ++k) graph.indices.push_back(static_cast<Index>(rng() % at(row + 1)));
        ++graph.n_rows;
        reference::end_row(graph);
      }
      for (const double most_passes : {SearchLimits::kMostPasses, 0.0}) {
        reference::check_maximum(graph.view(),
                                 match_automatically(graph.view(), {}, no_interrupt(), most_passes));
        const auto columns = transpose(graph.view(), no_interrupt());
        reference::check_maximum(columns.view(),
                                 match_automatically(columns.view(), {}, no_interrupt(), most_passes));
      }
    }
  }
}

TEST_CASE_TEMPLATE("rows without edges are no failures of the greedy start", Index, std::int32_t,
                   std::int64_t) {
  const reference::Graph<Index> graph{5, 2, {0, 0, 1, 1, 2, 3}, {0, 1, 0}, {}};
  for (const GreedyStart start : {GreedyStart::kFirst, GreedyStart::kLast}) {
    Matching<Index> matching(5, 2);
    std::vector<Index> failed;
    const auto left = match_greedily(graph.view(), matching, {0, 5, 1}, start, 1, failed, no_interrupt());
    CHECK(left.empty());
    CHECK(failed == std::vector<Index>{4});
    CHECK(matching.size == 2);
  }
  Matching<Index> matching(5, 2);
  const LaterRows<Index> later(graph.view(), no_interrupt());
  CHECK(match_rarest_cols(graph.view(), matching, {0, 5, 1}, later, no_interrupt()).size() == 1);
  CHECK(matching.size == 2);
}

TEST_CASE("work is foreseen from how far its last half came") {
  WorkForecast<int> forecast(100, 10);
  CHECK_FALSE(forecast.exceeds(50, 10, 0));   // not yet
  CHECK_FALSE(forecast.exceeds(50, 12, 50));  // 12 more
  CHECK_FALSE(forecast.exceeds(50, 20, 50));  // looks again after 24
  CHECK(forecast.exceeds(50, 25, 45));        // 13 for 5 rows, so 117 more
}

// Such a graph has a perfect matching (Konig); nothing is forced in it, and no end of the rows is a good
// start.
TEST_CASE_TEMPLATE("regular graphs of degree 3", Index, std::int32_t, std::int64_t) {
  std::mt19937 rng(4);
  std::vector<Index> cols(5000);
  std::iota(cols.begin(), cols.end(), Index{0});
  std::vector<std::pair<Index, Index>> edges;
  for (int k = 0; k < 3; ++k) {
    std::ranges::shuffle(cols, rng);
    for (std::size_t row = 0; row < cols.size(); ++row)
      edges.emplace_back(static_cast<Index>(row), cols[row]);
  }
  const auto graph = reference::from_edges<Index>(5000, 5000, edges);
  Interrupt interrupt;
  CHECK(karp_sipser(graph.view(), interrupt).size == 0);
  for (const double most_passes : {SearchLimits::kMostPasses, 0.0}) {
    const auto matching = match_automatically(graph.view(), {}, interrupt, most_passes);
    CHECK(matching.size == 5000);
    CHECK(is_valid(graph.view(), matching));
  }
}

TEST_CASE_TEMPLATE("grids have short cycles, random graphs have not", Index, std::int32_t, std::int64_t) {
  constexpr Index kSide = 200;
  std::mt19937 rng(3);
  std::vector<std::pair<Index, Index>> roads;
  for (Index i = 0; i < kSide * kSide; ++i) {
    for (const Index next : {i + 1, i + kSide}) {
      const bool is_inside = next < kSide * kSide && (next != i + 1 || next % kSide != 0);
      if (!is_inside || rng() % 3 == 0) continue;
      roads.emplace_back(i, next);
      roads.emplace_back(next, i);
    }
  }
  const auto road = reference::from_edges<Index>(kSide * kSide, kSide * kSide, roads);
  CHECK(detail::has_short_cycles(road.view()));
  CHECK(detail::RowDegrees<Index>(road.view()).n_single > kSide * kSide / 20);
  reference::check_maximum(road.view(), match_automatically(road.view()));
  CHECK_FALSE(detail::has_short_cycles(reference::random_graph<Index>(rng, 40000, 40000, 107000).view()));
  CHECK_FALSE(detail::has_short_cycles(reference::Graph<Index>{5, 0, {0, 0, 0, 0, 0, 0}, {}, {}}.view()));
}

// Full, without a diagonal, a stair, half of all pairs at random; the rows as they are and in random order.
TEST_CASE_TEMPLATE("dense rows take the next column of their list", Index, std::int32_t, std::int64_t) {
  constexpr Index kSide = 150;
  std::mt19937 rng(7);
  for (const int kind : {0, 1, 2, 3}) {
    reference::Graph<Index> graph{kSide, kSide, {0}, {}, {}};
    std::vector<Index> order(at(kSide));
    std::iota(order.begin(), order.end(), Index{0});
    if (kind == 3) std::ranges::shuffle(order, rng);
    for (const Index row : order) {
      for (Index col = 0; col < kSide; ++col) {
        const bool is_edge = kind == 0 || (kind == 1 && row != col) || (kind == 2 && col <= row + 1) ||
                             (kind == 3 && (row * 7 + col * 5 + static_cast<Index>(rng() % 2)) % 2 == 0);
        if (is_edge) graph.indices.push_back(col);
      }
      reference::end_row(graph);
    }
    CHECK(detail::has_dense_rows(graph.view()));
    Matching<Index> matching(kSide, kSide);
    std::vector<Index> failed;
    match_greedily(graph.view(), matching, {0, kSide, 1}, GreedyStart::kFirst, at(kSide), failed,
                   no_interrupt());
    CHECK(is_valid(graph.view(), matching));
    CHECK(std::cmp_equal(matching.size + static_cast<Index>(failed.size()), kSide));
    if (kind != 3) CHECK(failed.empty());
    for (const Index row : failed) {  // none is passed by that has a free column
      for (const Index col : graph.view().row(row)) CHECK(matching.has_col(col));
    }
    reference::check_maximum(graph.view(), match_automatically(graph.view()));
    const auto columns = transpose(graph.view(), no_interrupt());
    reference::check_maximum(columns.view(), match_automatically(columns.view()));
  }
}
