// Maximum matching by rounds of disjoint depth-first searches, with look-ahead and fairness.
//
// Pothen, Fan, "Computing the block triangular form of a sparse matrix", ACM Trans. Math. Softw. 16 (1990).
// The fairness: Duff, Kaya, Ucar, "Design, implementation, and analysis of maximum transversal algorithms",
// ACM Trans. Math. Softw. 38 (2011).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

/// In a round every free row searches once and no column is visited twice, whether the search that came there
/// succeeded or not: O(edges). A search that fails, without one of this round in its way, has seen all that
/// can be reached: its columns are closed for good, and its row is done with.
///
/// Every other round follows the edges of a row from the first to the last, and every other from the last to
/// the first. A greedy start takes the first column of a row that is free, or the last; a search that begins
/// at the other end is not led astray in the same way.
template <class Index>
class PothenFan {
 public:
  /// Columns in `closed` are known to lead to no free one; more are added to them. `from_last_edge`: in the
  /// first round.
  PothenFan(const CsrGraph<Index>& graph, LookAhead<Index>& look_ahead, Matching<Index>& matching,
            Bitset& closed, Interrupt& interrupt, bool from_last_edge = true)
      : graph_(graph),
        look_ahead_(look_ahead),
        matching_(matching),
        closed_(closed),
        interrupt_(interrupt),
        forwards_(!from_last_edge) {}

  /// A round from these free rows. Leaves those that have to search again.
  void search_all(std::vector<Index>& rows) {
    visited_ = closed_;
    in_the_way_ = Bitset(visited_.size());
    none_in_the_way_ = true;
    std::erase_if(rows, [&](Index row) { return search(row); });
    forwards_ = !forwards_;
  }

  /// The edges followed so far.
  std::uint64_t work() const { return work_; }

 private:
  // A branch for each column takes a third longer on dense matrices than one for each block of long rows
  // (benchmarks.matching, dense deficient).
  static constexpr Index kBlock = 8;
  static constexpr Index kLongRow = 4 * kBlock;
  // Edges of long rows are fetched so far ahead: dense deficient matrices of 7,000,000 entries, transposed,
  // take .87 of the time; 128 and 512 do the same (benchmarks.matching).
  static constexpr Index kFar = 256;

  struct Frame {
    Index via;   // the column by which the row was reached, or kUnmatched for the root
    Index next;  // the edges that the search has still to follow from there: from `next` to `end`, either way
    Index end;
  };

  // Whether the row is done with: matched, or a dead end.
  bool search(Index root) {
    trail_.clear();
    is_blocked_ = false;
    const bool is_matched = find_path(root);
    none_in_the_way_ = none_in_the_way_ && !is_matched && !is_blocked_;
    Bitset& visited_from_here = is_matched || is_blocked_ ? in_the_way_ : closed_;
    for (const Index col : trail_) visited_from_here.set(at(col));
    return is_matched || !is_blocked_;
  }

  bool find_path(Index root_id) {
    LookAheadRow<Index> root = look_ahead_.row(root_id);
    stack_.clear();
    Index free_col = reach(root, kUnmatched);
    while (free_col == kUnmatched) {
      const Index col = next_unvisited_col(stack_.back());
      if (col != kUnmatched) {
        free_col = reach(look_ahead_.mate(col), col);
        continue;
      }
      stack_.pop_back();
      if (stack_.empty()) return false;
    }
    flip_path(root, free_col);
    return true;
  }

  /// Looks ahead from a row, once: it has no free columns later if it has none now. Free ones are unvisited,
  /// so a row without unvisited ones has none; on dense matrices most rows of a search that fails are such.
  Index reach(LookAheadRow<Index>& row, Index via) {
    stack_.push_back(forwards_ ? Frame{via, row.begin, row.end} : Frame{via, row.end - 1, row.begin - 1});
    Frame& frame = stack_.back();
    const bool is_long = n_left(frame) >= kLongRow;
    if (is_long) skip_visited(frame);
    if (frame.next == frame.end) return kUnmatched;
    look_ahead_.prefetch_mate(graph_.indices[at(frame.next)]);
    return is_long ? take_free_col_of_rest(row, frame) : look_ahead_.take_free_col(row);
  }

  /// Looks ahead among the columns that have not been passed by, since visited ones are not free: .87 of the
  /// time on transposed dense deficient matrices.
  Index take_free_col_of_rest(LookAheadRow<Index>& row, const Frame& frame) {
    LookAheadRow<Index> rest = row;
    if (forwards_) {
      rest.cursor = std::max(row.cursor, frame.next);
    } else {
      rest.end = frame.next + 1;
    }
    const Index col = look_ahead_.take_free_col(rest);
    row.cursor = col == kUnmatched ? row.end : rest.cursor;
    return col;
  }

  Index next_unvisited_col(Frame& frame) {
    if (n_left(frame) >= kLongRow) skip_visited(frame);
    while (frame.next != frame.end) {
      const Index col = graph_.indices[at(frame.next)];
      frame.next += step();
      count_work();
      if (visited_.test(at(col))) {
        is_blocked_ |= in_the_way_.test(at(col));
        continue;
      }
      visited_.set(at(col));
      trail_.push_back(col);
      return col;
    }
    count_work();
    return kUnmatched;
  }

  /// Passes by visited columns as long as nothing is in the way, a block at a time.
  void skip_visited(Frame& frame) {
    if (!none_in_the_way_) return;
    const Index* const cols = graph_.indices.data();
    const Index before = n_left(frame);
    for (; n_left(frame) >= kBlock; frame.next += step() * kBlock) {
      if (n_left(frame) > kFar) prefetch(cols + frame.next + step() * kFar);
      const Index* const first = cols + frame.next - (forwards_ ? 0 : kBlock - 1);
      if (!visited_.has_all(std::span<const Index, kBlock>(first, kBlock))) break;
    }
    while (frame.next != frame.end && visited_.test(at(cols[frame.next]))) frame.next += step();
    count_work(static_cast<std::uint64_t>(before - n_left(frame)));
  }

  Index step() const { return forwards_ ? 1 : -1; }
  Index n_left(const Frame& frame) const { return (frame.end - frame.next) * step(); }

  void count_work(std::uint64_t n_edges = 1) {
    work_ += n_edges;
    interrupt_.poll(n_edges);
  }

  void flip_path(const LookAheadRow<Index>& root, Index col) {
    for (; stack_.back().via != kUnmatched; stack_.pop_back()) {
      look_ahead_.rejoin(look_ahead_.mate(stack_.back().via), col);
      col = stack_.back().via;
    }
    look_ahead_.rejoin(root, col);
    ++matching_.size;
  }

  const CsrGraph<Index> graph_;
  LookAhead<Index>& look_ahead_;
  Matching<Index>& matching_;
  Bitset& closed_;
  Interrupt& interrupt_;
  Bitset visited_;     // in this round, or closed
  Bitset in_the_way_;  // of the columns visited in this round: those that may lead to a free one
  bool none_in_the_way_ = true;
  std::vector<Index> trail_;  // the columns visited by the current search
  bool is_blocked_ = false;
  std::vector<Frame> stack_;
  std::uint64_t work_ = 0;
  bool forwards_;
};

}  // namespace hankelmatch
