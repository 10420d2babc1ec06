#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/paper_matching.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/hopcroft_karp.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "reference_strings.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;
using hankelmatch::at;

namespace {

/// Checks that the matching is valid, maximum, and certified by its cover. True if it matches two short
/// nodes.
template <class Id>
bool check_text(const std::vector<String>& sequences, std::size_t max_length) {
  const auto trie = substring_trie<Id>(sequences, max_length);
  hm::Interrupt interrupt;
  const auto graph = closed_graph(trie);
  const auto csr = hm::to_csr<Id>(graph, {}, interrupt);
  const auto n = static_cast<Id>(trie.n_nodes());
  const hm::CsrGraph<Id> edges{n, n, csr.indptr, csr.indices};
  const hm::SplitGraph<Id> split(trie, interrupt);
  const auto found = hm::hankel_matching(split);
  const auto& matching = found.matching;
  CHECK(hm::is_valid(edges, matching));
  CHECK(matching.size == hm::augmenting_path(edges).size);
  const auto implicit = split.edges();
  CHECK(hm::is_valid(edges, hm::augmenting_path(implicit)));
  CHECK(hm::augmenting_path(implicit).size == matching.size);
  CHECK(hm::hopcroft_karp(implicit).size == matching.size);
  CHECK(hm::is_valid(edges, hm::paper_matching(graph, implicit)));
  CHECK(hm::paper_matching(graph, implicit).size == matching.size);
  CHECK(found.cover_rows.size() + found.cover_cols.size() == at(matching.size));
  CHECK(std::is_sorted(found.cover_rows.begin(), found.cover_rows.end()));
  CHECK(std::is_sorted(found.cover_cols.begin(), found.cover_cols.end()));
  CHECK(hm::is_vertex_cover(edges, {found.cover_rows, found.cover_cols}));
  const auto short_pair = [&](Id row) {
    const Id col = matching.row_mate[at(row)];
    const std::size_t t = trie.n_levels() - 1;
    return col >= 0 && trie.length(row) <= t / 2 && trie.length(col) < (t + 1) / 2;
  };
  for (Id row = 0; row < n; ++row)
    if (short_pair(row)) return true;
  return false;
}

}  // namespace

TEST_CASE_TEMPLATE("the structured matching is maximum and certified on random texts", Id, std::int32_t,
                   std::int64_t) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 1500; ++trial) {
    const auto sequences = random_sequences(random, 1 + static_cast<unsigned>(random() % 6), 12, 14);
    check_text<Id>(sequences, random() % 9);
  }
}

TEST_CASE("texts of short sentences need edges between short nodes, and get them") {
  std::mt19937 random(12);
  int n_across = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto longest = static_cast<unsigned>(4 + random() % 4);
    const auto sequences = random_sequences(random, 3 + static_cast<unsigned>(random() % 6), 60, longest);
    n_across += check_text<std::int32_t>(sequences, longest) ? 1 : 0;
  }
  MESSAGE("texts that needed edges between short nodes: " << n_across);
  CHECK(n_across > 20);
}

TEST_CASE("texts with many symbols, one symbol, and nothing at all") {
  std::mt19937 random(13);
  for (int trial = 0; trial < 30; ++trial) check_text<std::int32_t>(random_sequences(random, 300, 40, 30), 5);
  check_text<std::int32_t>({String(50, 0)}, 7);
  check_text<std::int32_t>({{}}, 5);
  check_text<std::int32_t>({{3}}, 1);
}

TEST_CASE("few of a text's edges are looked at") {
  std::mt19937 random(14);
  std::vector<String> sequences(60);
  for (auto& s : sequences) {
    s.resize(400);
    std::uint64_t state = 0;
    for (auto& x : s) {
      const std::uint64_t step = std::min(random() % 20, random() % 20);
      state = (state * 7 + step) % 20;
      x = static_cast<std::int32_t>(state);
    }
  }
  const auto trie = substring_trie<std::int32_t>(sequences, 7);
  const auto graph = closed_graph(trie);
  hm::Interrupt interrupt;
  const hm::SplitGraph<std::int32_t> split(trie, interrupt);
  const auto found = hm::hankel_matching(split);
  CHECK(10 * found.n_edges_seen < static_cast<std::uint64_t>(hm::count_edges(graph)));
}

TEST_CASE("Ctrl-C stops it") {
  const auto trie = substring_trie<std::int32_t>({{0, 1, 0, 2, 0, 0, 1}}, 5);
  hm::Interrupt never;
  const hm::SplitGraph<std::int32_t> split(trie, never);
  hm::Interrupt stop([] { throw std::runtime_error("stop"); });
  CHECK_THROWS_AS(hm::SplitGraph<std::int32_t>(trie, stop), std::runtime_error);
  CHECK_THROWS_AS(hm::hankel_matching(split, stop), std::runtime_error);
}
