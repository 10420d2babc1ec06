// Ways through a trie from a node to others.
#pragma once

#include <cstddef>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/trie.hpp>
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

/// Calls visit(string, suffix, length of the rest) for every string shorter than T that ends in a member of a
/// set of suffixes, once for each such suffix. Cost: one pass over the suffix links, and the chains of what
/// is found.
template <class Id, class Visit>
void for_each_string_ending_in(const Trie<Id>& trie, const Bitset& suffixes, Interrupt& interrupt,
                               const Visit& visit) {
  const auto is_member = [&](Id x) { return at(x) < suffixes.size() && suffixes.test(at(x)); };
  Bitset found(trie.n_nodes());
  for (std::size_t length = 0; length + 1 < trie.n_levels(); ++length) {
    interrupt.check();
    for (Id x = trie.level_begin[length]; x < trie.level_begin[length + 1]; ++x) {
      if (!is_member(x) && !(x > 0 && found.test(at(trie.suffix[at(x)])))) continue;
      found.set(at(x));
      Id suffix = x;
      for (std::size_t i = 0; i <= length; ++i, suffix = trie.suffix[at(suffix)])
        if (is_member(suffix)) visit(x, suffix, i);
    }
  }
}

}  // namespace hankelmatch::detail
