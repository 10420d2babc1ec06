// A maximum matching of a text's prefix-suffix graph. It looks at few of the edges and never lists them all.
//
//     Interrupt interrupt;
//     const auto counts = std::get<SubstringCounts<std::int32_t>>(count_substrings(corpus, 5, {},
//     interrupt)); const SplitGraph<std::int32_t> split(counts.trie, interrupt); const
//     HankelMatching<std::int32_t> found = hankel_matching(split, interrupt); found.matching.row_mate[p];  //
//     the suffix matched with prefix p, both nodes of the trie; or kUnmatched
//
// The strings are all substrings up to a length T. A prefix is short if its length is at most floor(T / 2), a
// suffix if at most floor((T - 1) / 2). The bounds add up to T - 1, so every edge has a short end. Short
// prefixes with long suffixes, and short suffixes with long prefixes, are two graphs without a common node.
// Each is matched by itself, from its few short nodes. Edges between two short nodes are left out, and only
// the certificate looks at them:
//
// Let Z be the short prefixes that searches from free ones reach, Y the short suffixes likewise. If no edge
// joins Z and Y, then
//     C = (short prefixes - Z) + (long suffixes next to Z) + (short suffixes - Y) + (long prefixes next to Y)
// covers every edge (p, s): if p is in Z, then s is long and next to it, or short and not in Y; if s is in Y
// likewise; else the short end of the edge is in C itself. And |C| = |M|: all nodes of C are matched, since a
// free one would have ended a failed search; the mates of those next to Z are in Z, of those next to Y in Y,
// so each pair has one end in C.
//
// If some edges join Z and Y, only augmenting paths across these edges can enlarge the matching. Let A be
// their ends in Z and all of Z from where alternating paths lead to one, B likewise in Y; both with their
// mates. By its definition, no node of Z - A is next to a mate of A, nor to Y; likewise in Y - B. So all
// edges that C outside of A and B does not cover join two nodes of A and B: the two-sided part. It is matched
// by itself, with a list of its edges, and a vertex cover of it completes the rest of C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/look_ahead_search.hpp>
#include <hankelmatch/hankel/prefix_rows.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/hankel/suffix_rows.hpp>
#include <hankelmatch/hankel/two_sided_part.hpp>
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
  /// Together a vertex cover of the size of the matching; both ascend.
  std::vector<Id> cover_rows;
  std::vector<Id> cover_cols;
  std::uint64_t n_edges_seen = 0;  ///< the number of edges that the search looked at
};

/// What a caller of hankel_matching may add on each of the two sides, on that side's thread. This one adds
/// nothing. `row_mate` and `col_mate` are the whole arrays; a hook may read and write those of its own rows
/// and columns only.
struct NoHook {
  /// May match rows with columns; the search keeps matched nodes matched.
  void before_search() {}
  /// The matching of this side is maximum now. May give matched rows other columns that are free.
  void after_search() {}
};

namespace detail {

/// The result of matching one side.
struct SideResult {
  Bitset reached_rows;
  Bitset reached_cols;
  std::uint64_t n_edges_seen = 0;
};

/// The deepest rows by their number of longest strings: in no order, searches look at many times as many
/// edges. Then the rows with many longest strings and all shorter rows, in the order of the trie, which reads
/// memory in streams.
template <class Id, class Rows>
std::vector<Id> by_number_of_strings(const Rows& rows, const std::vector<Id>& some) {
  constexpr Id kMany = 32;
  std::vector<Id> group_of;
  group_of.reserve(some.size());
  for (const Id row : some)
    group_of.push_back(row < rows.first_deepest() ? kMany : std::min(rows.n_full(row), kMany));
  auto order = std::move(Groups<Id>(group_of, at(kMany) + 1, no_interrupt()).order);
  for (Id& row : order) row = some[at(row)];
  return order;
}

template <class Id, class Rows, class MakeHook>
SideResult match_side(Rows& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, const MakeHook& make_hook,
                      Interrupt& interrupt) {
  auto hook = make_hook(rows, row_mate, col_mate, interrupt);
  hook.before_search();
  LookAheadSearch<Id, Rows> search(rows, row_mate, col_mate, interrupt);
  search.run(by_number_of_strings<Id>(rows, search.match_single_edges()));
  SideResult result{search.reached_rows(), search.reached_cols(), search.n_edges_seen()};
  hook.after_search();
  return result;
}

/// One side of a vertex cover: the short nodes that are not reached, and `others`.
template <class Id>
std::vector<Id> cover_side(const Bitset& reached, const Bitset& others) {
  std::vector<Id> nodes(reached.size());
  std::size_t size = 0;
  for (std::size_t v = 0; v < reached.size(); ++v) {  // no branch, since none could be predicted
    nodes[size] = static_cast<Id>(v);
    size += static_cast<std::size_t>(!reached.test(v)) | static_cast<std::size_t>(others.test(v));
  }
  nodes.resize(size);
  others.for_each(reached.size(), others.size(), [&](std::size_t v) { nodes.push_back(static_cast<Id>(v)); });
  return nodes;
}

/// Matches the two-sided part (see above), given the edges between reached short nodes. Afterwards the
/// columns next to reached rows are the rest of the vertex cover.
template <class Id>
void match_two_sided_part(const PrefixRows<Id>& prefixes, const SuffixRows<Id>& suffixes,
                          std::span<const Edge<Id>> edges, SideResult& of_prefixes, SideResult& of_suffixes,
                          HankelMatching<Id>& result, Interrupt& interrupt) {
  std::vector<Id> prefix_ends;
  std::vector<Id> suffix_ends;
  for (const Edge<Id>& edge : edges) {
    prefix_ends.push_back(edge.row);
    suffix_ends.push_back(edge.col);
  }
  AlternatingPart<Id> left;
  AlternatingPart<Id> right;
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
  TwoSidedPart<Id> part(right.cols, left.cols);
  for (const Edge<Id>& edge : left.edges) part.add_edge(edge.row, edge.col);
  for (const Edge<Id>& edge : right.edges) part.add_edge(edge.col, edge.row);
  for (const Edge<Id>& edge : edges) part.add_edge(edge.row, edge.col);
  result.n_edges_seen += part.n_edges();
  part.match(result.matching, interrupt);
  part.cover(of_suffixes.reached_cols, of_prefixes.reached_cols, interrupt);
}

/// A matching without edges, with the mates of all nodes of a trie.
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
/// threads, one for each side. Cost: a pass over the suffix links for the certificate, and the searches,
/// which look at few edges of texts. If the two sides do not suffice, the edges of the two-sided part are
/// listed and matched. Memory: the mates, some bits a string, and that list.
///
/// make_hook(rows, row_mate, col_mate, interrupt) makes the hook of a side (see NoHook). The certificate
/// holds with every hook: what is next to a reached row has a mate, or the search would not have failed; that
/// mate is reached too, so none of these columns becomes free.
template <class Id, class MakeHook>
[[nodiscard]] HankelMatching<Id> hankel_matching(const SplitGraph<Id>& split, Interrupt& interrupt,
                                                 const MakeHook& make_hook) {
  interrupt.check();
  HankelMatching<Id> result;
  result.matching = detail::empty_hankel_matching(split.trie(), interrupt);
  auto& row_mate = result.matching.row_mate;
  auto& col_mate = result.matching.col_mate;
  const auto& prefixes = split.short_prefixes();
  auto suffixes = split.short_suffixes();
  detail::SideResult of_prefixes;
  detail::SideResult of_suffixes;
  detail::StringsWithPrefixes ending;  // in a reached suffix
  run_both(                            // the side that takes longer here: the other thread starts later
      interrupt,
      [&](Interrupt& own) {
        of_suffixes = detail::match_side<Id>(suffixes, col_mate, row_mate, make_hook, own);
        ending = detail::with_prefixes_ending_in(split.trie(), of_suffixes.reached_rows, own);
      },
      [&](Interrupt& own) {
        of_prefixes = detail::match_side<Id>(prefixes, row_mate, col_mate, make_hook, own);
      });
  result.n_edges_seen = of_prefixes.n_edges_seen + of_suffixes.n_edges_seen;
  const std::vector<detail::Edge<Id>> joining = detail::edges_between(
      split.longest_strings(), of_prefixes.reached_rows, of_suffixes.reached_rows, ending, interrupt);
  if (!joining.empty())
    detail::match_two_sided_part<Id>(prefixes, suffixes, joining, of_prefixes, of_suffixes, result,
                                     interrupt);
  result.cover_rows = detail::cover_side<Id>(of_prefixes.reached_rows, of_suffixes.reached_cols);
  result.cover_cols = detail::cover_side<Id>(of_suffixes.reached_rows, of_prefixes.reached_cols);
  result.matching.size = static_cast<Id>(result.cover_rows.size() + result.cover_cols.size());
  return result;
}

/// The same without a hook.
template <class Id>
[[nodiscard]] HankelMatching<Id> hankel_matching(const SplitGraph<Id>& split,
                                                 Interrupt& interrupt = no_interrupt()) {
  return hankel_matching(split, interrupt, [](const auto&...) { return NoHook(); });
}

}  // namespace hankelmatch
