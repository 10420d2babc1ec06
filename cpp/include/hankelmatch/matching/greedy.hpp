// The greedy start: rows take a free column each.
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

/// Which of its free columns a row takes: the first of its list, the last, or the next from a place that
/// differs from row to row.
enum class GreedyStart : std::uint8_t { kFirst, kLast, kAnywhere };

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

/// A free one of the columns from `begin` to before `end`, or kUnmatched; the row decides where to begin.
template <class Index>
Index any_free_col(const Index* begin, const Index* end, const Index* col_mate, Index row) {
  constexpr std::uint64_t kScatter = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  const std::uint64_t fraction = (static_cast<std::uint64_t>(row) * kScatter) >> 32;  // of 2^32
  const auto length = static_cast<std::uint64_t>(end - begin);
  const Index* const middle = begin + static_cast<std::ptrdiff_t>((fraction * length) >> 32);
  const Index col = first_free_col(middle, end, col_mate);
  return col != kUnmatched ? col : first_free_col(begin, middle, col_mate);
}

template <GreedyStart kStart, class Index>
Index free_col(const Index* begin, const Index* end, const Index* col_mate, Index row) {
  if constexpr (kStart == GreedyStart::kFirst) return first_free_col(begin, end, col_mate);
  if constexpr (kStart == GreedyStart::kLast) return last_free_col(begin, end, col_mate);
  return any_free_col(begin, end, col_mate, row);
}

/// Gives the free rows of a range a free column, until `most_failed` have none, which are written to
/// `failed`; returns the rows that are left. Plain pointers, since through the matching's vectors it takes
/// twice as long: nothing else is needed for matrices with a nonzero diagonal.
template <GreedyStart kStart, class Index>
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
    const Index col = free_col<kStart>(begin, end, col_mate, row);
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

/// Gives the free rows of a range a free column, one row after the other, and appends those that have none to
/// `failed`. Returns the part of the range that is left once `most_failed` have failed. O(rows + edges).
template <class Index>
RowRange<Index> match_greedily(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows,
                               GreedyStart start, std::size_t most_failed, std::vector<Index>& failed,
                               Interrupt& interrupt) {
  constexpr std::size_t kPollAfter = 1 << 10;
  std::array<Index, kPollAfter> failures{};
  while (!rows.empty() && failed.size() < most_failed) {
    const Index first = rows.next;
    const Index n_some = std::min(rows.size(), Index{kPollAfter});
    const RowRange<Index> some{first, first + rows.step * n_some, rows.step};
    const Index* const most = failures.data() + std::min(most_failed - failed.size(), failures.size());
    Index* end = failures.data();
    const auto match_them = [&] {
      if (start == GreedyStart::kFirst)
        return detail::match_some<GreedyStart::kFirst>(graph, matching, some, most, end);
      if (start == GreedyStart::kLast)
        return detail::match_some<GreedyStart::kLast>(graph, matching, some, most, end);
      return detail::match_some<GreedyStart::kAnywhere>(graph, matching, some, most, end);
    };
    rows.next = match_them().next;
    failed.insert(failed.end(), failures.data(), end);
    const Index above = rows.step > 0 ? 0 : 1;  // downwards, the rows passed are those above `next`
    const auto [low, high] = std::minmax({first + above, rows.next + above});
    interrupt.poll(static_cast<std::uint64_t>(graph.begin(high) - graph.begin(low)) + 1);
  }
  return rows;
}

}  // namespace hankelmatch
