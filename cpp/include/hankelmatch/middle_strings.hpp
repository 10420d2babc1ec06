// What both halves of a text's prefix-suffix graph (see hankel_matching.hpp) read: the longest strings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/at.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/tasks.hpp>
#include <hankelmatch/thread_group.hpp>
#include <hankelmatch/trie.hpp>
#include <vector>

namespace hankelmatch::detail {

/// What both halves read: the longest strings, which are the edges between the longest short and the shortest
/// long nodes.
template <class Id>
struct MiddleStrings {
  const Trie<Id>& trie;
  std::size_t longest;          ///< T
  std::size_t prefix_bound;     ///< prefixes shorter than this are short: floor(T / 2) + 1
  std::size_t suffix_bound;     ///< and suffixes: floor((T + 1) / 2); the two add up to T + 1
  Id first_string;              ///< of length T
  std::vector<Id> long_suffix;  ///< of string first_string + k, its last suffix_bound symbols

  MiddleStrings(const Trie<Id>& t, Interrupt& interrupt)
      : trie(t),
        longest(t.n_levels() - 1),
        prefix_bound(longest / 2 + 1),
        suffix_bound((longest + 1) / 2),
        first_string(t.level_begin[longest]) {
    reserve_large(long_suffix, t.n_nodes() - at(first_string));
    long_suffix.resize(t.n_nodes() - at(first_string));
    constexpr std::size_t kTask = std::size_t{1} << 16;
    const std::size_t n = long_suffix.size();
    for_each_task((n + kTask - 1) / kTask, workers_for(n), interrupt, [&](std::size_t task, std::size_t) {
      for (std::size_t k = task * kTask; k < std::min(n, (task + 1) * kTask); ++k) {
        Id suffix = first_string + static_cast<Id>(k);
        for (std::size_t i = suffix_bound; i < longest; ++i) suffix = trie.suffix[at(suffix)];
        long_suffix[k] = suffix;
      }
    });
  }
};

/// An interval of nodes or of places.
template <class Id>
struct Interval {
  Id begin;
  Id end;
};

}  // namespace hankelmatch::detail
