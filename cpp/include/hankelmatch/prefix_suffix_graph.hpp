// The bipartite graph of a Hankel matrix's pattern: prefixes, suffixes, and an edge for every cut of every support string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/trie.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

/// A view of a support, a set of strings, by two chains of every string: its prefixes and its suffixes.
///
/// Prefix ids are the nodes of a trie of the support's prefixes. Suffix ids are
/// - where the support is closed under substrings, the nodes of the same trie, chained by suffix links; then all nodes
///   are support strings and `strings` and `string_suffix` stay empty;
/// - else the nodes of a trie of the reversed support strings, chained by its parents.
/// Both ids of the empty string are 0. An edge (p, s) stands for the support string ps: a string of length t has t + 1.
template <class Id>
struct PrefixSuffixGraph {
  const Trie<Id>* prefixes = nullptr;
  std::span<const Id> shorter_suffix;  ///< the suffix without its first symbol, by suffix id
  std::span<const Id> strings;         ///< prefix id of each support string, ascending; empty: all prefixes
  std::span<const Id> string_suffix;   ///< suffix id of each support string; empty: the same as its prefix id

  std::size_t n_prefixes() const { return prefixes->n_nodes(); }
  std::size_t n_suffixes() const { return shorter_suffix.size(); }
  bool closed() const { return string_suffix.empty(); }
  std::size_t n_strings() const { return closed() ? n_prefixes() : strings.size(); }
  Id string(std::size_t k) const { return closed() ? static_cast<Id>(k) : strings[k]; }
  Id suffix_of(std::size_t k) const { return closed() ? static_cast<Id>(k) : string_suffix[k]; }
};

/// A support string with its suffixes: suffixes[i] is what follows its first i symbols; the last one is empty.
template <class Id>
struct StringCuts {
  std::size_t index;  ///< which support string
  Id node;            ///< its prefix id
  std::span<const Id> suffixes;

  std::size_t length() const { return suffixes.size() - 1; }
};

/// Calls visit(StringCuts) for every support string, by length and then as the prefix ids run. Cost: the total length.
template <class Id, class Visit>
void for_each_string(const PrefixSuffixGraph<Id>& graph, Interrupt& interrupt, const Visit& visit) {
  std::vector<Id> suffixes;
  std::size_t length = 0;
  const auto& level_begin = graph.prefixes->level_begin;
  for (std::size_t k = 0; k < graph.n_strings(); ++k) {
    const Id node = graph.string(k);
    while (level_begin[length + 1] <= node) ++length;
    suffixes.resize(length + 1);
    Id suffix = graph.suffix_of(k);
    for (Id& s : suffixes) {
      s = suffix;
      suffix = graph.shorter_suffix[static_cast<std::size_t>(suffix)];
    }
    interrupt.poll(length + 1);
    visit(StringCuts<Id>{k, node, suffixes});
  }
}

/// Number of edges: the support strings' lengths, plus one each.
template <class Id>
std::int64_t count_edges(const PrefixSuffixGraph<Id>& graph) {
  const auto& level_begin = graph.prefixes->level_begin;
  std::int64_t edges = 0;
  std::size_t length = 0;
  for (std::size_t k = 0; k < graph.n_strings(); ++k) {
    while (level_begin[length + 1] <= graph.string(k)) ++length;
    edges += static_cast<std::int64_t>(length) + 1;
  }
  return edges;
}

/// A sparse pattern that owns its arrays.
template <class Index>
struct CsrPattern {
  std::vector<Index> indptr;
  std::vector<Index> indices;
};

/// The graph as a sparse pattern, rows = prefix ids, columns = suffix ids. Where the support is closed under substrings
/// the indices of a row ascend. Index must hold count_edges(graph). Cost: O(edges).
template <class Index, class Id>
CsrPattern<Index> to_csr(const PrefixSuffixGraph<Id>& graph, Interrupt& interrupt) {
  const auto& parent = graph.prefixes->parent;
  CsrPattern<Index> out;
  out.indptr.assign(graph.n_prefixes() + 1, 0);
  for (std::size_t k = 0; k < graph.n_strings(); ++k) ++out.indptr[static_cast<std::size_t>(graph.string(k)) + 1];
  for (std::size_t v = graph.n_prefixes(); v-- > 1;)  // a row has an edge for each support string in its subtree
    out.indptr[static_cast<std::size_t>(parent[v]) + 1] += out.indptr[v + 1];
  for (std::size_t v = 0; v < graph.n_prefixes(); ++v) out.indptr[v + 1] += out.indptr[v];

  out.indices.resize(static_cast<std::size_t>(out.indptr.back()));
  std::vector<Index> cursor(out.indptr.begin(), out.indptr.end() - 1);
  for_each_string(graph, interrupt, [&](const StringCuts<Id>& cuts) {
    auto prefix = static_cast<std::size_t>(cuts.node);
    for (std::size_t i = cuts.suffixes.size(); i-- > 0; prefix = static_cast<std::size_t>(parent[prefix]))
      out.indices[static_cast<std::size_t>(cursor[prefix]++)] = static_cast<Index>(cuts.suffixes[i]);
  });
  return out;
}

}  // namespace hankelmatch
