// A maximum matching of a prefix-suffix graph that prefers heavy edges, from its trie: the list of edges is
// never made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/hankel_cover.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/hankel_matching.hpp>
#include <hankelmatch/heavy_matching.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/look_ahead_search.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/trie.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {
namespace detail {

/// A minimum vertex cover as one half of the graph sees it, from its short nodes, the rows.
struct CoverOfHalf {
  const Bitset& rows;
  const Bitset& cols;
};

/// The edges of a half's strings of length T, for Proposals; their places are the cursors of its rows.
template <class Rows>
struct LongestEdges {
  using index_type = typename Rows::index_type;
  const Rows& rows;
  std::span<const double> weights;  // by place
  CoverOfHalf cover;

  index_type begin(index_type row) const { return rows.begin(row); }
  index_type end(index_type row) const { return rows.begin(row) + rows.n_longest(row); }
  double weight(index_type place) const { return weights[at(place)]; }
  index_type column(index_type row, index_type place) const {
    return rows.find(row, place, [](index_type) { return true; });
  }
  bool comes_before(index_type place, index_type other) const { return place < other; }
  bool may_join(index_type row, index_type col) const {
    return !cover.rows.test(at(row)) || !cover.cols.test(at(col));
  }
};

/// Takes the heaviest edge of a half's strings of length T, then the heaviest whose ends are free, and so on,
/// as far as that goes.
template <class Id, class Rows>
void match_heaviest_first(const Rows& rows, std::span<const double> weights, CoverOfHalf cover,
                          Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& interrupt) {
  const LongestEdges<Rows> edges{rows, weights, cover};
  std::uint64_t one_pass = at(rows.n_rows);
  for (Id row = 0; row < rows.n_rows; ++row) one_pass += at(rows.n_longest(row));
  Proposals(edges, rows.n_rows, row_mate, col_mate, interrupt).run(kProposingPasses * one_pass);
}

/// Rows as LookAheadSearch takes them, without some of their columns.
template <class Rows>
struct RowsOutside {
  using index_type = typename Rows::index_type;
  Rows& rows;
  const Bitset& left_out;
  index_type n_rows = rows.n_rows;

  index_type begin(index_type row) const { return rows.begin(row); }
  void prefetch_row(index_type row) const { rows.prefetch_row(row); }
  auto reads_ahead(index_type row) const { return rows.reads_ahead(row); }
  index_type n_longest(index_type row) const { return rows.n_longest(row); }
  template <class Wanted>
  index_type find(index_type row, index_type& cursor, const Wanted& wanted) const {
    return rows.find(row, cursor, [&](index_type col) { return !left_out.test(at(col)) && wanted(col); });
  }
  bool complete(const Bitset& reached, Interrupt& interrupt) { return rows.complete(reached, interrupt); }
};

/// Matches the rows of a cover that are free with columns outside it. None of the searches fails.
template <class Id, class Rows>
void match_cover(Rows& rows, CoverOfHalf cover, Mates<Id>& row_mate, Mates<Id>& col_mate,
                 Interrupt& interrupt) {
  std::vector<Id> free;
  for (const Id row : by_number_of_strings<Id>(rows))
    if (cover.rows.test(at(row)) && row_mate[at(row)] == kUnmatched) free.push_back(row);
  RowsOutside<Rows> outside{rows, cover.cols};
  LookAheadSearch<Id, RowsOutside<Rows>>(outside, row_mate, col_mate, interrupt).run(free);
}

/// A cover's long nodes with the short ones that are not in it.
inline Bitset long_and_outside(Bitset cover, const Bitset& outside) {
  for (std::size_t v = 0; v < outside.size(); ++v) {
    if (outside.test(v)) {
      cover.set(v);
    } else {
      cover.reset(v);
    }
  }
  return cover;
}

/// The weights of the strings of length T in another order.
template <class Id>
Buffer<double> weights_in_order(const std::vector<Id>& strings, std::span<const double> weights) {
  Buffer<double> result(strings.size());
  for (std::size_t place = 0; place < strings.size(); ++place) result[place] = weights[at(strings[place])];
  return result;
}

}  // namespace detail

/// A maximum matching of all strings of a trie that prefers heavy edges: the heaviest first of the cuts of
/// the longest strings, of length T, that have a short and a long end and may be in a maximum matching, then
/// augmenting paths. Shorter strings are heavier, but the blocks of matchings that have many of them are of
/// lower numeric rank, and predict worse. `weights`: finite, one for each node.
///
/// The paths are found by what a minimum cover tells: each of its nodes is to be matched, and with one that
/// is not in it. In each half the short nodes of the cover are matched; its long ones, with the short ones
/// outside it, have few edges, which are listed. Only where the halves do not suffice (see
/// hankel_matching.hpp) that is not all. Two threads. Cost: hankel_matching, a look at the longest strings
/// for each length of short nodes and the searches.
template <class Id>
Matching<Id> heavy_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> weights,
                                   Interrupt interrupt = {}) {
  const HankelMatching<Id> maximum = hankel_matching(halves, interrupt);
  const detail::HankelCover cover(maximum, halves.trie().n_nodes());
  Matching<Id> matching = empty_hankel_matching(halves.trie(), interrupt);
  auto& [size, row_mate, col_mate] = matching;
  const auto& prefixes = halves.short_prefixes();
  auto suffixes = halves.short_suffixes();
  const Bitset outside_rows = detail::short_nodes_outside(cover.rows, prefixes.n_rows);
  const Bitset outside_cols = detail::short_nodes_outside(cover.cols, suffixes.n_rows);
  run_both(
      interrupt,
      [&](Interrupt& own) {
        const detail::CoverOfHalf seen{cover.rows, cover.cols};
        detail::match_heaviest_first(prefixes, weights, seen, row_mate, col_mate, own);
        detail::match_cover(prefixes, seen, row_mate, col_mate, own);
      },
      [&](Interrupt& own) {
        const detail::CoverOfHalf seen{cover.cols, cover.rows};
        const auto by_place = detail::weights_in_order(halves.suffix_order().strings,
                                                       weights.subspan(at(halves.middle().first_string)));
        detail::match_heaviest_first(suffixes, by_place.span(), seen, col_mate, row_mate, own);
        detail::match_cover(suffixes, seen, col_mate, row_mate, own);
        suffixes.complete(outside_cols, own);
      });
  detail::remainder_of(prefixes, outside_rows, suffixes, outside_cols,
                       detail::long_and_outside(cover.rows, outside_rows),
                       detail::long_and_outside(cover.cols, outside_cols), interrupt)
      .match(matching, interrupt);
  const auto n_free = std::ranges::count(row_mate, Id{kUnmatched});
  size = static_cast<Id>(row_mate.size()) - static_cast<Id>(n_free);
  if (size == maximum.matching.size) return matching;
  return hankel_matching_from(std::move(matching), halves, interrupt).matching;
}

}  // namespace hankelmatch
