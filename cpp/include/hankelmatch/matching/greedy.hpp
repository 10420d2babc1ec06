// The greedy start: rows take a free column each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <span>
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

/// Which of its free columns a row takes: the first of its list, or the last.
enum class GreedyStart : std::uint8_t { kFirst, kLast };

namespace detail {

inline constexpr std::ptrdiff_t kBlockOfCols = 8;

/// The place of the last free one of the columns from `begin` to before `end`, or `end`.
template <class Index>
const Index* last_free_place(const Index* begin, const Index* end, const Index* col_mate) {
  for (const Index* place = end; place != begin;)
    if (col_mate[*--place] == kUnmatched) return place;
  return end;
}

/// Passes by taken columns, by blocks, since a branch for each column takes half as long again on dense
/// matrices. Ends before the first block with a free one, or close to the end.
template <class Index>
const Index* pass_by_taken(const Index* next, const Index* end, const Index* col_mate) {
  static_assert(kUnmatched < 0);  // a free column is seen by the sign of its mate
  for (; end - next > 2 * kBlockOfCols; next += kBlockOfCols) {
    Index mates = col_mate[next[0]];
    for (std::ptrdiff_t i = 1; i < kBlockOfCols; ++i) mates |= col_mate[next[i]];
    if (mates < 0) break;
  }
  return next;
}

/// The place of the first free one of the columns from `next` to before `end`, or `end`. With `inline`, for
/// GCC calls it otherwise, once a row, which takes a tenth longer on meshes in order.
template <class Index>
inline const Index* first_free_place(const Index* next, const Index* end, const Index* col_mate) {
  if (end - next > 2 * kBlockOfCols && col_mate[*next] != kUnmatched)
    next = pass_by_taken(next, end, col_mate);
  while (next != end && col_mate[*next] != kUnmatched) ++next;
  return next;
}

/// The place of the next free column of a row from this place on and, after the last, from the first, or the
/// end.
template <class Index>
const Index* next_free_place(std::span<const Index> cols, const Index* from, const Index* col_mate) {
  const Index* const end = cols.data() + cols.size();
  const Index* place = first_free_place(from, end, col_mate);
  if (place != end) return place;
  place = first_free_place(cols.data(), from, col_mate);
  return place != from ? place : end;
}

/// A place among the edges of a row that differs from row to row.
template <class Index>
const Index* any_place(const CsrGraph<Index>& graph, Index row) {
  constexpr std::uint64_t kScatter = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  const std::uint64_t fraction = (static_cast<std::uint64_t>(row) * kScatter) >> 32;  // of 2^32
  const std::span<const Index> cols = graph.row(row);
  return cols.data() + ((fraction * cols.size()) >> 32);
}

/// The rows with the fewest edges first; those with as many, in order.
template <class Index>
std::vector<Index> rows_by_degree(const CsrGraph<Index>& graph, Interrupt& interrupt) {
  std::vector<Index> degrees(at(graph.n_rows));
  for (std::size_t row = 0; row < degrees.size(); ++row)
    degrees[row] = graph.indptr[row + 1] - graph.indptr[row];
  const std::size_t n_degrees = degrees.empty() ? 1 : at(std::ranges::max(degrees)) + 1;
  return Groups<Index>(degrees, n_degrees, interrupt).order;
}

/// After a row that got its first, or last, column the next ones get theirs, as long as these are free.
/// Returns the last row that did. A loop of its own, whose values are all in registers: two thirds of the
/// time on matrices with a nonzero diagonal, which need nothing else.
template <GreedyStart kStart, class Index>
[[gnu::noinline]] Index match_alike(const Index* indptr, const Index* indices, Index* row_mate,
                                    Index* col_mate, Index row, RowRange<Index> rows) {
  for (Index next = row + rows.step; next != rows.end; next += rows.step) {
    const Index begin = indptr[next];
    const Index end = indptr[next + 1];
    if (begin == end || row_mate[next] != kUnmatched) break;
    const Index col = kStart == GreedyStart::kFirst ? indices[begin] : indices[end - 1];
    if (col_mate[col] != kUnmatched) break;
    row_mate[next] = col;
    col_mate[col] = next;
    row = next;
  }
  return row;
}

/// Gives the free rows of a range a free column, until `most_failed` that have edges have none, which are
/// written to `failed`; returns the rows that are left. Plain pointers, since through the matching's vectors
/// it takes twice as long; not inline, for beside the values of its caller some are in no register: 1.1 of
/// the time.
template <GreedyStart kStart, class Index>
[[gnu::noinline]] RowRange<Index> match_some(const CsrGraph<Index>& graph, Matching<Index>& matching,
                                             RowRange<Index> rows, const Index* most_failed, Index*& failed) {
  constexpr bool kFirst = kStart == GreedyStart::kFirst;
  const Index* const indptr = graph.indptr.data();
  const Index* const indices = graph.indices.data();
  Index* const row_mate = matching.row_mate.data();
  Index* const col_mate = matching.col_mate.data();
  Index* next_failed = failed;
  Index n_passed = 0;  // since they had a column, or have no edges
  Index row = rows.next;
  for (; row != rows.end; row += rows.step) {
    if (row_mate[row] != kUnmatched) {
      ++n_passed;
      continue;
    }
    const Index* const begin = indices + indptr[row];
    const Index* const end = indices + indptr[row + 1];
    const Index* const place =
        kFirst ? first_free_place(begin, end, col_mate) : last_free_place(begin, end, col_mate);
    if (place != end) {
      row_mate[row] = *place;
      col_mate[*place] = row;
      if (place == (kFirst ? begin : end - 1))
        row = match_alike<kStart>(indptr, indices, row_mate, col_mate, row, rows);
      continue;
    }
    if (begin == end) {
      ++n_passed;
      continue;
    }
    *next_failed++ = row;
    if (next_failed == most_failed) {
      row += rows.step;
      break;
    }
  }
  const RowRange<Index> left{row, rows.end, rows.step};
  matching.size += rows.size() - left.size() - n_passed - static_cast<Index>(next_failed - failed);
  failed = next_failed;
  return left;
}

/// Whether rows see a large part of all columns each.
template <class Index>
bool has_dense_rows(const CsrGraph<Index>& graph) {
  constexpr Index kLong = 64;
  constexpr Index kPart = 8;
  return graph.n_edges() / kLong > graph.n_rows && graph.n_edges() / graph.n_rows > graph.n_cols / kPart;
}

/// The same as match_some, but a row looks for a free column from the place on where the row before found
/// one: the columns before it are taken, and to look at them all costs as much as to check them (dense full).
template <class Index>
RowRange<Index> match_some_dense(const CsrGraph<Index>& graph, Matching<Index>& matching,
                                 RowRange<Index> rows, std::size_t& n_before, const Index* most_failed,
                                 Index*& failed) {
  constexpr Index kFar = 8;
  const auto place_in = [&](Index row) {
    const auto cols = graph.row(row);
    return cols.data() + std::min(n_before, cols.size());
  };
  while (!rows.empty() && failed != most_failed) {
    const Index row = rows.next;
    if (rows.size() > kFar) prefetch(place_in(row + kFar * rows.step));
    rows.next += rows.step;
    if (matching.has_row(row)) continue;
    const auto cols = graph.row(row);
    const Index* const from = place_in(row);
    const Index* const place = next_free_place(cols, from, matching.col_mate.data());
    if (place == cols.data() + cols.size()) {
      if (!cols.empty()) *failed++ = row;
    } else {
      matching.join(row, *place);
      n_before = static_cast<std::size_t>(place - cols.data());
    }
  }
  return rows;
}

/// Calls match_some(rows, most_failed, failed) for the rows of a range, some at a time, until `most_failed`
/// have failed, which are appended to `failed`; returns the rows that are left.
template <class Index, class MatchSome>
RowRange<Index> match_some_at_a_time(const CsrGraph<Index>& graph, RowRange<Index> rows,
                                     std::size_t most_failed, std::vector<Index>& failed,
                                     Interrupt& interrupt, const MatchSome& match_some) {
  constexpr std::size_t kPollAfter = 1 << 10;
  std::array<Index, kPollAfter> failures{};
  while (!rows.empty() && failed.size() < most_failed) {
    const Index first = rows.next;
    const Index n_some = std::min(rows.size(), Index{kPollAfter});
    const Index* const most = failures.data() + std::min(most_failed - failed.size(), failures.size());
    Index* end = failures.data();
    rows.next = match_some({first, first + rows.step * n_some, rows.step}, most, end).next;
    failed.insert(failed.end(), failures.data(), end);
    const Index above = rows.step > 0 ? 0 : 1;  // downwards, the rows passed are those above `next`
    const auto [low, high] = std::minmax({first + above, rows.next + above});
    interrupt.poll(static_cast<std::uint64_t>(graph.begin(high) - graph.begin(low)) + 1);
  }
  return rows;
}

}  // namespace detail

/// Gives the free rows of a range a free column, one row after the other, and appends those that have edges,
/// but no free column, to `failed`. Returns the part of the range that is left once `most_failed` have
/// failed. O(rows + edges).
template <class Index>
RowRange<Index> match_greedily(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows,
                               GreedyStart start, std::size_t most_failed, std::vector<Index>& failed,
                               Interrupt& interrupt) {
  const bool is_dense = start == GreedyStart::kFirst && detail::has_dense_rows(graph);
  std::size_t n_before = 0;  // columns, in the list of the last dense row, the one that it took
  return detail::match_some_at_a_time(
      graph, rows, most_failed, failed, interrupt, [&](RowRange<Index> some, const Index* most, Index*& end) {
        if (is_dense) return detail::match_some_dense(graph, matching, some, n_before, most, end);
        if (start == GreedyStart::kFirst)
          return detail::match_some<GreedyStart::kFirst>(graph, matching, some, most, end);
        return detail::match_some<GreedyStart::kLast>(graph, matching, some, most, end);
      });
}

/// Of each column, how many free rows that have not had their turn have it. A byte each, so that those of
/// 1,000,000 columns stay in the second cache: a column with more than 127 such rows may look taken, or one
/// that is taken free.
template <class Index>
class LaterRows {
 public:
  /// Before the first turn, if all rows are free. One pass over the edges.
  LaterRows(const CsrGraph<Index>& graph, Interrupt& interrupt) : n_rows_(at(graph.n_cols)) {
    std::uint8_t* const n_rows = n_rows_.data();
    const Index* const cols = graph.indices.data();
    for_each_stretch(at(graph.n_edges()), interrupt, [=](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++n_rows[cols[i]];
    });
  }

  /// The same from what is known: n_rows(col) free rows, or a few more, have a column.
  template <class Count>
  LaterRows(Index n_cols, const Count& n_rows) : n_rows_(at(n_cols)) {
    for (Index col = 0; col < n_cols; ++col) n_rows_[at(col)] = static_cast<std::uint8_t>(n_rows(col));
  }

  /// The number of columns that so many of these rows have, modulo 256.
  Index n_cols_of(std::uint8_t n_rows) const {
    return static_cast<Index>(std::ranges::count(n_rows_, n_rows));
  }

  /// Of each column; from kTaken on, it is taken.
  std::span<std::uint8_t> counts() { return n_rows_; }
  static constexpr std::uint8_t kTaken = 128;
  static constexpr std::uint8_t kTakenBefore = 255;  // the first turn: any free rows may have it

 private:
  std::vector<std::uint8_t> n_rows_;
};

namespace detail {

/// Gives the free rows of a range their free column that the fewest free rows after them have, of those that
/// as few have the least. Plain pointers, and no calls, since a write to a byte may change all that is not in
/// a register: three quarters of the time.
template <class Index>
[[gnu::noinline]] RowRange<Index> match_some_rarest(const CsrGraph<Index>& graph, Matching<Index>& matching,
                                                    RowRange<Index> rows, std::uint8_t* n_later,
                                                    Index*& failed) {
  constexpr unsigned kColBits = 56;
  constexpr std::uint8_t kTaken = LaterRows<Index>::kTaken;
  const Index* const indptr = graph.indptr.data();
  const Index* const indices = graph.indices.data();
  Index* const row_mate = matching.row_mate.data();
  Index* const col_mate = matching.col_mate.data();
  Index* next_failed = failed;
  Index n_passed = 0;  // since they had a column, or have no edges
  for (Index row = rows.next; row != rows.end; row += rows.step) {
    if (row_mate[row] != kUnmatched) {
      ++n_passed;
      continue;
    }
    const Index* const begin = indices + indptr[row];
    const Index* const end = indices + indptr[row + 1];
    std::uint64_t rarest = std::numeric_limits<std::uint64_t>::max();  // the number, then the column
    for (const Index* place = begin; place != end; ++place) {
      const std::uint64_t n = --n_later[*place];
      rarest = std::min(rarest, (n << kColBits) | static_cast<std::uint64_t>(*place));
    }
    auto col = static_cast<Index>(rarest & ((std::uint64_t{1} << kColBits) - 1));
    if (rarest >> kColBits >= kTaken || col_mate[col] != kUnmatched) {
      const Index* const place = first_free_place(begin, end, col_mate);
      if (place == end) {
        if (begin == end) {
          ++n_passed;
        } else {
          *next_failed++ = row;
        }
        continue;
      }
      col = *place;
    }
    n_later[col] |= kTaken;
    row_mate[row] = col;
    col_mate[col] = row;
  }
  matching.size += rows.size() - n_passed - static_cast<Index>(next_failed - failed);
  failed = next_failed;
  return {rows.end, rows.end, rows.step};
}

}  // namespace detail

/// Gives the free ones of all rows, up or down, their free column that the fewest free rows after them have.
/// `later`: as it was made. Returns the rows with edges that have none: on shuffled meshes and tori half as
/// many as match_greedily leaves, on random graphs of degree 8 and ropes less than a third. O(rows + columns
/// + edges): one pass over the edges, and one for `later`, as long as match_greedily takes where rows have
/// few.
template <class Index>
std::vector<Index> match_rarest_cols(const CsrGraph<Index>& graph, Matching<Index>& matching,
                                     RowRange<Index> rows, LaterRows<Index> later, Interrupt& interrupt) {
  const std::span<std::uint8_t> n_later = later.counts();
  for (std::size_t col = 0; col < n_later.size(); ++col)
    if (matching.col_mate[col] != kUnmatched) n_later[col] = LaterRows<Index>::kTakenBefore;
  std::vector<Index> failed;
  detail::match_some_at_a_time(graph, rows, at(rows.size()), failed, interrupt,
                               [&](RowRange<Index> some, const Index* /*most: all may fail*/, Index*& end) {
                                 return detail::match_some_rarest(graph, matching, some, n_later.data(), end);
                               });
  return failed;
}

/// Gives every free row a free column from any place of its list, the rows with the fewest edges first, since
/// they have the least choice. Returns the rows that have none. O(rows + columns + edges).
template <class Index>
std::vector<Index> match_sparse_rows_first(const CsrGraph<Index>& graph, Matching<Index>& matching,
                                           Interrupt& interrupt) {
  constexpr std::size_t kFar = 16;
  const std::vector<Index> rows = detail::rows_by_degree(graph, interrupt);
  std::vector<Index> failed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 2 * kFar < rows.size()) prefetch(&graph.indptr[at(rows[i + 2 * kFar])]);
    if (i + kFar < rows.size()) prefetch(detail::any_place(graph, rows[i + kFar]));
    const Index row = rows[i];
    if (matching.has_row(row)) continue;
    const auto cols = graph.row(row);
    const Index* const place =
        detail::next_free_place(cols, detail::any_place(graph, row), matching.col_mate.data());
    interrupt.poll(cols.size() + 1);
    if (place == cols.data() + cols.size()) {
      failed.push_back(row);
    } else {
      matching.join(row, *place);
    }
  }
  return failed;
}

}  // namespace hankelmatch
