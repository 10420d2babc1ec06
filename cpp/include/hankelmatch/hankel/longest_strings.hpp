// The longest strings of a trie, those of length T. Every search looks at them first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>

namespace hankelmatch::detail {

/// The longest strings, each cut after its deepest short prefix and before its deepest short suffix. (Which
/// nodes are short: see hankel/hankel_matching.hpp. The deepest short nodes are those of the greatest
/// length.) String k of them is node `first + k`.
template <class Id>
struct LongestStrings {
  const Trie<Id>& trie;
  std::size_t max_length;    ///< T
  std::size_t prefix_bound;  ///< short prefixes are shorter than this: floor(T / 2) + 1
  std::size_t suffix_bound;  ///< short suffixes likewise: floor((T + 1) / 2); the bounds add up to T + 1
  Id first;
  NodeArray<Id> long_prefix;  ///< the first prefix_bound symbols of each longest string
  NodeArray<Id> long_suffix;  ///< the last suffix_bound symbols of each longest string

  LongestStrings(const Trie<Id>& t, Interrupt& interrupt)
      : trie(t),
        max_length(t.n_levels() - 1),
        prefix_bound(max_length / 2 + 1),
        suffix_bound((max_length + 1) / 2),
        first(t.level_begin[max_length]) {
    long_prefix.resize(size());
    long_suffix.resize(size());
    for_each_range(0, size(), interrupt, [&](std::size_t begin, std::size_t end) {
      find_prefixes(begin, end);
      for (std::size_t k = begin; k < end; ++k)
        long_suffix[k] = shorter_suffix(trie, first + static_cast<Id>(k), max_length - suffix_bound);
    });
  }

  std::size_t size() const { return trie.n_nodes() - at(first); }
  Id n_short_prefixes() const { return trie.level_begin[prefix_bound]; }
  Id n_short_suffixes() const { return trie.level_begin[suffix_bound]; }
  Id first_deepest_prefix() const { return trie.level_begin[prefix_bound - 1]; }
  /// 0 if no suffix is short, as for T = 0.
  Id first_deepest_suffix() const { return suffix_bound == 0 ? Id{0} : trie.level_begin[suffix_bound - 1]; }

  /// The longest string, counted from 0, that is a prefix followed by a suffix; kUnmatched if that is
  /// shorter.
  Id joined(Id prefix, Id suffix) const {
    const Id node = detail::joined(trie, prefix, suffix);
    return node < first ? Id{kUnmatched} : node - first;
  }

 private:
  /// Strings with the same long prefix are consecutive.
  void find_prefixes(std::size_t begin, std::size_t end) {
    const std::size_t n_dropped = max_length - std::min(max_length, prefix_bound);
    Id prefix = shorter_prefix(trie, first + static_cast<Id>(begin), n_dropped);
    for (; begin < end; ++prefix) {
      const Id next = first_descendant(trie, prefix + 1, n_dropped);
      for (const auto stop = std::min(end, at(next - first)); begin < stop; ++begin)
        long_prefix[begin] = prefix;
    }
  }
};

/// The nodes or places begin .. end - 1.
template <class Id>
struct Interval {
  Id begin;
  Id end;

  Id size() const { return end - begin; }
};

}  // namespace hankelmatch::detail
