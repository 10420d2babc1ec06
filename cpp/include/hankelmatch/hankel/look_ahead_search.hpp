// Augmenting paths in a graph without a list of edges: the columns of a row come one by one from `find`, as
// those of a text's prefix-suffix graph do (see hankel/split_graph.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <iterator>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// Depth-first search for augmenting paths from the rows, with two look-aheads: each row has a cursor to its
/// next free column, and one to its next column whose row has a free column. Neither cursor ever goes back: a
/// matched column stays matched; and all rows of a path but the last have no free column left, so a column
/// whose row has none keeps such a row. Columns that failed searches visited are never visited again.
template <class Id, class Rows>
class LookAheadSearch {
 public:
  /// `row_mate` and `col_mate` may hold a matching. Entries of other rows and columns are not touched.
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

  /// Matches rows that have a single column, as far as possible; returns the free rows that `run` must
  /// search.
  std::vector<Id> match_single_edges() {
    std::vector<Id> left;
    for (Id row = 0; row < rows_.first_deepest(); ++row)
      if (is_free(row)) left.push_back(row);
    for_each_row(
        at(rows_.n_rows - rows_.first_deepest()),
        [&](std::size_t i) { return rows_.first_deepest() + static_cast<Id>(i); }, [](Id) {},
        [&](Id row) {
          if (rows_.n_full(row) == 0 || !is_free(row)) return;
          if (!has_one_col(row) || !match_single(row)) left.push_back(row);
        });
    return left;
  }

  /// Makes the matching maximum. Tries the rows in the given order: first greedily, then by augmenting paths;
  /// but rows with few longest strings search at once, while what they read is in the cache.
  void run(std::span<const Id> order) {
    constexpr Id kFewStrings = 4;
    std::vector<Id> waiting;
    for_each_row(
        order.size(), [&](std::size_t i) { return order[i]; }, [](Id) {},
        [&](Id row) {
          if (match_free_neighbour(row)) return;
          if (rows_.n_full(row) > kFewStrings) {
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

  /// The rows that searches from free rows reach. After `run`, none of them reaches a free column.
  Bitset reached_rows() const {
    return Bitset::where(at(rows_.n_rows), [&](std::size_t row) {
      const Id col = row_mate_[row];
      const bool is_reached = visited_.test(at(std::max(col, Id{0})));
      return static_cast<bool>(static_cast<int>(col == kUnmatched) | static_cast<int>(is_reached));
    });
  }

  /// The columns of reached_rows().
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

  /// Rows have more columns now: forgets everything but the matching.
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

  /// A column whose row has a free column, `free_col`, to take instead; kUnmatched if there is none.
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

  /// Calls visit(row_at(i)) for every i below `n`, and before it prepare(column) for the first column of most
  /// rows. See ReadPipeline.
  template <class RowAt, class Prepare, class Visit>
  void for_each_row(std::size_t n, const RowAt& row_at, const Prepare& prepare, const Visit& visit) {
    struct Coming {
      const LookAheadSearch& search;
      const RowAt& row_at;
      const Prepare& prepare_col;

      void load_row(std::size_t i) const { search.prefetch_row(row_at(i)); }
      ReadChain<Id> read_chain(std::size_t i) const { return search.rows_.read_chain(row_at(i)); }
      void load_column(Id col) const { search.prefetch_col(col); }
      void prepare(Id col) const { prepare_col(col); }
    };
    const Coming coming{*this, row_at, prepare};
    ReadPipeline<Id> pipeline;
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ReadPipeline<Id>::kDepth < n) pipeline.advance(i, coming);
      visit(row_at(i));
    }
  }

  void prefetch_col(Id col) const {
    matched_.prefetch(at(col));
    prefetch(&col_mate_[at(col)]);
  }

  /// Matches a row with its first free column, if there is one.
  bool match_free_neighbour(Id row) {
    const Id col = next_free(row);
    if (col != kUnmatched) join(row, col);
    return col != kUnmatched;
  }

  bool has_one_col(Id row) const { return row >= rows_.first_deepest() && rows_.n_full(row) == 1; }

  /// Matches a row of one column with that column. Also true if the column belongs to another row of one
  /// column: then no search can help. False in any other case.
  bool match_single(Id row) {
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

  /// Flips the path: each row of the stack, from the last to the first, takes the column of the row after it.
  void augment(Id col) {
    for (std::size_t i = stack_.size(); i-- > 0;) {
      const Id before = row_mate_[at(stack_[i].row)];
      join(stack_[i].row, col);
      col = before;
      if (col != kUnmatched) closed_.set(at(col));  // its next row has no free column
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
  std::vector<Id> contested_;  // each the only column of several rows
  std::uint64_t n_edges_seen_ = 0;
};

}  // namespace hankelmatch::detail
