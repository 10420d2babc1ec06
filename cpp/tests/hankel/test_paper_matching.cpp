#include <doctest/doctest.h>

#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/hankel/paper_matching.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "reference_support.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;

namespace {

template <class Id>
void check_matching(const hm::PrefixSuffixGraph<Id>& graph) {
  hm::Interrupt interrupt;
  const auto csr = hm::to_csr<Id>(graph, {}, interrupt);
  const hm::CsrGraph<Id> edges{static_cast<Id>(graph.n_prefixes()), static_cast<Id>(graph.n_suffixes()),
                               csr.indptr, csr.indices};
  const auto matching = hm::paper_matching(graph, edges);
  CHECK(hm::is_valid(edges, matching));
  CHECK(matching.size == hm::hopcroft_karp(edges).size);
  std::vector<Id> in_order(csr.indptr.size() - 1);
  std::iota(in_order.begin(), in_order.end(), Id{0});
  const auto shortest_first = hm::paper_matching(graph, edges, in_order);
  CHECK(hm::is_valid(edges, shortest_first));
  CHECK(shortest_first.size == matching.size);
}

}  // namespace

TEST_CASE_TEMPLATE("the paper's matching is maximum", Id, std::int32_t, std::int64_t) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 150; ++trial) {
    const Support<Id> owned(random_support(random, trial % 2 == 0));
    check_matching(owned.view());
    check_matching(owned.general());
  }
}

TEST_CASE("figure 1 of the paper: 9 + 9 nodes, 18 edges, matching 5") {
  const Support<std::int32_t> support({{}, {0, 0, 1}, {1}, {1, 1}, {2}, {2, 0}, {2, 1}});
  const auto graph = support.view();
  CHECK(!support.closed);
  CHECK(graph.n_prefixes() == 9);
  CHECK(graph.n_suffixes() == 9);
  CHECK(hm::count_edges(graph) == 18);
  hm::Interrupt interrupt;
  const auto csr = hm::to_csr<std::int32_t>(graph, {}, interrupt);
  CHECK(hm::paper_matching(graph, hm::CsrGraph<std::int32_t>{9, 9, csr.indptr, csr.indices}).size == 5);
}
