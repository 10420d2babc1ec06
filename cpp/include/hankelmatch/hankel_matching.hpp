// A maximum matching of a text's prefix-suffix graph that looks at few of its edges and never builds their
// list.
//
// The strings are all substrings up to a length T. Call a prefix short if its length is at most floor(T / 2),
// a suffix if at most floor((T - 1) / 2). The bounds add up to T - 1, so every edge has a short end. The
// edges of short prefixes with long suffixes and those of short suffixes with long prefixes are two graphs
// without a common node: each is matched by itself, from its few short nodes. Edges of two short nodes are
// left out, and looked at only by the certificate:
//
// Let Z be the short prefixes that searches from free ones reach, Y the short suffixes likewise. If no edge
// joins Z and Y,
//     C = (short prefixes - Z) + (long suffixes next to Z) + (short suffixes - Y) + (long prefixes next to Y)
// touches every edge (p, s): if p is in Z, s is long and next to it, or short and not in Y; likewise if s is
// in Y; else the short end of the edge is in C itself. And |C| = |M|: all nodes of C are matched, since a
// free one would have ended a failed search; the mates of those next to Z are in Z, of those next to Y in Y,
// so each pair has one end in C.
//
// Else the two halves can help one another, but only in the part of the graph with rows Z and the long
// prefixes next to Y, columns Y and the long suffixes next to Z. It is small, its nodes have their mates in
// it, and it has all edges that those in C without Z, Y and what is next to them leave untouched. So it is
// matched by itself, with a list of its edges, and a vertex cover of it completes the one of the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/groups.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/hankel_prefixes.hpp>
#include <hankelmatch/hankel_remainder.hpp>
#include <hankelmatch/hankel_suffixes.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/look_ahead_search.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/middle_strings.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/trie.hpp>
#include <hankelmatch/trie_paths.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// A maximum matching of all substrings up to T, and its certificate.
template <class Id>
struct HankelMatching {
  Matching<Id> matching;  ///< rows = prefixes, columns = suffixes, both by trie node
  /// With cover_cols a vertex cover of the size of the matching, ascending.
  std::vector<Id> cover_rows;
  std::vector<Id> cover_cols;
  std::uint64_t n_edges_seen = 0;  ///< edges looked at, of the many there are
};

namespace detail {

/// What a half has to say when its rows are matched.
struct HalfResult {
  Bitset reached_rows;
  Bitset reached_cols;
  std::uint64_t n_edges_seen = 0;
};

/// Rows with few strings of length T first: unordered, searches look at many times as many edges.
template <class Id, class Rows>
std::vector<Id> by_number_of_strings(const Rows& rows) {
  constexpr Id kMany = 32;  // from here on the order of the trie is better: it reads memory in streams
  std::vector<Id> group_of;
  group_of.reserve(at(rows.n_rows));
  for (Id row = 0; row < rows.n_rows; ++row) group_of.push_back(std::min(rows.n_longest(row), kMany));
  return std::move(Groups<Id>(group_of, at(kMany) + 1).order);
}

template <class Id, class Rows>
HalfResult match_rows(Rows& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& interrupt) {
  LookAheadSearch<Id, Rows> search(rows, row_mate, col_mate, interrupt);
  search.run(by_number_of_strings<Id>(rows));
  return {search.reached_rows(), search.reached_cols(), search.n_edges_seen()};
}

template <class Id>
struct ShortEdge {
  Id prefix;
  Id suffix;
};

/// The edges of short prefixes with the given short suffixes.
template <class Id>
std::vector<ShortEdge<Id>> short_edges(const MiddleStrings<Id>& middle, const Bitset& suffixes,
                                       Interrupt& interrupt) {
  std::vector<ShortEdge<Id>> edges;
  if (suffixes.count() == 0) return edges;
  for_each_string_ending_in(middle.trie, suffixes, interrupt, [&](Id string, Id suffix, std::size_t rest) {
    if (rest < middle.prefix_bound)
      edges.push_back({shorter_prefix(middle.trie, string, middle.trie.length(suffix)), suffix});
  });
  return edges;
}

/// One side of a vertex cover: the short nodes that are not reached, and `others`.
template <class Id>
std::vector<Id> cover_side(const Bitset& reached, const Bitset& others) {
  std::vector<Id> nodes(reached.size());
  std::size_t size = 0;
  for (std::size_t v = 0; v < reached.size(); ++v) {  // no branch: none of them can be foreseen
    nodes[size] = static_cast<Id>(v);
    size += static_cast<std::size_t>(!reached.test(v)) | static_cast<std::size_t>(others.test(v));
  }
  nodes.resize(size);
  for (std::size_t v = others.find_next(reached.size()); v < others.size(); v = others.find_next(v + 1))
    nodes.push_back(static_cast<Id>(v));
  return nodes;
}

inline void add_all(Bitset& set, const Bitset& members) {
  for (std::size_t i = members.find_next(0); i < members.size(); i = members.find_next(i + 1)) set.set(i);
}

/// Calls visit(row, column) for all edges of some rows.
template <class Id, class Rows, class Visit>
void for_each_edge_of(const Rows& rows, const Bitset& wanted, Interrupt& interrupt, const Visit& visit) {
  for (std::size_t r = wanted.find_next(0); r < wanted.size(); r = wanted.find_next(r + 1)) {
    const auto row = static_cast<Id>(r);
    Id cursor = rows.begin(row);
    const auto any = [](Id) { return true; };
    for (Id col = rows.find(row, cursor, any); col != kUnmatched; col = rows.find(row, cursor, any)) {
      interrupt.poll();
      visit(row, col);
    }
  }
}

/// Matches what is reached in both halves together (see above), whose edges between short nodes are given;
/// then what is reached becomes its vertex cover.
template <class Id>
void match_remainder(const PrefixRows<Id>& prefixes, const SuffixRows<Id>& suffixes,
                     std::span<const ShortEdge<Id>> edges, HalfResult& of_prefixes, HalfResult& of_suffixes,
                     HankelMatching<Id>& result, Interrupt& interrupt) {
  Bitset& rows = of_suffixes.reached_cols;
  Bitset& cols = of_prefixes.reached_cols;
  add_all(rows, of_prefixes.reached_rows);
  add_all(cols, of_suffixes.reached_rows);
  Remainder<Id> remainder(rows, cols);
  for_each_edge_of<Id>(prefixes, of_prefixes.reached_rows, interrupt,
                       [&](Id row, Id col) { remainder.add_edge(row, col); });
  for_each_edge_of<Id>(suffixes, of_suffixes.reached_rows, interrupt,
                       [&](Id col, Id row) { remainder.add_edge(row, col); });
  for (const auto [prefix, suffix] : edges) remainder.add_edge(prefix, suffix);
  result.n_edges_seen += remainder.n_edges();
  remainder.match(result.matching, interrupt);
  rows.clear();
  cols.clear();
  remainder.cover(rows, cols, interrupt);
}

/// The matching of no pair of a trie's strings; its size stays 0.
template <class Id>
Matching<Id> empty_hankel_matching(const Trie<Id>& trie, Interrupt& interrupt) {
  Matching<Id> matching;
  const auto unmatched = [&](Mates<Id>& mates) {
    mates.reserve(trie.n_nodes());
    mates.assign(trie.n_nodes(), kUnmatched);
  };
  run_both(
      interrupt, [&](Interrupt&) { unmatched(matching.row_mate); },
      [&](Interrupt&) { unmatched(matching.col_mate); });
  return matching;
}

}  // namespace detail

/// A maximum matching of the prefix-suffix graph of all strings of a trie, certified by a vertex cover. Two
/// threads, one for each half. Cost: a pass over the suffix links for the certificate, and the searches,
/// which on texts look at few edges. Where the halves do not suffice a part of the edges is listed and
/// matched. Memory: the mates, some bits a string, and that list.
///
/// `prefer(rows, row_mate, col_mate, interrupt, search)` is called for each half, on its thread, and calls
/// `search()`, which makes the half's matching maximum. Before that it may match rows with columns of the
/// half, after it give those that have a mate there another one that is free. The certificate holds all the
/// same: what is next to a reached row has a mate, or the search would not have failed, and that mate is
/// reached too, so none of it becomes free.
template <class Id, class Prefer>
HankelMatching<Id> hankel_matching(const HankelHalves<Id>& halves, Interrupt interrupt,
                                   const Prefer& prefer) {
  interrupt.check();
  HankelMatching<Id> result;
  result.matching = detail::empty_hankel_matching(halves.trie(), interrupt);
  auto& [size, row_mate, col_mate] = result.matching;
  const auto& prefixes = halves.short_prefixes();
  auto suffixes = halves.short_suffixes();
  detail::HalfResult of_prefixes;
  detail::HalfResult of_suffixes;
  std::vector<detail::ShortEdge<Id>> left_out;  // edges of short prefixes with the suffixes reached
  run_both(  // the half that takes longer here: the other thread starts later
      interrupt,
      [&](Interrupt& own) {
        prefer(suffixes, col_mate, row_mate, own,
               [&] { of_suffixes = detail::match_rows<Id>(suffixes, col_mate, row_mate, own); });
        left_out = detail::short_edges(halves.middle(), of_suffixes.reached_rows, own);
      },
      [&](Interrupt& own) {
        prefer(prefixes, row_mate, col_mate, own,
               [&] { of_prefixes = detail::match_rows<Id>(prefixes, row_mate, col_mate, own); });
      });
  result.n_edges_seen = of_prefixes.n_edges_seen + of_suffixes.n_edges_seen;
  std::erase_if(left_out, [&](const auto& edge) { return !of_prefixes.reached_rows.test(at(edge.prefix)); });
  if (!left_out.empty())
    detail::match_remainder<Id>(prefixes, suffixes, left_out, of_prefixes, of_suffixes, result, interrupt);
  result.cover_rows = detail::cover_side<Id>(of_prefixes.reached_rows, of_suffixes.reached_cols);
  result.cover_cols = detail::cover_side<Id>(of_suffixes.reached_rows, of_prefixes.reached_cols);
  size = static_cast<Id>(result.cover_rows.size() + result.cover_cols.size());
  return result;
}

/// The same without any preference.
template <class Id>
HankelMatching<Id> hankel_matching(const HankelHalves<Id>& halves, Interrupt interrupt = {}) {
  return hankel_matching(halves, std::move(interrupt),
                         [](const auto&, auto&, auto&, auto&, const auto& search) { search(); });
}

}  // namespace hankelmatch
