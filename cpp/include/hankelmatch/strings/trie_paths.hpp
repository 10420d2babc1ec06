// Ways through a trie from a node to others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <vector>

namespace hankelmatch::detail {

/// The first descendant `levels` levels below a node, or where it would stand; that of `node + 1` ends the
/// interval of the node's own.
template <class Id>
Id first_descendant(const Trie<Id>& trie, Id node, std::size_t levels) {
  for (; levels > 0; --levels) node = trie.child_begin[at(node)];
  return node;
}

/// The node of two strings, one behind the other. Cost: a lookup in the trie for each symbol of the second.
template <class Id>
Id joined(const Trie<Id>& trie, Id first, Id second) {
  std::vector<Id> prefixes;  // of the second, the longest first
  for (; second > 0; second = trie.parent[at(second)]) prefixes.push_back(second);
  for (; !prefixes.empty(); prefixes.pop_back()) first = trie.child(first, trie.symbol[at(prefixes.back())]);
  return first;
}

/// The node without its last `n` symbols.
template <class Id>
Id shorter_prefix(const Trie<Id>& trie, Id node, std::size_t n) {
  for (; n > 0; --n) node = trie.parent[at(node)];
  return node;
}

/// The node without its first `n` symbols.
template <class Id>
Id shorter_suffix(const Trie<Id>& trie, Id node, std::size_t n) {
  for (; n > 0; --n) node = trie.suffix[at(node)];
  return node;
}

/// The strings shorter than T that end in a member of a set of suffixes. Cost: a pass over the suffix links.
template <class Id>
Bitset strings_ending_in(const Trie<Id>& trie, const Bitset& suffixes, Interrupt& interrupt) {
  Bitset found(trie.n_nodes());
  for (std::size_t length = 0; length + 1 < trie.n_levels(); ++length) {
    interrupt.check();
    const auto begin = at(trie.level_begin[length]);
    const auto end = at(trie.level_begin[length + 1]);
    const auto end_of_members = std::clamp(suffixes.size(), begin, end);
    found.set_where(begin, end_of_members, [&](std::size_t x) { return suffixes.test(x); });
    if (length == 0) continue;
    // No branch: half of a text's short suffixes may be members.
    found.set_where(begin, end, [&](std::size_t x) { return found.test(at(trie.suffix[x])); });
  }
  return found;
}

/// Calls visit(string, suffix, length of the rest) for every string shorter than T that ends in a member of a
/// set of suffixes, once for each such suffix. Cost: one pass over the suffix links, and the chains of what
/// is found.
template <class Id, class Visit>
void for_each_string_ending_in(const Trie<Id>& trie, const Bitset& suffixes, Interrupt& interrupt,
                               const Visit& visit) {
  const Bitset found = strings_ending_in(trie, suffixes, interrupt);
  for (std::size_t length = 0; length + 1 < trie.n_levels(); ++length) {
    found.for_each(at(trie.level_begin[length]), at(trie.level_begin[length + 1]), [&](std::size_t x) {
      auto suffix = static_cast<Id>(x);
      interrupt.poll(length);
      for (std::size_t i = 0; i <= length; ++i, suffix = trie.suffix[at(suffix)])
        if (at(suffix) < suffixes.size() && suffixes.test(at(suffix))) visit(static_cast<Id>(x), suffix, i);
    });
  }
}

}  // namespace hankelmatch::detail
