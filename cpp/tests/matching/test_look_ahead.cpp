#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <random>

#include "random_graph.hpp"
#include "reference_matching.hpp"

using namespace hankelmatch;

namespace {

template <class Index>
bool has_free_col_with_edges(const CsrGraph<Index>& graph, const Matching<Index>& matching) {
  for (const Index col : graph.indices)
    if (!matching.has_col(col)) return true;
  return false;
}

template <class Index>
Index first_free_col(const CsrGraph<Index>& graph, const Matching<Index>& matching, Index row) {
  for (const Index col : graph.row(row))
    if (!matching.has_col(col)) return col;
  return kUnmatched;
}

}  // namespace

TEST_CASE_TEMPLATE("rows take their first free column, as long as free columns have edges", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 random(1);
  for (Index n_cols = 0; n_cols < 40; ++n_cols) {
    auto edges = random_graph<Index>(random, 20, n_cols);
    edges.n_cols += 3;  // three have no edges
    const CsrGraph<Index> graph = edges.view();
    Matching<Index> matching(graph.n_rows, graph.n_cols);
    LookAhead<Index> look_ahead(graph, matching);
    for (Index row = 0; row < graph.n_rows; ++row) {
      CHECK(look_ahead.has_free_col_with_edges() == has_free_col_with_edges(graph, matching));
      LookAheadRow<Index> here = look_ahead.row(row);
      const Index col = look_ahead.take_free_col(here);
      CHECK(col == first_free_col(graph, matching, row));
      if (col != kUnmatched) look_ahead.rejoin(here, col);
    }
    CHECK(look_ahead.has_free_col_with_edges() == has_free_col_with_edges(graph, matching));
  }
}

TEST_CASE_TEMPLATE("columns that are left out do not count as free", Index, std::int32_t, std::int64_t) {
  std::mt19937 random(3);
  for (Index n_cols = 1; n_cols < 40; ++n_cols) {
    const auto edges = random_graph<Index>(random, 20, n_cols);
    const CsrGraph<Index> graph = edges.view();
    const Bitset left_out = Bitset::where(at(graph.n_cols), [](std::size_t col) { return col % 3 == 1; });
    Matching<Index> matching(graph.n_rows, graph.n_cols);
    Matching<Index> taken = matching;
    left_out.for_each([&](std::size_t col) { taken.col_mate[col] = 0; });
    LookAhead<Index> look_ahead(graph, matching);
    look_ahead.leave_out(left_out);
    for (Index row = 0; row < graph.n_rows; ++row) {
      CHECK(look_ahead.has_free_col_with_edges() == has_free_col_with_edges(graph, taken));
      LookAheadRow<Index> here = look_ahead.row(row);
      const Index col = look_ahead.take_free_col(here);
      CHECK(col == first_free_col(graph, taken, row));
      if (col == kUnmatched) continue;
      look_ahead.rejoin(here, col);
      taken.join(row, col);
    }
  }
}

namespace {

/// Whether a column of this row is free, or can be freed by its mate, if that is the same as before.
template <class Index>
bool has_goal(const CsrGraph<Index>& graph, const Matching<Index>& matching, const Matching<Index>& before,
              Index row) {
  return std::ranges::any_of(graph.row(row), [&](Index col) {
    const Index mate = matching.col_mate[at(col)];
    if (mate == kUnmatched) return true;
    return mate == before.col_mate[at(col)] && first_free_col(graph, matching, mate) != kUnmatched;
  });
}

}  // namespace

TEST_CASE_TEMPLATE("a look-ahead that goes farther finds columns whose mates can take a free one", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 random(2);
  int n_freed = 0;
  for (Index n_cols = 1; n_cols < 200; ++n_cols) {
    auto edges = reference::random_rows<Index>(random, 60, n_cols, 2);
    edges.n_cols += 3;  // three have no edges
    const CsrGraph<Index> graph = edges.view();
    Matching<Index> matching(graph.n_rows, graph.n_cols);
    for (Index row = 0; row < 30; ++row) {
      const Index col = first_free_col(graph, matching, row);
      if (col != kUnmatched) matching.join(row, col);
    }
    LookAhead<Index> look_ahead(graph, matching);
    CHECK(!look_ahead.is_exhausted());
    look_ahead.look_farther(no_interrupt());
    const Matching<Index> before = matching;
    for (Index row = 30; row < graph.n_rows; ++row) {
      CHECK(look_ahead.is_exhausted() == !has_free_col_with_edges(graph, matching));
      CHECK(look_ahead.has_free_col_with_edges() == !look_ahead.is_exhausted());
      const bool is_found = has_goal(graph, matching, before, row);
      const bool has_free_col = first_free_col(graph, matching, row) != kUnmatched;
      LookAheadRow<Index> here = look_ahead.row(row);
      const Index col = look_ahead.take_free_col(here);
      CHECK((col != kUnmatched) == is_found);
      if (col == kUnmatched) continue;
      look_ahead.rejoin(here, col);
      ++matching.size;
      CHECK(is_valid(graph, matching));
      n_freed += has_free_col ? 0 : 1;
    }
  }
  CHECK(n_freed > 100);
}
