// Random supports and their graphs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/strings/trie_of_strings.hpp>
#include <random>
#include <set>
#include <vector>

#include "reference_strings.hpp"

namespace hankelmatch::reference {

/// A support with the tries that its graph needs, with 32-bit or 64-bit ids.
template <class Id>
struct Support {
  std::vector<String> strings;
  StringSet<Id> prefixes;
  StringSet<Id> suffixes;
  bool closed = false;

  explicit Support(const std::set<String>& support) : strings(support.begin(), support.end()) {
    std::ranges::sort(strings, [](const String& a, const String& b) {  // as a trie's nodes are
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    prefixes = string_set<Id>(strings, false);
    suffixes = string_set<Id>(strings, true);
    closed = prefixes.trie.has_suffix_links() && prefixes.trie.n_nodes() == strings.size();
  }

  PrefixSuffixGraph<Id> general() const {
    return {&prefixes.trie, suffixes.trie.parent, prefixes.nodes, suffixes.nodes, suffixes.trie.symbol};
  }
  PrefixSuffixGraph<Id> view() const {
    if (!closed) return general();
    return closed_graph(prefixes.trie);
  }
};

inline std::set<String> random_support(std::mt19937& random, bool close) {
  std::set<String> support;
  const unsigned n_symbols = 1 + static_cast<unsigned>(random() % 4);
  for (unsigned i = 0, n = 1 + static_cast<unsigned>(random() % 12); i < n; ++i) {
    String string(random() % 6);
    for (auto& s : string) s = static_cast<std::int32_t>(random() % n_symbols);
    support.insert(string);
    if (close) add_substrings(support, string, string.size());
  }
  return support;
}

template <class Id>
String prefix_string(const PrefixSuffixGraph<Id>& graph, Id prefix) {
  return spelled(*graph.prefixes, prefix);
}

template <class Id>
String suffix_string(const PrefixSuffixGraph<Id>& graph, Id suffix) {
  String symbols;
  spell_suffix(graph, suffix, symbols);
  return symbols;
}

}  // namespace hankelmatch::reference
