// The greedy start: rows take their first free column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <vector>

namespace hankelmatch {

/// Rows from `next` to before `end`, up or down.
template <class Index>
struct RowRange {
  Index next = 0;
  Index end = 0;
  Index step = 1;  // 1 or -1

  bool empty() const { return next == end; }
  Index size() const { return step > 0 ? end - next : next - end; }
};

namespace detail {

/// The first free one of the columns from `next` to before `end`, or kUnmatched.
template <class Index>
Index first_free_col(const Index* next, const Index* end, const Index* col_mate) {
  // Long rows by blocks, since a branch for each column takes half as long again on dense matrices. A free
  // column is seen by the sign of its mate.
  static_assert(kUnmatched < 0);
  constexpr std::ptrdiff_t kBlock = 8;
  if (next != end && col_mate[*next] == kUnmatched) return *next;
  for (; end - next > 2 * kBlock; next += kBlock) {
    Index mates = col_mate[next[0]];
    for (std::ptrdiff_t i = 1; i < kBlock; ++i) mates |= col_mate[next[i]];
    if (mates < 0) break;
  }
  for (; next != end; ++next)
    if (col_mate[*next] == kUnmatched) return *next;
  return kUnmatched;
}

/// Gives the free rows of a range their first free column, up to the first that has none; returns which that
/// is, or the end. Plain pointers, since through the matching's vectors it takes twice as long: nothing else
/// is needed for matrices with a nonzero diagonal.
template <class Index>
Index match_until_failure(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows) {
  const Index* const indptr = graph.indptr.data();
  const Index* const indices = graph.indices.data();
  Index* const row_mate = matching.row_mate.data();
  Index* const col_mate = matching.col_mate.data();
  Index row = rows.next;
  Index n_new = 0;
  for (; row != rows.end; row += rows.step) {
    if (row_mate[row] != kUnmatched) continue;
    const Index col = first_free_col(indices + indptr[row], indices + indptr[row + 1], col_mate);
    if (col == kUnmatched) break;
    row_mate[row] = col;
    col_mate[col] = row;
    ++n_new;
  }
  matching.size += n_new;
  return row;
}

}  // namespace detail

/// Gives the free rows of a range their first free column, one row after the other, and appends those that
/// have none to `failed`. Returns the part of the range that is left once `most_failed` have failed. O(rows +
/// edges).
template <class Index>
RowRange<Index> match_greedily(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows,
                               std::size_t most_failed, std::vector<Index>& failed, Interrupt& interrupt) {
  constexpr Index kPollAfter = 1 << 10;
  while (!rows.empty() && failed.size() < most_failed) {
    const Index first = rows.next;
    const Index stop = first + rows.step * std::min(rows.size(), kPollAfter);
    rows.next = detail::match_until_failure(graph, matching, {first, stop, rows.step});
    const auto [low, high] = std::minmax(first, rows.next);
    interrupt.poll(static_cast<std::uint64_t>(graph.begin(high) - graph.begin(low)) + 1);
    if (rows.next == stop) continue;
    failed.push_back(rows.next);
    rows.next += rows.step;
  }
  return rows;
}

}  // namespace hankelmatch
