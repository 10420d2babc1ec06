// Slow and obvious code for strings, texts and their tries, to compare with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/strings/trie_of_strings.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <random>
#include <set>
#include <span>
#include <variant>
#include <vector>

namespace hankelmatch::reference {

using String = std::vector<std::int32_t>;

/// The order of a trie's nodes: by length, and then by symbols.
struct ShorterFirst {
  bool operator()(const String& a, const String& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

/// A corpus that owns its arrays.
struct Text {
  std::vector<std::int32_t> symbols;
  std::vector<std::int64_t> offsets{0};

  void add(const String& sequence) {
    symbols.insert(symbols.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<std::int64_t>(symbols.size()));
  }
  CorpusView view() const { return {symbols, offsets}; }
};

inline String joined(const String& a, const String& b) {
  String whole = a;
  whole.insert(whole.end(), b.begin(), b.end());
  return whole;
}

/// All substrings of at most `max_length` symbols of a sequence, with the empty one.
inline void add_substrings(std::set<String>& support, const String& sequence, std::size_t max_length) {
  support.insert(String{});
  for (std::size_t begin = 0; begin < sequence.size(); ++begin)
    for (std::size_t n = 1; n <= std::min(max_length, sequence.size() - begin); ++n) {
      const auto first = sequence.begin() + static_cast<std::ptrdiff_t>(begin);
      support.insert(String(first, first + static_cast<std::ptrdiff_t>(n)));
    }
}

/// The trie of some strings, or of the strings read backwards.
template <class Id, class Strings>
StringSet<Id> string_set(const Strings& strings, bool reversed) {
  Text text;
  for (const String& s : strings) text.add(s);
  Interrupt interrupt;
  return std::get<StringSet<Id>>(make_string_set(text.view(), reversed, sizeof(Id) == 8, interrupt));
}

/// The trie of all substrings of at most `max_length` symbols of some sequences.
template <class Id>
Trie<Id> substring_trie(const std::vector<String>& sequences, std::size_t max_length) {
  std::set<String> support{{}};
  for (const auto& s : sequences) add_substrings(support, s, max_length);
  return string_set<Id>(support, false).trie;
}

template <class Id>
String spelled(const Trie<Id>& trie, Id node) {
  return spell(trie, std::span<const Id>(&node, 1), false, no_interrupt()).symbols;
}

/// The graph of a trie that is closed under substrings.
template <class Id>
PrefixSuffixGraph<Id> closed_graph(const Trie<Id>& trie) {
  return {&trie, trie.suffix, {}, {}, {}};
}

inline std::vector<String> random_sequences(std::mt19937& random, unsigned n_symbols, unsigned n_sequences,
                                            unsigned max_length) {
  std::vector<String> sequences(1 + random() % n_sequences);
  for (auto& s : sequences) {
    s.resize(random() % (max_length + 1));
    // Skewed, as texts are: small symbols are frequent.
    for (auto& x : s) x = static_cast<std::int32_t>(std::min(random() % n_symbols, random() % n_symbols));
  }
  return sequences;
}

}  // namespace hankelmatch::reference
