// A set of strings as a trie in level order: the common coordinates of substrings, prefixes and suffixes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/threads.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// A value for each node. Its elements are not set by `resize`: write every one of them.
template <class T>
using NodeArray = std::vector<T, UninitializedAllocator<T>>;

/// A prefix-closed set of strings over symbols 0, 1, 2, ...
///
/// Nodes are numbered level by level: node 0 is the empty string, then come all strings of length 1, of
/// length 2 and so on, each level in lexicographic order (shortlex). So the number of a node determines its
/// length; the children of a node are consecutive and sorted by symbol, and so are its descendants of any one
/// length. Id is std::int32_t or std::int64_t. Memory: 2 ids and a symbol a node, 3 ids with suffix links.
template <class Id>
struct Trie {
  static constexpr Id kAbsent = -1;

  std::vector<Id> level_begin;  ///< n_levels + 1: length k has nodes level_begin[k] .. level_begin[k + 1] - 1
  NodeArray<std::int32_t> symbol;  ///< last symbol of each string; -1 for the empty string
  NodeArray<Id> parent;            ///< the string without its last symbol; 0 for the empty string
  NodeArray<Id> child_begin;  ///< n_nodes + 1: children of v are child_begin[v] .. child_begin[v + 1] - 1
  NodeArray<Id> suffix;       ///< the string without its first symbol (see link_suffixes); else empty

  std::size_t n_nodes() const { return symbol.size(); }
  std::size_t n_levels() const { return level_begin.size() - 1; }
  bool has_suffix_links() const { return !suffix.empty(); }

  /// Cost: a binary search in the levels.
  std::size_t length(Id node) const {
    const auto above = std::upper_bound(level_begin.begin(), level_begin.end(), node);
    return static_cast<std::size_t>(above - level_begin.begin()) - 1;
  }

  /// The child of `node` by `wanted`, or kAbsent. Cost: a binary search in the children.
  Id child(Id node, std::int32_t wanted) const {
    const auto v = at(node);
    const auto first = symbol.begin() + child_begin[v];
    const auto last = symbol.begin() + child_begin[v + 1];
    const auto found = std::lower_bound(first, last, wanted);
    return found != last && *found == wanted ? static_cast<Id>(found - symbol.begin()) : kAbsent;
  }

  /// The node of a string, or kAbsent.
  Id find(std::span<const std::int32_t> string) const {
    Id node = 0;
    for (const std::int32_t s : string) {
      node = child(node, s);
      if (node == kAbsent) break;
    }
    return node;
  }
};

namespace detail {

/// A trie with room for all nodes, of which only the empty string is made.
template <class Id>
Trie<Id> trie_to_fill(std::vector<Id> level_begin) {
  Trie<Id> trie;
  trie.level_begin = std::move(level_begin);
  const auto n = at(trie.level_begin.back());
  trie.symbol.resize(n);
  trie.parent.resize(n);
  trie.child_begin.resize(n + 1);
  trie.symbol[0] = -1;
  trie.parent[0] = 0;
  trie.child_begin[0] = 1;
  trie.child_begin[n] = static_cast<Id>(n);
  return trie;
}

/// Makes nodes of a trie for strings in lexicographic order. Then the current string's ancestor at each level
/// is the node made last on that level, and the children of a new node begin at the next level's next node.
template <class Id>
class TrieWriter {
 public:
  /// `next`: for each level, the first node to be made; the empty string is made already.
  TrieWriter(Trie<Id>& trie, std::vector<Id> next) : trie_(trie), next_(std::move(next)) { next_[0] = 1; }

  void add(std::size_t level, std::int32_t symbol) {
    const auto v = at(next_[level]++);
    trie_.symbol[v] = symbol;
    trie_.parent[v] = last(level - 1);
    trie_.child_begin[v] = next_[level + 1];
  }
  /// The node made last on a level.
  Id last(std::size_t level) const { return next_[level] - 1; }

 private:
  Trie<Id>& trie_;
  std::vector<Id> next_;
};

}  // namespace detail

/// The number of nodes on each level of the trie of `source`'s strings: for build_trie, and for the choice of
/// Id.
///
/// `Source` holds distinct strings in lexicographic order: size(), length(i), lcp(i) = the length of the
/// longest common prefix with string i - 1 (0 for i = 0), and symbol(i, d) = symbol d of string i.
template <class Source>
[[nodiscard]] std::vector<std::int64_t> level_sizes(const Source& source,
                                                    Interrupt& interrupt = no_interrupt()) {
  std::vector<std::int64_t> sizes{1};
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t length = source.length(i);
    interrupt.poll(length + 1);
    if (length >= sizes.size()) sizes.resize(length + 1, 0);
    for (std::size_t d = source.lcp(i) + 1; d <= length; ++d) ++sizes[d];
  }
  return sizes;
}

/// The trie of `source`'s strings, in O(nodes + strings). Calls report(i, node) once for each string.
template <class Id, class Source, class Report>
[[nodiscard]] Trie<Id> build_trie(const Source& source, const std::vector<std::int64_t>& sizes,
                                  Interrupt& interrupt, const Report& report) {
  std::vector<Id> level_begin{0};
  for (const std::int64_t size : sizes) level_begin.push_back(static_cast<Id>(level_begin.back() + size));
  Trie<Id> trie = detail::trie_to_fill(level_begin);
  detail::TrieWriter<Id> writer(trie, std::move(level_begin));
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t length = source.length(i);
    interrupt.poll(length + 1);
    for (std::size_t d = source.lcp(i) + 1; d <= length; ++d) writer.add(d, source.symbol(i, d - 1));
    report(i, writer.last(length));
  }
  return trie;
}

namespace detail {

/// Links the strings first .. last - 1 to the strings without their first symbol; their parents have been
/// linked. False if one of these strings is missing.
template <class Id>
bool link_strings(Trie<Id>& trie, std::size_t first, std::size_t last) {
  constexpr Id kMaxScan = 24;  // to pass more symbols takes longer than a binary search
  const Id* const parent = trie.parent.data();
  const Id* const child_begin = trie.child_begin.data();
  const std::int32_t* const symbol = trie.symbol.data();
  Id* const suffix = trie.suffix.data();
  bool all_found = true;
  for (std::size_t v = first; v < last; ++v) {
    const auto shorter = at(suffix[parent[v]]);
    const std::int32_t wanted = symbol[v];
    // The shorter string has at least the children of the longer one, so at least as many precede this one.
    Id there = child_begin[shorter] + (static_cast<Id>(v) - child_begin[parent[v]]);
    const Id end = child_begin[shorter + 1];
    if (end - there > kMaxScan) {
      there = static_cast<Id>(std::lower_bound(symbol + there, symbol + end, wanted) - symbol);
    } else {
      while (there < end && symbol[there] < wanted) ++there;
    }
    all_found &= there < end && symbol[there] == wanted;
    suffix[v] = there;
  }
  return all_found;
}

}  // namespace detail

/// Fills `trie.suffix`. If the set is not closed under dropping the first symbol, leaves it empty and returns
/// false.
///
/// The suffixes of one level's strings, taken by first symbol, pass through the level above from left to
/// right, so the memory is read in streams. All cores link the strings of a level. Cost: O(nodes + children
/// of the suffixes passed).
template <class Id>
bool link_suffixes(Trie<Id>& trie, Interrupt& interrupt) {
  trie.suffix.resize(trie.n_nodes());
  const Id single_end = trie.level_begin[std::min<std::size_t>(2, trie.n_levels())];
  // The empty string and single symbols.
  std::fill(trie.suffix.begin(), trie.suffix.begin() + single_end, Id{0});
  std::atomic<bool> closed = true;
  for (std::size_t level = 2; level < trie.n_levels() && closed; ++level) {
    for_each_range(at(trie.level_begin[level]), at(trie.level_begin[level + 1]), interrupt,
                   [&](std::size_t begin, std::size_t end) {
                     if (!detail::link_strings(trie, begin, end)) closed = false;
                   });
  }
  if (!closed) trie.suffix = {};
  return closed;
}

/// Strings one after another: string i is symbols[offsets[i]] .. symbols[offsets[i + 1] - 1].
struct FlatStrings {
  std::vector<std::int32_t> symbols;
  std::vector<std::int64_t> offsets{0};
};

/// The strings of the given nodes. With `reversed`, the trie is one of reversed strings (of suffixes).
template <class Id>
FlatStrings spell(const Trie<Id>& trie, std::span<const Id> nodes, bool reversed, Interrupt& interrupt) {
  FlatStrings out;
  out.offsets.reserve(nodes.size() + 1);
  for (const Id node : nodes) {
    interrupt.poll();
    const auto begin = static_cast<std::ptrdiff_t>(out.symbols.size());
    for (auto v = at(node); v != 0; v = at(trie.parent[v])) out.symbols.push_back(trie.symbol[v]);
    if (!reversed) std::reverse(out.symbols.begin() + begin, out.symbols.end());
    out.offsets.push_back(static_cast<std::int64_t>(out.symbols.size()));
  }
  return out;
}

}  // namespace hankelmatch

namespace hankelmatch::detail {

/// The first descendant `levels` levels below a node, or its place if there is none. All such descendants of
/// a node are first_descendant(node) .. first_descendant(node + 1) - 1.
template <class Id>
Id first_descendant(const Trie<Id>& trie, Id node, std::size_t levels) {
  for (; levels > 0; --levels) node = trie.child_begin[at(node)];
  return node;
}

/// The node of a string followed by a second one. Cost: a lookup in the trie for each symbol of the second.
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

/// The strings shorter than T, the greatest length, that have a suffix in a set. Cost: a pass over the suffix
/// links.
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
    // No branch, since none could be predicted: half of a text's short suffixes may be members.
    found.set_where(begin, end, [&](std::size_t x) { return found.test(at(trie.suffix[x])); });
  }
  return found;
}

/// Calls visit(string, suffix, length of the rest) for every string shorter than T and every suffix of it in
/// a set. Cost: one pass over the suffix links, and the suffixes of the strings found.
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
