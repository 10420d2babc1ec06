#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/greedy.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

namespace {

/// Of each free row in order its free column that the fewest free rows after it have, the least of those that
/// as few have; looked up one by one.
template <class Index>
Matching<Index> rarest_by_definition(const CsrGraph<Index>& graph, Matching<Index> matching,
                                     const std::vector<Index>& order) {
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    if (matching.has_row(order[turn])) continue;
    std::vector<std::pair<std::size_t, Index>> choices;
    for (const Index col : graph.row(order[turn])) {
      if (matching.has_col(col)) continue;
      std::size_t n_later = 0;
      for (std::size_t later = turn + 1; later < order.size(); ++later) {
        if (matching.has_row(order[later])) continue;
        for (const Index other : graph.row(order[later])) n_later += other == col ? 1U : 0U;
      }
      choices.emplace_back(n_later, col);
    }
    if (!choices.empty()) matching.join(order[turn], std::ranges::min(choices).second);
  }
  return matching;
}

/// The number of free rows that have a column.
template <class Index>
Index n_free_rows(const CsrGraph<Index>& graph, const Matching<Index>& matching, Index col) {
  Index n = 0;
  for (Index row = 0; row < graph.n_rows; ++row)
    if (!matching.has_row(row)) n += static_cast<Index>(std::ranges::count(graph.row(row), col));
  return n;
}

}  // namespace

TEST_CASE_TEMPLATE("rows take their free column that the fewest later rows have", Index, std::int32_t,
                   std::int64_t) {
  std::mt19937 rng(21);
  for (Index trial = 0; trial < 40; ++trial) {
    std::vector<std::pair<Index, Index>> edges;  // each once
    for (Index row = 0; row < 30; ++row)
      for (Index col = 0; col < 25 + trial % 10; ++col)
        if (rng() % 10 == 0) edges.emplace_back(row, col);
    std::ranges::shuffle(edges, rng);
    const auto graph = reference::from_edges<Index>(30, 25 + trial % 10, edges);
    Matching<Index> begun(graph.n_rows, graph.n_cols);
    for (Index row = 0; row < trial % 5; ++row) {
      const auto cols = graph.view().row(row);
      if (!cols.empty() && !begun.has_col(cols.back())) begun.join(row, cols.back());
    }
    for (const bool is_up : {true, false}) {
      std::vector<Index> order(at(graph.n_rows));
      std::iota(order.begin(), order.end(), Index{0});
      if (!is_up) std::ranges::reverse(order);
      Matching<Index> matching = begun;
      const auto rows =
          is_up ? RowRange<Index>{0, graph.n_rows, 1} : RowRange<Index>{graph.n_rows - 1, -1, -1};
      const auto later = trial % 5 == 0 ? LaterRows<Index>(graph.view(), no_interrupt())
                                        : LaterRows<Index>(graph.n_cols, [&](Index col) {
                                            return n_free_rows(graph.view(), begun, col);
                                          });
      const auto failed = match_rarest_cols(graph.view(), matching, rows, later, no_interrupt());
      const auto expected = rarest_by_definition(graph.view(), begun, order);
      CHECK(matching.row_mate == expected.row_mate);
      CHECK(is_valid(graph.view(), matching));
      std::vector<Index> without;  // a column, though they have edges
      for (const Index row : order)
        if (!expected.has_row(row) && !graph.view().row(row).empty()) without.push_back(row);
      CHECK(failed == without);
    }
  }
}

// Columns of more than 128 rows, and of more than 256: a byte counts no more.
TEST_CASE_TEMPLATE("no row is passed by that has a free column, however many rows its columns have", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 rng(22);
  for (const Index n_cols : {3, 12, 18, 25, 28, 200, 1500}) {
    const auto graph = reference::random_rows<Index>(rng, 1000, n_cols, 4);
    Matching<Index> matching(graph.n_rows, graph.n_cols);
    const LaterRows<Index> later(graph.view(), no_interrupt());
    const auto failed =
        match_rarest_cols(graph.view(), matching, {0, graph.n_rows, 1}, later, no_interrupt());
    CHECK(is_valid(graph.view(), matching));
    Index n_with_edges = 0;
    for (Index row = 0; row < graph.n_rows; ++row)
      n_with_edges += static_cast<Index>(!graph.view().row(row).empty());
    CHECK(matching.size + static_cast<Index>(failed.size()) == n_with_edges);
    for (const Index row : failed)
      for (const Index col : graph.view().row(row)) CHECK(matching.has_col(col));
  }
}

TEST_CASE("rarest columns first leave fewer rows than first columns first") {
  std::mt19937 rng(23);
  const auto graph = reference::random_graph<int>(rng, 4000, 4000, 32000);
  Matching<int> by_rarest(graph.n_rows, graph.n_cols);
  Matching<int> by_first = by_rarest;
  std::vector<int> failed;
  match_greedily(graph.view(), by_first, {0, graph.n_rows, 1}, GreedyStart::kFirst, 4000, failed,
                 no_interrupt());
  const LaterRows<int> later(graph.view(), no_interrupt());
  CHECK(match_rarest_cols(graph.view(), by_rarest, {0, graph.n_rows, 1}, later, no_interrupt()).size() <
        failed.size() / 2);
}
