// Augmenting paths where the neighbours of a row are told one by one, as those of a text's prefix-suffix
// graph are (see hankel/short_long_split.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/hankel/reads_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <iterator>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// Depth-first search for augmenting paths from the rows' side, with two look-aheads: a cursor per row for a
/// free column, and one for a column whose row has a free one. A column that is matched stays so, and a
/// column whose row has no free one left stays so too, since the rows of a path, but its last, have none: so
/// neither cursor ever goes back. Columns that failed searches visited are never visited again.
template <class Id, class Rows>
class LookAheadSearch {
 public:
  /// `row_mate` and `col_mate` may hold a matching already; entries of other rows and columns are not
  /// touched.
  LookAheadSearch(Rows& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& interrupt)
      : rows_(rows),
        row_mate_(row_mate),
        col_mate_(col_mate),
        interrupt_(interrupt),
        matched_(col_mate.size()),
        closed_(col_mate.size()),
        visited_(col_mate.size()) {
    for (Id row = 0; row < rows.n_rows; ++row)
      if (row_mate_[at(row)] != kUnmatched) matched_.set(at(row_mate_[at(row)]));
    begin_cursors();
  }

  /// Matches what can be of the rows that have one column; returns the free rows that are left to `run`.
  std::vector<Id> match_single_edges() {
    std::vector<Id> left;
    for (Id row = 0; row < rows_.first_middle(); ++row)
      if (is_free(row)) left.push_back(row);
    for_each_row(
        at(rows_.n_rows - rows_.first_middle()),
        [&](std::size_t i) { return rows_.first_middle() + static_cast<Id>(i); }, [](Id) {},
        [&](Id row) {
          if (rows_.n_longest(row) == 0 || !is_free(row)) return;
          if (!has_one_col(row) || !settle(row)) left.push_back(row);
        });
    return left;
  }

  /// Matches as many rows as can be, in the given order: first greedily, then by augmenting paths, but those
  /// with few strings by paths at once, while what a search reads is at hand.
  void run(std::span<const Id> order) {
    constexpr Id kFew = 4;
    std::vector<Id> waiting;
    for_each_row(
        order.size(), [&](std::size_t i) { return order[i]; }, [](Id) {},
        [&](Id row) {
          if (match_free_neighbour(row)) return;
          if (rows_.n_longest(row) > kFew) {
            waiting.push_back(row);
          } else {
            search(row);
          }
        });
    search_from(waiting);
    while (rows_.complete(reached_rows(), interrupt_)) {
      start_again();
      waiting.clear();
      std::ranges::copy_if(order, std::back_inserter(waiting), [&](Id row) { return is_free(row); });
      search_from(waiting);
    }
  }

  /// Rows that searches from free rows reach; after `run`, none of them reaches a free column.
  Bitset reached_rows() const {
    return Bitset::where(at(rows_.n_rows), [&](std::size_t row) {
      const Id col = row_mate_[row];
      const bool is_reached = visited_.test(at(std::max(col, Id{0})));
      return static_cast<bool>(static_cast<int>(col == kUnmatched) | static_cast<int>(is_reached));
    });
  }

  /// Columns next to reached_rows().
  const Bitset& reached_cols() const { return visited_; }
  std::uint64_t n_edges_seen() const { return n_edges_seen_; }

 private:
  struct Frame {
    Id row;
    Id cursor;
  };
  struct Cursors {
    Id free;
    Id open;
  };

  bool is_free(Id row) const { return row_mate_[at(row)] == kUnmatched; }

  void begin_cursors() {
    cursors_.clear();
    for (Id row = 0; row < rows_.n_rows; ++row) cursors_.push_back({rows_.begin(row), rows_.begin(row)});
  }

  /// After lists have become longer, nothing that was learned holds but the matching itself.
  void start_again() {
    closed_.clear();
    visited_.clear();
    for (const Id col : contested_) visited_.set(at(col));
    begin_cursors();
  }

  /// The next column of a row that is not in a set, or kUnmatched.
  Id next_outside(const Bitset& set, Id row, Id& cursor) {
    std::uint64_t n_seen = 0;
    const Id col = rows_.find(row, cursor, [&](Id c) {
      ++n_seen;
      return !set.test(at(c));
    });
    n_edges_seen_ += n_seen;
    return col;
  }

  Id next_free(Id row) { return next_outside(matched_, row, cursors_[at(row)].free); }

  /// A column whose row can take a free one instead; that one is `free_col`.
  Id next_open(Id row, Id& free_col) {
    Id& cursor = cursors_[at(row)].open;
    for (Id col = next_outside(closed_, row, cursor); col != kUnmatched;
         col = next_outside(closed_, row, cursor)) {
      free_col = next_free(col_mate_[at(col)]);
      if (free_col != kUnmatched) return col;
      closed_.set(at(col));
    }
    return kUnmatched;
  }

  void prefetch_row(Id row) const {
    prefetch(&cursors_[at(row)]);
    rows_.prefetch_row(row);
  }

  /// Calls visit(row_at(i)) for i below `n`, for rows that jump about in memory, so what each will read is
  /// fetched steps ahead: the row, the reads that lead to its first column, that column's mate; then
  /// prepare(column) may do more.
  template <class RowAt, class Prepare, class Visit>
  void for_each_row(std::size_t n, const RowAt& row_at, const Prepare& prepare, const Visit& visit) {
    constexpr std::size_t kFar = 64;
    constexpr std::size_t kStep = 6;  // rows between two reads of one row
    constexpr std::size_t kBegin = kFar - 2 * kStep;
    std::array<ReadsAhead<Id>, kFar> reads{};
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kFar < n) {
        prefetch_row(row_at(i + kFar));
        reads[(i + kBegin) % kFar] = rows_.reads_ahead(row_at(i + kBegin));
        for (std::size_t ahead = kBegin - kStep; ahead > 2 * kStep; ahead -= kStep)
          reads[(i + ahead) % kFar].go_on();
        const Id soon = reads[(i + 2 * kStep) % kFar].column();
        if (soon != kUnmatched) prefetch_col(soon);
        const Id next = reads[(i + kStep) % kFar].column();
        if (next != kUnmatched) prepare(next);
      }
      visit(row_at(i));
    }
  }

  void prefetch_col(Id col) const {
    matched_.prefetch(at(col));
    prefetch(&col_mate_[at(col)]);
  }

  /// Gives a row its first free column, if there is one.
  bool match_free_neighbour(Id row) {
    const Id col = next_free(row);
    if (col != kUnmatched) join(row, col);
    return col != kUnmatched;
  }

  bool has_one_col(Id row) const { return row >= rows_.first_middle() && rows_.n_longest(row) == 1; }

  /// Gives a row of one column that, or finds that it belongs to another such row, where no search need
  /// begin; false in any other case.
  bool settle(Id row) {
    Id cursor = rows_.begin(row);
    const Id col = rows_.find(row, cursor, [](Id) { return true; });
    ++n_edges_seen_;
    if (!matched_.test(at(col))) {
      join(row, col);
      return true;
    }
    if (!has_one_col(col_mate_[at(col)])) return false;
    visited_.set(at(col));
    contested_.push_back(col);
    return true;
  }

  void search_from(std::span<const Id> free_rows) {
    for_each_row(
        free_rows.size(), [&](std::size_t i) { return free_rows[i]; },
        [&](Id col) {
          const Id row = col_mate_[at(col)];
          if (row != kUnmatched) prefetch_row(row);
        },
        [&](Id row) { search(row); });
  }

  void join(Id row, Id col) {
    row_mate_[at(row)] = col;
    col_mate_[at(col)] = row;
    matched_.set(at(col));
  }

  void search(Id root) {
    trail_.clear();
    stack_.assign(1, {root, rows_.begin(root)});
    while (!stack_.empty()) {
      interrupt_.poll();
      const Id row = stack_.back().row;
      Id free_col = next_free(row);
      if (free_col != kUnmatched) return augment(free_col);
      const Id open_col = next_open(row, free_col);
      if (open_col != kUnmatched) {
        join(col_mate_[at(open_col)], free_col);
        closed_.set(at(open_col));
        return augment(open_col);
      }
      const Id col = next_outside(visited_, row, stack_.back().cursor);
      if (col == kUnmatched) {
        stack_.pop_back();
      } else {
        visited_.set(at(col));
        trail_.push_back(col);
        stack_.push_back({col_mate_[at(col)], rows_.begin(col_mate_[at(col)])});
      }
    }
  }

  /// Gives the rows of the stack, from the last to the first, each the column that the one after it has had.
  void augment(Id col) {
    for (std::size_t i = stack_.size(); i-- > 0;) {
      const Id before = row_mate_[at(stack_[i].row)];
      join(stack_[i].row, col);
      col = before;
      if (col != kUnmatched) closed_.set(at(col));  // it goes to a row that has no free column
    }
    for (const Id visited : trail_) visited_.reset(at(visited));
  }

  Rows& rows_;
  Mates<Id>& row_mate_;
  Mates<Id>& col_mate_;
  Interrupt& interrupt_;
  Bitset matched_;
  Bitset closed_;  // columns whose row has no free column
  Bitset visited_;
  std::vector<Cursors> cursors_;
  std::vector<Frame> stack_;
  std::vector<Id> trail_;
  std::vector<Id> contested_;  // the only columns of several rows
  std::uint64_t n_edges_seen_ = 0;
};

}  // namespace hankelmatch::detail
