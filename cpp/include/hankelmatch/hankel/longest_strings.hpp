// What both halves of a text's prefix-suffix graph (see hankel/hankel_matching.hpp) read: the longest
// strings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/strings/trie.hpp>

namespace hankelmatch::detail {

/// What both halves read: the longest strings, which are the edges between the longest short and the shortest
/// long nodes.
template <class Id>
struct MiddleStrings {
  const Trie<Id>& trie;
  std::size_t longest;        ///< T
  std::size_t prefix_bound;   ///< prefixes shorter than this are short: floor(T / 2) + 1
  std::size_t suffix_bound;   ///< and suffixes: floor((T + 1) / 2); the two add up to T + 1
  Id first_string;            ///< of length T
  NodeArray<Id> long_prefix;  ///< of string first_string + k, its first prefix_bound symbols,
  NodeArray<Id> long_suffix;  ///< and its last suffix_bound symbols

  MiddleStrings(const Trie<Id>& t, Interrupt& interrupt)
      : trie(t),
        longest(t.n_levels() - 1),
        prefix_bound(longest / 2 + 1),
        suffix_bound((longest + 1) / 2),
        first_string(t.level_begin[longest]) {
    long_prefix.resize(size());
    long_suffix.resize(size());
    for_each_range(0, size(), interrupt, [&](std::size_t begin, std::size_t end) {
      find_prefixes(begin, end);
      for (std::size_t k = begin; k < end; ++k)
        long_suffix[k] = shorter_suffix(trie, first_string + static_cast<Id>(k), longest - suffix_bound);
    });
  }

  std::size_t size() const { return trie.n_nodes() - at(first_string); }

 private:
  /// Strings with the same long prefix stand side by side.
  void find_prefixes(std::size_t begin, std::size_t end) {
    const std::size_t n_dropped = longest - std::min(longest, prefix_bound);
    Id prefix = shorter_prefix(trie, first_string + static_cast<Id>(begin), n_dropped);
    for (; begin < end; ++prefix) {
      const Id next = first_descendant(trie, prefix + 1, n_dropped);
      for (const auto stop = std::min(end, at(next - first_string)); begin < stop; ++begin)
        long_prefix[begin] = prefix;
    }
  }
};

/// An interval of nodes or of places.
template <class Id>
struct Interval {
  Id begin;
  Id end;
};

}  // namespace hankelmatch::detail
