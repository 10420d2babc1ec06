#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/graph/transpose_by_blocks.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "reference_matching.hpp"

using namespace hankelmatch;

TEST_CASE("a transposed graph has the same edges; the rows of each column ascend") {
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

TEST_CASE_TEMPLATE("a graph beyond the caches, transposed twice, is the same but for the order within rows",
                   Index, std::int32_t, std::int64_t) {
  std::mt19937 rng(3);
  Interrupt interrupt;
  for (const Index n_edges : {Index{1'200'000}, Index{2'200'000}}) {  // a counting sort, and by blocks
    const auto graph = reference::random_graph<Index>(rng, 200'000, 300'000, n_edges);
    CHECK(detail::TransposeByBlocks<Index>::is_faster(graph.view()) == (n_edges > 2'000'000));
    const auto twice = transpose(transpose(graph.view(), interrupt).view(), interrupt);
    CHECK(twice.indptr == graph.indptr);
    auto sorted = graph.indices;
    for (std::size_t row = 0; row + 1 < graph.indptr.size(); ++row)
      std::sort(sorted.begin() + graph.indptr[row], sorted.begin() + graph.indptr[row + 1]);
    CHECK(twice.indices == sorted);
  }
}

TEST_CASE("by blocks of columns, a transposed graph is the same as by a counting sort") {
  std::mt19937 rng(5);
  Interrupt interrupt;
  // Blocks of one column, of several, and of 2^16; without edges; and all edges of one column.
  for (const int n_cols : {1, 255, 256, 300, 70'000, 20'000'000}) {
    for (const int n_edges : {0, 1, 40'000}) {
      auto graph = reference::random_graph<int>(rng, 5'000, n_cols, n_edges);
      for (const bool is_crowded : {false, true}) {
        if (is_crowded) std::ranges::fill(graph.indices, n_cols - 1);
        const auto expected = transpose(graph.view(), interrupt);
        std::vector<int> indptr(expected.indptr.size()), indices(expected.indices.size());
        detail::TransposeByBlocks<int>(graph.view(), indptr, indices, interrupt).run();
        CHECK(indptr == expected.indptr);
        CHECK(indices == expected.indices);
      }
    }
  }
}

TEST_CASE("a list of edges becomes rows, in which they keep their order") {
  const std::vector<int> rows{2, 0, 2, 0}, cols{1, 3, 0, 3};
  Interrupt interrupt;
  const auto graph = csr_of_coordinates<int>(3, 4, rows, cols, interrupt);
  CHECK(graph.indptr == std::vector<int>{0, 2, 2, 4});
  CHECK(graph.indices == std::vector<int>{3, 3, 1, 0});
  CHECK(csr_of_coordinates<int>(0, 0, {}, {}, interrupt).indptr == std::vector<int>{0});
  CHECK_THROWS_AS(static_cast<void>(csr_of_coordinates<int>(3, 4, rows, {}, interrupt)),
                  std::invalid_argument);
}
