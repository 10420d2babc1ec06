// The bipartite graph of a Hankel matrix's pattern: prefixes, suffixes, and an edge for every cut of every
// support string.
//
// For a trie that is closed under substrings:
//
//     const PrefixSuffixGraph<std::int32_t> graph{&trie, trie.suffix, {}, {}, {}};
//     const CsrMatrix<std::int64_t> hankel = to_csr<std::int64_t>(graph, values, interrupt);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

/// A view of a support, which is a set of strings: each string with the chains of its prefixes and suffixes.
///
/// Prefix ids are the nodes of a trie of the support's prefixes. Suffix ids are
/// - the nodes of the same trie, chained by suffix links, if the support is closed under substrings; then all
///   nodes are support strings, and `strings` and `string_suffix` are empty;
/// - else the nodes of a trie of the reversed support strings, chained by its parents.
/// The empty string has prefix id 0 and suffix id 0. An edge (p, s) stands for the support string ps; a
/// string of length t has t + 1 edges.
template <class Id>
struct PrefixSuffixGraph {
  const Trie<Id>* prefixes = nullptr;
  std::span<const Id> shorter_suffix;  ///< for each suffix id, the suffix without its first symbol
  std::span<const Id> strings;  ///< the prefix id of each support string, ascending; empty: all prefixes
  std::span<const Id> string_suffix;           ///< the suffix id of each support string; empty: its prefix id
  std::span<const std::int32_t> first_symbol;  ///< for each suffix id; empty: it is in the trie of prefixes

  std::size_t n_prefixes() const { return prefixes->n_nodes(); }
  std::size_t n_suffixes() const { return shorter_suffix.size(); }
  bool closed() const { return string_suffix.empty(); }
  std::size_t n_strings() const { return closed() ? n_prefixes() : strings.size(); }
  Id string(std::size_t k) const { return closed() ? static_cast<Id>(k) : strings[k]; }
  Id suffix_of(std::size_t k) const { return closed() ? static_cast<Id>(k) : string_suffix[k]; }
};

/// A support string with its suffixes: suffixes[i] follows its first i symbols; the last one is empty.
template <class Id>
struct StringCuts {
  std::size_t index;  ///< of the support string
  Id node;            ///< its prefix id
  std::span<const Id> suffixes;
};

/// The cuts of support string k, which has `length` symbols. Writes the suffixes to `buffer`.
template <class Id>
StringCuts<Id> cut_string(const PrefixSuffixGraph<Id>& graph, std::size_t k, std::size_t length,
                          std::vector<Id>& buffer) {
  buffer.resize(length + 1);
  Id suffix = graph.suffix_of(k);
  for (Id& s : buffer) {
    s = suffix;
    suffix = graph.shorter_suffix[at(suffix)];
  }
  return {k, graph.string(k), buffer};
}

/// Calls visit(prefix, i) for every prefix of a cut string, from the whole string (i = its length) to the
/// empty one (i = 0); the edge is (prefix, cuts.suffixes[i]).
template <class Id, class Visit>
void for_each_cut(const PrefixSuffixGraph<Id>& graph, const StringCuts<Id>& cuts, const Visit& visit) {
  Id prefix = cuts.node;
  for (std::size_t i = cuts.suffixes.size(); i-- > 0; prefix = graph.prefixes->parent[at(prefix)])
    visit(prefix, i);
}

/// Calls visit(StringCuts) for every support string in the order of prefix ids. Cost: the total length.
template <class Id, class Visit>
void for_each_string(const PrefixSuffixGraph<Id>& graph, Interrupt& interrupt, const Visit& visit) {
  std::vector<Id> buffer;
  std::size_t length = 0;
  const auto& level_begin = graph.prefixes->level_begin;
  for (std::size_t k = 0; k < graph.n_strings(); ++k) {
    while (level_begin[length + 1] <= graph.string(k)) ++length;
    interrupt.poll(length + 1);
    visit(cut_string(graph, k, length, buffer));
  }
}

/// The symbols of a suffix, in order.
template <class Id>
void spell_suffix(const PrefixSuffixGraph<Id>& graph, Id suffix, std::vector<std::int32_t>& symbols) {
  symbols.clear();
  if (graph.closed()) {
    for (auto v = at(suffix); v != 0; v = at(graph.prefixes->parent[v]))
      symbols.push_back(graph.prefixes->symbol[v]);
    std::reverse(symbols.begin(), symbols.end());
  } else {
    for (auto v = at(suffix); v != 0; v = at(graph.shorter_suffix[v]))
      symbols.push_back(graph.first_symbol[v]);
  }
}

/// The index of the support string ps of an edge (p, s). Cost: a lookup in the trie for each symbol of s.
template <class Id>
std::size_t string_of_edge(const PrefixSuffixGraph<Id>& graph, Id prefix, Id suffix,
                           std::vector<std::int32_t>& buffer) {
  spell_suffix(graph, suffix, buffer);
  for (const std::int32_t symbol : buffer) prefix = graph.prefixes->child(prefix, symbol);
  if (graph.closed()) return at(prefix);
  const auto found = std::lower_bound(graph.strings.begin(), graph.strings.end(), prefix);
  return static_cast<std::size_t>(found - graph.strings.begin());
}

/// Number of edges: the support strings' lengths, plus one each. Cost: a search for each length.
template <class Id>
std::int64_t count_edges(const PrefixSuffixGraph<Id>& graph) {
  const auto n_strings_before = [&](Id node) -> std::int64_t {
    if (graph.closed()) return node;
    return std::ranges::lower_bound(graph.strings, node) - graph.strings.begin();
  };
  const auto& level_begin = graph.prefixes->level_begin;
  std::int64_t edges = 0;
  for (std::size_t length = 0; length + 1 < level_begin.size(); ++length) {
    const std::int64_t n_strings =
        n_strings_before(level_begin[length + 1]) - n_strings_before(level_begin[length]);
    edges += n_strings * static_cast<std::int64_t>(length + 1);
  }
  return edges;
}

namespace detail {

/// Every row has an edge for each support string in its subtree.
template <class Index, class Id>
std::vector<Index> row_pointers(const PrefixSuffixGraph<Id>& graph, Interrupt& interrupt) {
  const auto& parent = graph.prefixes->parent;
  std::vector<Index> indptr(graph.n_prefixes() + 1, 0);
  for (std::size_t k = 0; k < graph.n_strings(); ++k) {
    interrupt.poll();
    ++indptr[at(graph.string(k)) + 1];
  }
  for (std::size_t v = graph.n_prefixes(); v-- > 1;) {
    interrupt.poll();
    indptr[at(parent[v]) + 1] += indptr[v + 1];
  }
  for (std::size_t v = 0; v < graph.n_prefixes(); ++v) indptr[v + 1] += indptr[v];
  return indptr;
}

}  // namespace detail

/// The graph as a sparse matrix; rows are prefix ids, columns suffix ids. With `values`, one for each support
/// string, it is the whole Hankel matrix H(p, s) = f(ps); without them, its pattern. If the support is closed
/// under substrings, the indices of a row ascend. Index must hold the number of edges. Cost: O(edges).
template <class Index, class Id>
[[nodiscard]] CsrMatrix<Index> to_csr(const PrefixSuffixGraph<Id>& graph, std::span<const double> values,
                                      Interrupt& interrupt) {
  CsrMatrix<Index> out{
      static_cast<Index>(graph.n_prefixes()), static_cast<Index>(graph.n_suffixes()), {}, {}, {}};
  out.indptr = detail::row_pointers<Index>(graph, interrupt);
  const auto n_edges = at(out.indptr.back());
  out.indices.resize(n_edges);
  out.data.resize(values.empty() ? 0 : n_edges);
  std::vector<Index> cursor(out.indptr.begin(), out.indptr.end() - 1);
  for_each_string(graph, interrupt, [&](const StringCuts<Id>& cuts) {
    for_each_cut(graph, cuts, [&](Id prefix, std::size_t i) {
      const auto edge = at(cursor[at(prefix)]++);
      out.indices[edge] = static_cast<Index>(cuts.suffixes[i]);
      if (!values.empty()) out.data[edge] = values[cuts.index];
    });
  });
  return out;
}

}  // namespace hankelmatch
