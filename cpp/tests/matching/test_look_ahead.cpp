#include <doctest/doctest.h>

#include <cstdint>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <random>

#include "random_graph.hpp"

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
