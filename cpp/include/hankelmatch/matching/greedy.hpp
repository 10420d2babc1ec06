// The greedy start: rows take their first free column, or their last.
#pragma once

#include <algorithm>
#include <array>
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

/// The last free one of the columns from `begin` to before `end`, or kUnmatched.
template <class Index>
Index last_free_col(const Index* begin, const Index* end, const Index* col_mate) {
  while (end != begin)
    if (col_mate[*--end] == kUnmatched) return *end;
  return kUnmatched;
}

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

/// Gives the free rows of a range their first (or last) free column, until `most_failed` have none, which are
/// written to `failed`; returns the rows that are left. Plain pointers, since through the matching's vectors
/// it takes twice as long: nothing else is needed for matrices with a nonzero diagonal.
template <bool kTakeLast, class Index>
RowRange<Index> match_some(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows,
                           const Index* most_failed, Index*& failed) {
  const Index* const indptr = graph.indptr.data();
  const Index* const indices = graph.indices.data();
  Index* const row_mate = matching.row_mate.data();
  Index* const col_mate = matching.col_mate.data();
  Index* next_failed = failed;
  Index n_new = 0;
  Index row = rows.next;
  for (; row != rows.end && next_failed != most_failed; row += rows.step) {
    if (row_mate[row] != kUnmatched) continue;
    const Index* const begin = indices + indptr[row];
    const Index* const end = indices + indptr[row + 1];
    const Index col = kTakeLast ? last_free_col(begin, end, col_mate) : first_free_col(begin, end, col_mate);
    if (col == kUnmatched) {
      *next_failed++ = row;
      continue;
    }
    row_mate[row] = col;
    col_mate[col] = row;
    ++n_new;
  }
  matching.size += n_new;
  failed = next_failed;
  return {row, rows.end, rows.step};
}

}  // namespace detail

/// Gives the free rows of a range their first free column, or their last, one row after the other, and
/// appends those that have none to `failed`. Returns the part of the range that is left once `most_failed`
/// have failed. O(rows + edges).
template <class Index>
RowRange<Index> match_greedily(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows,
                               bool take_last, std::size_t most_failed, std::vector<Index>& failed,
                               Interrupt& interrupt) {
  constexpr std::size_t kPollAfter = 1 << 10;
  std::array<Index, kPollAfter> failures{};
  while (!rows.empty() && failed.size() < most_failed) {
    const Index first = rows.next;
    const Index n_some = std::min(rows.size(), Index{kPollAfter});
    const RowRange<Index> some{first, first + rows.step * n_some, rows.step};
    const Index* const most = failures.data() + std::min(most_failed - failed.size(), failures.size());
    Index* end = failures.data();
    rows.next = (take_last ? detail::match_some<true>(graph, matching, some, most, end)
                           : detail::match_some<false>(graph, matching, some, most, end))
                    .next;
    failed.insert(failed.end(), failures.data(), end);
    const Index above = rows.step > 0 ? 0 : 1;  // downwards, the rows passed are those above `next`
    const auto [low, high] = std::minmax(first + above, rows.next + above);
    interrupt.poll(static_cast<std::uint64_t>(graph.begin(high) - graph.begin(low)) + 1);
  }
  return rows;
}

}  // namespace hankelmatch
