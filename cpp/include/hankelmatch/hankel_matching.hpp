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
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/look_ahead_search.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/trie.hpp>
#include <vector>

namespace hankelmatch {

/// A maximum matching of all substrings up to T, and its certificate.
template <class Id>
struct HankelMatching {
  Matching<Id> matching;  ///< rows = prefixes, columns = suffixes, both by trie node
  /// With cover_cols a vertex cover of the size of the matching, ascending; both empty where the search had
  /// to go on over all edges.
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
HalfResult match_rows(Rows& rows, const std::vector<Id>& order, Mates<Id>& row_mate, Mates<Id>& col_mate,
                      Interrupt& interrupt) {
  LookAheadSearch<Id, Rows> search(rows, row_mate, col_mate, interrupt);
  search.run(order);
  return {search.reached_rows(), search.reached_cols(), search.n_edges_seen()};
}

/// The short prefixes that an edge joins to some of the given short suffixes.
template <class Id>
Bitset short_prefixes_next_to(const MiddleStrings<Id>& middle, const Bitset& suffixes, Interrupt& interrupt) {
  Bitset prefixes(at(middle.trie.level_begin[middle.prefix_bound]));
  if (suffixes.count() == 0) return prefixes;
  for_each_string_ending_in(middle.trie, suffixes, interrupt, [&](Id string, Id suffix, std::size_t rest) {
    if (rest < middle.prefix_bound)
      prefixes.set(at(shorter_prefix(middle.trie, string, middle.trie.length(suffix))));
  });
  return prefixes;
}

inline bool intersect(const Bitset& a, const Bitset& b) {
  for (std::size_t i = a.find_next(0); i < a.size(); i = a.find_next(i + 1))
    if (b.test(i)) return true;
  return false;
}

/// The rows of one half that are not reached, and the columns of the other half that are: one side of a
/// vertex cover.
template <class Id>
std::vector<Id> cover_side(const Bitset& reached_rows, const Bitset& reached_cols) {
  std::vector<Id> nodes;
  for (std::size_t v = 0; v < reached_rows.size(); ++v)
    if (!reached_rows.test(v)) nodes.push_back(static_cast<Id>(v));
  for (std::size_t v = reached_cols.find_next(0); v < reached_cols.size(); v = reached_cols.find_next(v + 1))
    nodes.push_back(static_cast<Id>(v));
  return nodes;
}

/// Where short sentences let the two halves help one another: augmenting paths over all edges of the graph.
///
/// They start from free short prefixes only: long prefixes have short suffixes only, whose mates are long, so
/// a path from a free one would lie in its half, where none is left; and where no path starts, none will
/// after others were flipped. And of the short suffixes they pass only `suffixes`, those that a free one was
/// reached from: from another no path goes on to a free one, for it would lie in the half of the suffixes;
/// nor will it later, as no flipped path comes by there.
template <class Id>
void match_across_halves(const HankelHalves<Id>& halves, const Bitset& suffixes, HankelMatching<Id>& result,
                         Interrupt& interrupt) {
  auto& [size, row_mate, col_mate] = result.matching;
  const PrefixRows<Id> rows = halves.edges();
  LookAheadSearch<Id, const PrefixRows<Id>> search(rows, row_mate, col_mate, interrupt);
  for (std::size_t suffix = 0; suffix < suffixes.size(); ++suffix)
    if (!suffixes.test(suffix)) search.avoid(suffix);
  std::vector<Id> order;
  for (Id row = halves.short_prefixes().n_rows; row-- > 0;)
    if (row_mate[at(row)] == kUnmatched) order.push_back(row);
  search.run(order);
  result.n_edges_seen += search.n_edges_seen();
}

}  // namespace detail

/// A maximum matching of the prefix-suffix graph of all strings of a trie, certified by a vertex cover. Two
/// threads, one for each half. Cost: a pass over the suffix links for the certificate, and the searches,
/// which on texts look at few edges. Where the halves do not suffice the search goes on over all implicit
/// edges; never a wrong answer. Memory: the mates, and some bits a string.
template <class Id>
HankelMatching<Id> hankel_matching(const HankelHalves<Id>& halves, Interrupt interrupt = {}) {
  interrupt.check();
  const Trie<Id>& trie = halves.trie();
  HankelMatching<Id> result;
  auto& [size, row_mate, col_mate] = result.matching;
  const auto unmatched = [&](Mates<Id>& mates) {
    mates.reserve(trie.n_nodes());
    mates.assign(trie.n_nodes(), kUnmatched);
  };
  run_both(interrupt, [&](Interrupt&) { unmatched(row_mate); }, [&](Interrupt&) { unmatched(col_mate); });
  detail::HalfResult of_prefixes;
  detail::HalfResult of_suffixes;
  Bitset next_to_suffixes;  // short prefixes next to the suffixes that were reached
  run_both(
      interrupt,
      [&](Interrupt& own) {
        const auto& rows = halves.short_prefixes();
        of_prefixes =
            detail::match_rows<Id>(rows, detail::by_number_of_strings<Id>(rows), row_mate, col_mate, own);
      },
      [&](Interrupt& own) {
        auto rows = halves.short_suffixes();
        of_suffixes =
            detail::match_rows<Id>(rows, detail::by_number_of_strings<Id>(rows), col_mate, row_mate, own);
        next_to_suffixes = detail::short_prefixes_next_to(halves.middle(), of_suffixes.reached_rows, own);
      });
  result.n_edges_seen = of_prefixes.n_edges_seen + of_suffixes.n_edges_seen;
  if (detail::intersect(of_prefixes.reached_rows, next_to_suffixes)) {
    detail::match_across_halves(halves, of_suffixes.reached_rows, result, interrupt);
  } else {
    result.cover_rows = detail::cover_side<Id>(of_prefixes.reached_rows, of_suffixes.reached_cols);
    result.cover_cols = detail::cover_side<Id>(of_suffixes.reached_rows, of_prefixes.reached_cols);
  }
  size = static_cast<Id>(std::ranges::count_if(row_mate, [](Id col) { return col != kUnmatched; }));
  return result;
}

}  // namespace hankelmatch
