#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <random>
#include <set>
#include <utility>

#include "reference_support.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;

namespace {

/// Every edge is a cut of a support string, and every cut is an edge once.
template <class Id>
void check_edges(const hm::PrefixSuffixGraph<Id>& graph, const std::set<String>& support) {
  hm::Interrupt interrupt;
  const auto csr = hm::to_csr<Id>(graph, {}, interrupt);
  std::size_t n_edges = 0;
  for (const auto& s : support) n_edges += s.size() + 1;
  REQUIRE(csr.indices.size() == n_edges);
  REQUIRE(hm::count_edges(graph) == static_cast<std::int64_t>(n_edges));
  std::set<std::pair<String, String>> edges;
  for (std::size_t row = 0; row < graph.n_prefixes(); ++row) {
    for (auto e = csr.indptr[row]; e < csr.indptr[row + 1]; ++e) {
      const String p = prefix_string(graph, static_cast<Id>(row));
      const String s = suffix_string(graph, csr.indices[hm::at(e)]);
      CHECK(support.contains(joined(p, s)));
      CHECK(edges.insert({p, s}).second);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("edges are the cuts of the support strings", Id, std::int32_t, std::int64_t) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 150; ++trial) {
    const auto support = random_support(random, trial % 2 == 0);
    const Support<Id> owned(support);
    check_edges(owned.view(), support);
    check_edges(owned.general(), support);
  }
}
