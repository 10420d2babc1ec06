#include <doctest/doctest.h>

#include <hankelmatch/hankel_blocks.hpp>
#include <hankelmatch/hopcroft_karp.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/paper_matching.hpp>
#include <hankelmatch/prefix_suffix_graph.hpp>
#include <hankelmatch/string_set.hpp>
#include <hankelmatch/vertex_cover.hpp>
#include <map>
#include <random>
#include <ranges>
#include <set>
#include <vector>

namespace hm = hankelmatch;
using String = std::vector<std::int32_t>;

namespace {

/// A support as its graph needs it, with ids of either width.
template <class Id>
struct Support {
  std::vector<String> strings;
  hm::StringSet<Id> prefixes;
  hm::StringSet<Id> suffixes;
  bool closed = false;

  explicit Support(const std::set<String>& support) : strings(support.begin(), support.end()) {
    std::vector<std::int32_t> symbols;
    std::vector<std::int64_t> offsets{0};
    std::sort(strings.begin(), strings.end(), [](const String& a, const String& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    for (const auto& s : strings) {
      symbols.insert(symbols.end(), s.begin(), s.end());
      offsets.push_back(static_cast<std::int64_t>(symbols.size()));
    }
    const bool wide = sizeof(Id) == 8;
    hm::Interrupt interrupt;
    prefixes = std::get<hm::StringSet<Id>>(hm::make_string_set({symbols, offsets}, false, wide, interrupt));
    suffixes = std::get<hm::StringSet<Id>>(hm::make_string_set({symbols, offsets}, true, wide, interrupt));
    closed = prefixes.trie.has_suffix_links() && prefixes.trie.n_nodes() == strings.size();
  }

  hm::PrefixSuffixGraph<Id> general() const {
    return {&prefixes.trie, suffixes.trie.parent, prefixes.nodes, suffixes.nodes, suffixes.trie.symbol};
  }
  hm::PrefixSuffixGraph<Id> view() const {
    if (!closed) return general();
    return {&prefixes.trie, prefixes.trie.suffix, {}, {}, {}};
  }
};

std::set<String> random_support(std::mt19937& random, bool close) {
  std::set<String> support;
  const unsigned n_symbols = 1 + static_cast<unsigned>(random() % 4);
  for (unsigned i = 0, n = 1 + static_cast<unsigned>(random() % 12); i < n; ++i) {
    String string(random() % 6);
    for (auto& s : string) s = static_cast<std::int32_t>(random() % n_symbols);
    support.insert(string);
    for (std::size_t begin = 0; close && begin <= string.size(); ++begin)
      for (std::size_t end = begin; end <= string.size(); ++end)
        support.insert(String(string.begin() + static_cast<std::ptrdiff_t>(begin),
                              string.begin() + static_cast<std::ptrdiff_t>(end)));
  }
  return support;
}

template <class Id>
String prefix_string(const hm::PrefixSuffixGraph<Id>& graph, Id prefix) {
  return hm::spell(*graph.prefixes, std::span<const Id>(&prefix, 1), false).symbols;
}

template <class Id>
String suffix_string(const hm::PrefixSuffixGraph<Id>& graph, Id suffix) {
  String symbols;
  hm::spell_suffix(graph, suffix, symbols);
  return symbols;
}

String joined(const String& a, const String& b) {
  String whole = a;
  whole.insert(whole.end(), b.begin(), b.end());
  return whole;
}

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
      const String s = suffix_string(graph, csr.indices[static_cast<std::size_t>(e)]);
      CHECK(support.contains(joined(p, s)));
      CHECK(edges.insert({p, s}).second);
    }
  }
}

template <class Id>
void check_matching(const hm::PrefixSuffixGraph<Id>& graph) {
  hm::Interrupt interrupt;
  const auto csr = hm::to_csr<Id>(graph, {}, interrupt);
  const hm::CsrGraph<Id> edges{static_cast<Id>(graph.n_prefixes()), static_cast<Id>(graph.n_suffixes()),
                               csr.indptr, csr.indices};
  const auto matching = hm::paper_matching(graph, edges);
  CHECK(hm::is_valid(edges, matching));
  CHECK(matching.size == hm::hopcroft_karp(edges).size);
  const auto shortest_first = hm::paper_matching(graph, edges, std::views::iota(Id{0}, edges.n_rows));
  CHECK(hm::is_valid(edges, shortest_first));
  CHECK(shortest_first.size == matching.size);
}

template <class Id>
void check_support(const std::set<String>& support) {
  const Support<Id> owned(support);
  check_edges(owned.view(), support);
  check_matching(owned.view());
  check_edges(owned.general(), support);
  check_matching(owned.general());
}

}  // namespace

TEST_CASE_TEMPLATE("edges are the cuts of the support strings, and the paper's matching is maximum", Id,
                   std::int32_t, std::int64_t) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 150; ++trial) check_support<Id>(random_support(random, trial % 2 == 0));
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

TEST_CASE_TEMPLATE("Hankel blocks equal the definition", Id, std::int32_t, std::int64_t) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const auto strings = random_support(random, trial % 2 == 0);
    const Support<Id> support(strings);
    const auto graph = support.view();
    std::map<String, double> f;
    std::vector<double> values;
    for (const auto& s : support.strings) {
      values.push_back(1.0 + static_cast<double>(random() % 1000));
      f[s] = values.back();
    }
    const auto value = [&](const String& s) { return f.contains(s) ? f[s] : 0.0; };
    // A random basis, in random order.
    const auto choose = [&](std::size_t n, std::vector<Id>& places) {
      std::vector<Id> ids;
      for (std::size_t v = 0; v < n; ++v)
        if (random() % 3 > 0) ids.push_back(static_cast<Id>(v));
      std::shuffle(ids.begin(), ids.end(), random);
      places.assign(n, -1);
      for (std::size_t k = 0; k < ids.size(); ++k)
        places[static_cast<std::size_t>(ids[k])] = static_cast<Id>(k);
      return ids;
    };
    std::vector<Id> row_of;
    std::vector<Id> col_of;
    const auto rows = choose(graph.n_prefixes(), row_of);
    const auto cols = choose(graph.n_suffixes(), col_of);
    hm::Interrupt interrupt;
    const auto blocks =
        hm::hankel_blocks<Id>(graph, values, {row_of, col_of, rows.size(), cols.size()}, 4, interrupt);

    const auto check_row = [&](const hm::CsrMatrix<Id>& matrix, std::size_t row, const String& before) {
      std::size_t next = static_cast<std::size_t>(matrix.indptr[row]);
      for (std::size_t c = 0; c < cols.size(); ++c) {
        const double expected = value(joined(before, suffix_string(graph, cols[c])));
        if (expected == 0.0) continue;
        REQUIRE(next < static_cast<std::size_t>(matrix.indptr[row + 1]));
        CHECK(matrix.indices[next] == static_cast<Id>(c));
        CHECK(matrix.data[next++] == expected);
      }
      CHECK(next == static_cast<std::size_t>(matrix.indptr[row + 1]));
    };
    REQUIRE(blocks.symbol_begin.size() == 5);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const String p = prefix_string(graph, rows[r]);
      CHECK(blocks.h_prefix[r] == value(p));
      check_row(blocks.h, r, p);
      for (std::int32_t a = 0; a < 4; ++a) {
        const auto begin = blocks.transition_rows.begin() + blocks.symbol_begin[static_cast<std::size_t>(a)];
        const auto end =
            blocks.transition_rows.begin() + blocks.symbol_begin[static_cast<std::size_t>(a) + 1];
        CHECK(std::is_sorted(begin, end));
        const auto found = std::find(begin, end, static_cast<Id>(r));
        if (found != end) {
          check_row(blocks.transitions, static_cast<std::size_t>(found - blocks.transition_rows.begin()),
                    joined(p, {a}));
        } else {
          for (const Id c : cols) CHECK(value(joined(joined(p, {a}), suffix_string(graph, c))) == 0.0);
        }
      }
    }
    for (std::size_t c = 0; c < cols.size(); ++c)
      CHECK(blocks.h_suffix[c] == value(suffix_string(graph, cols[c])));
  }
}
