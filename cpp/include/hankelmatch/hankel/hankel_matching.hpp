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
// Else the two halves can help one another, but only by augmenting paths across such an edge. Let A be the
// ends in Z of these edges and all of Z from where alternating paths lead to one, B in Y likewise; both with
// their mates. As A is defined, nothing in Z - A is next to a mate of A, nor to Y; likewise in Y - B. So all
// edges that are left untouched by what C has outside, without the mates of A and B, join two nodes of this
// part. It is matched by itself, with a list of its edges, and a vertex cover of it completes the rest of C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/joint_part.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/look_ahead_search.hpp>
#include <hankelmatch/hankel/prefix_rows.hpp>
#include <hankelmatch/hankel/short_long_split.hpp>
#include <hankelmatch/hankel/suffix_rows.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
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

/// The longest rows in order of their number of strings of length T: unordered, searches look at many times
/// as many edges. Then those with many strings, and all shorter ones, in the order of the trie, which reads
/// memory in streams.
template <class Id, class Rows>
std::vector<Id> by_number_of_strings(const Rows& rows, const std::vector<Id>& some) {
  constexpr Id kMany = 32;
  std::vector<Id> group_of;
  group_of.reserve(some.size());
  for (const Id row : some)
    group_of.push_back(row < rows.first_middle() ? kMany : std::min(rows.n_longest(row), kMany));
  auto order = std::move(Groups<Id>(group_of, at(kMany) + 1).order);
  for (Id& row : order) row = some[at(row)];
  return order;
}

template <class Id, class Rows>
HalfResult match_rows(Rows& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& interrupt) {
  LookAheadSearch<Id, Rows> search(rows, row_mate, col_mate, interrupt);
  search.run(by_number_of_strings<Id>(rows, search.match_single_edges()));
  return {search.reached_rows(), search.reached_cols(), search.n_edges_seen()};
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
  others.for_each(reached.size(), others.size(), [&](std::size_t v) { nodes.push_back(static_cast<Id>(v)); });
  return nodes;
}

/// Matches together what only both halves together can (see above), given the edges of reached short nodes;
/// then what is next to reached rows becomes the rest of the vertex cover.
template <class Id>
void match_remainder(const PrefixRows<Id>& prefixes, const SuffixRows<Id>& suffixes,
                     std::span<const ShortEdge<Id>> edges, HalfResult& of_prefixes, HalfResult& of_suffixes,
                     HankelMatching<Id>& result, Interrupt& interrupt) {
  std::vector<Id> prefix_ends;
  std::vector<Id> suffix_ends;
  for (const auto [prefix, suffix] : edges) {
    prefix_ends.push_back(prefix);
    suffix_ends.push_back(suffix);
  }
  ReachedPart<Id> left;
  ReachedPart<Id> right;
  run_both(
      interrupt,
      [&](Interrupt& own) {
        left = part_leading_to(std::move(prefix_ends), prefixes, of_prefixes.reached_rows,
                               of_prefixes.reached_cols, result.matching.row_mate, own);
      },
      [&](Interrupt& own) {
        right = part_leading_to(std::move(suffix_ends), suffixes, of_suffixes.reached_rows,
                                of_suffixes.reached_cols, result.matching.col_mate, own);
      });
  of_suffixes.reached_cols.remove(right.cols);
  of_prefixes.reached_cols.remove(left.cols);
  right.cols.add(left.rows);
  left.cols.add(right.rows);
  Remainder<Id> remainder(right.cols, left.cols);
  for (const auto [row, col] : left.edges) remainder.add_edge(row, col);
  for (const auto [row, col] : right.edges) remainder.add_edge(col, row);
  for (const auto [prefix, suffix] : edges) remainder.add_edge(prefix, suffix);
  result.n_edges_seen += remainder.n_edges();
  remainder.match(result.matching, interrupt);
  remainder.cover(of_suffixes.reached_cols, of_prefixes.reached_cols, interrupt);
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
HankelMatching<Id> hankel_matching(const HankelHalves<Id>& halves, Interrupt& interrupt,
                                   const Prefer& prefer) {
  interrupt.check();
  HankelMatching<Id> result;
  result.matching = detail::empty_hankel_matching(halves.trie(), interrupt);
  Mates<Id>& row_mate = result.matching.row_mate;
  Mates<Id>& col_mate = result.matching.col_mate;
  const auto& prefixes = halves.short_prefixes();
  auto suffixes = halves.short_suffixes();
  detail::HalfResult of_prefixes;
  detail::HalfResult of_suffixes;
  detail::StringsWithPrefixes ending;  // in a reached suffix
  run_both(                            // the half that takes longer here: the other thread starts later
      interrupt,
      [&](Interrupt& own) {
        prefer(suffixes, col_mate, row_mate, own,
               [&] { of_suffixes = detail::match_rows<Id>(suffixes, col_mate, row_mate, own); });
        ending = detail::with_prefixes_ending_in(halves.trie(), of_suffixes.reached_rows, own);
      },
      [&](Interrupt& own) {
        prefer(prefixes, row_mate, col_mate, own,
               [&] { of_prefixes = detail::match_rows<Id>(prefixes, row_mate, col_mate, own); });
      });
  result.n_edges_seen = of_prefixes.n_edges_seen + of_suffixes.n_edges_seen;
  const auto left_out = detail::edges_between(halves.middle(), of_prefixes.reached_rows,
                                              of_suffixes.reached_rows, ending, interrupt);
  if (!left_out.empty())
    detail::match_remainder<Id>(prefixes, suffixes, left_out, of_prefixes, of_suffixes, result, interrupt);
  result.cover_rows = detail::cover_side<Id>(of_prefixes.reached_rows, of_suffixes.reached_cols);
  result.cover_cols = detail::cover_side<Id>(of_suffixes.reached_rows, of_prefixes.reached_cols);
  result.matching.size = static_cast<Id>(result.cover_rows.size() + result.cover_cols.size());
  return result;
}

/// The same without any preference.
template <class Id>
HankelMatching<Id> hankel_matching(const HankelHalves<Id>& halves, Interrupt& interrupt = no_interrupt()) {
  return hankel_matching(halves, interrupt,
                         [](const auto&, auto&, auto&, auto&, const auto& search) { search(); });
}

}  // namespace hankelmatch
