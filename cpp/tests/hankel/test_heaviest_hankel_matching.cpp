#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/heaviest_hankel_matching.hpp>
#include <hankelmatch/hankel/heavy_hankel_matching.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/weighted/match_weighted.hpp>
#include <random>
#include <span>
#include <vector>

#include "reference_strings.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;
using hankelmatch::at;

TEST_CASE(
    "matchings by weight are maximum and valid, and the heaviest has the weight found from a list of edges") {
  std::mt19937 random(15);
  double heavy_weights = 0;
  double plain_weights = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto sequences = random_sequences(random, 1 + static_cast<unsigned>(random() % 6), 40, 14);
    const auto trie = substring_trie<std::int32_t>(sequences, random() % 8);
    const auto graph = closed_graph(trie);
    hm::Interrupt interrupt;
    // Few different ones, and in every other trial none above that of the string without its last symbol.
    std::vector<double> weights(trie.n_nodes());
    for (std::size_t x = 0; x < weights.size(); ++x) {
      weights[x] = static_cast<double>(random() % 7) - 3;
      if (trial % 2 == 0 && x > 0) weights[x] = std::min(weights[x], weights[at(trie.parent[x])]);
    }
    const auto csr = hm::to_csr<std::int32_t>(graph, weights, interrupt);
    const auto n = static_cast<std::int32_t>(trie.n_nodes());
    const hm::CsrGraph<std::int32_t> edges{n, n, csr.indptr, csr.indices};
    const hm::SplitGraph<std::int32_t> split(trie, interrupt);
    const std::size_t n_kept = trial % 3 == 0 ? hm::kHeaviest : 1 + random() % 3;
    std::vector<std::int32_t> buffer;
    const auto weight_of = [&](const hm::Matching<std::int32_t>& matching) {
      double sum = 0;
      for (std::int32_t row = 0; row < n; ++row) {
        const auto col = matching.row_mate[at(row)];
        if (col >= 0) sum += weights[hm::string_of_edge(graph, row, col, buffer)];
      }
      return sum;
    };
    const auto listed = hm::maximum_weight_matching(
        hm::WeightedCsrGraph<std::int32_t>{edges, std::span<const double>(csr.data)}, true);
    const auto heaviest =
        hm::heaviest_hankel_matching<std::int32_t>(split, weights, interrupt, n_kept).matching;
    CHECK(hm::is_valid(edges, heaviest));
    CHECK(heaviest.size == listed.matching.size);
    CHECK(weight_of(heaviest) == doctest::Approx(weight_of(listed.matching)).epsilon(1e-12));
    const auto heavy = hm::heavy_hankel_matching<std::int32_t>(split, weights);
    CHECK(hm::is_valid(edges, heavy.matching));
    CHECK(heavy.matching.size == listed.matching.size);
    CHECK(hm::is_vertex_cover(edges, {heavy.cover_rows, heavy.cover_cols}));
    CHECK(heavy.cover_rows.size() + heavy.cover_cols.size() == at(heavy.matching.size));
    for (auto& weight : weights) weight = std::abs(weight);  // what heavy ones prefer
    heavy_weights += weight_of(heavy.matching);
    plain_weights += weight_of(hm::hankel_matching(split).matching);
  }
  CHECK(heavy_weights > plain_weights);
}
