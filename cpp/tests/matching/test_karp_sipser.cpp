#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/karp_sipser.hpp>
#include <hankelmatch/matching/karp_sipser_degrees.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

namespace {

/// Of each column, the number of these rows that have it.
template <class Index>
std::vector<Index> rows_left_of_cols(const CsrGraph<Index>& graph, const Bitset& rows) {
  std::vector<Index> n_rows(at(graph.n_cols));
  rows.for_each([&](std::size_t row) {
    for (const Index col : graph.row(static_cast<Index>(row))) ++n_rows[at(col)];
  });
  return n_rows;
}

}  // namespace

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
    rule.match_rest(false);
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

TEST_CASE_TEMPLATE("Karp and Sipser's rule without a transpose matches a part of what is forced", Index,
                   std::int32_t, std::int64_t) {
  std::mt19937 rng(12);
  Interrupt interrupt;
  std::size_t n_fewer = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const auto graph = reference::random_graph<Index>(rng, 300, 320, 700);
    const auto n_pairs = [&](std::size_t least_pairs) {
      TransposeOnDemand<Index> transpose(graph.view(), interrupt);
      KarpSipser<Index, detail::PackedNodes> rule(graph.view(), transpose, interrupt);
      REQUIRE(rule.count_neighbours());
      rule.match_forced(least_pairs);
      CHECK(transpose.is_made() == (least_pairs == 0));
      Matching<Index> part(graph.n_rows, graph.n_cols);
      rule.write(part);
      CHECK(is_valid(graph.view(), part));
      CHECK(hopcroft_karp(graph.view(), part).size == reference::maximum_matching_size(graph.view()));
      const std::vector<Index> left = rows_left_of_cols(graph.view(), rule.rows_left());
      for (Index col = 0; col < graph.n_cols; ++col) {
        if (part.has_col(col)) CHECK(rule.n_rows_left(col) == 0);
        if (part.has_col(col)) continue;
        CHECK(rule.n_rows_left(col) >= left[at(col)]);
        if (least_pairs == 0) CHECK(rule.n_rows_left(col) == left[at(col)]);
      }
      return rule.n_pairs();
    };
    constexpr std::size_t kNever = 1'000;
    n_fewer += n_pairs(kNever) < n_pairs(0) ? 1U : 0U;
  }
  CHECK(n_fewer > 20);
}

TEST_CASE("Karp and Sipser's rule walks along a large band from both its ends") {
  constexpr int kRows = 1 << 18;  // with as many columns, beyond the caches
  std::mt19937 rng(11);
  std::vector<int> place(kRows);
  std::iota(place.begin(), place.end(), 0);
  std::ranges::shuffle(place, rng);
  std::vector<std::pair<int, int>> edges;
  for (int row = 0; row < kRows; ++row)
    for (int col = row; col < std::min(row + 4, kRows); ++col)
      edges.emplace_back(place[static_cast<std::size_t>(row)], place[static_cast<std::size_t>(col)]);
  const auto band = reference::from_edges<int>(kRows, kRows, edges);
  Interrupt interrupt;
  const auto matching = karp_sipser(band.view(), interrupt);
  CHECK(matching.size == kRows);
  CHECK(is_valid(band.view(), matching));
}

TEST_CASE("Karp and Sipser's rule counts more neighbours than 32 bits have room for beside an id") {
  constexpr int kRows = 1 << 17;  // ids of 18 bits leave 13 for the number of neighbours: 8191
  Interrupt interrupt;
  for (const int degree : {8191, 8192, 16383, 16384, 16385, 40000}) {
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
