// Maximum matching by rounds of disjoint depth-first searches, with look-ahead and fairness.
//
// Pothen, Fan, "Computing the block triangular form of a sparse matrix", ACM Trans. Math. Softw. 16 (1990).
// The fairness: Duff, Kaya, Ucar, "Design, implementation, and analysis of maximum transversal algorithms",
// ACM Trans. Math. Softw. 38 (2011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <vector>

namespace hankelmatch {

/// In a round every free row searches once and no column is visited twice, whether the search that came there
/// succeeded or not: O(edges). A search that fails, without one of this round in its way, has seen all that
/// can be reached: its columns are closed for good, and its row is done with.
///
/// Every other round follows the edges of a row from the first to the last, the first round the other way: a
/// greedy start takes the first column of a row that is free, and so a search from the other end is not led
/// astray in the same way.
template <class Index>
class PothenFan {
 public:
  /// Columns in `closed` are known to lead to no free one; more are added to them.
  PothenFan(const CsrGraph<Index>& graph, LookAhead<Index>& look_ahead, Matching<Index>& matching,
            Bitset& closed, Interrupt& interrupt)
      : graph_(graph), look_ahead_(look_ahead), matching_(matching), closed_(closed), interrupt_(interrupt) {}

  /// A round from these free rows. Leaves those that have to search again.
  void search_all(std::vector<Index>& rows) {
    visited_ = closed_;
    in_the_way_ = Bitset(visited_.size());
    std::erase_if(rows, [&](Index row) { return search(row); });
    forwards_ = !forwards_;
  }

  /// The edges followed so far.
  std::uint64_t work() const { return work_; }

 private:
  struct Frame {
    Index row;
    Index next;  // the edges that the search has still to follow from there: from `next` to `end`, either way
    Index end;
  };

  // Whether the row is done with: matched, or a dead end.
  bool search(Index root) {
    trail_.clear();
    is_blocked_ = false;
    const bool is_matched = find_path(root);
    Bitset& visited_from_here = is_matched || is_blocked_ ? in_the_way_ : closed_;
    for (const Index col : trail_) visited_from_here.set(at(col));
    return is_matched || !is_blocked_;
  }

  bool find_path(Index root) {
    stack_.clear();
    push(root);
    while (!stack_.empty()) {
      const Index free_col = look_ahead_.take_free_col(stack_.back().row);
      if (free_col != kUnmatched) return flip_path(free_col), true;
      const Index next_row = next_unvisited_row(stack_.back());
      if (next_row == kUnmatched) {
        stack_.pop_back();
      } else {
        push(next_row);
      }
    }
    return false;
  }

  void push(Index row) {
    const Index begin = graph_.indptr[at(row)];
    const Index end = graph_.indptr[at(row) + 1];
    stack_.push_back(forwards_ ? Frame{row, begin, end} : Frame{row, end - 1, begin - 1});
  }

  Index next_unvisited_row(Frame& frame) {
    const Index step = forwards_ ? 1 : -1;
    while (frame.next != frame.end) {
      const Index col = graph_.indices[at(frame.next)];
      frame.next += step;
      count_work();
      if (visited_.test(at(col))) {
        is_blocked_ |= in_the_way_.test(at(col));
        continue;
      }
      visited_.set(at(col));
      trail_.push_back(col);
      return matching_.col_mate[at(col)];
    }
    count_work();
    return kUnmatched;
  }

  void count_work() {
    ++work_;
    interrupt_.poll();
  }

  void flip_path(Index col) {
    for (; !stack_.empty(); stack_.pop_back()) col = matching_.rejoin(stack_.back().row, col);
    ++matching_.size;
  }

  const CsrGraph<Index> graph_;
  LookAhead<Index>& look_ahead_;
  Matching<Index>& matching_;
  Bitset& closed_;
  Interrupt& interrupt_;
  Bitset visited_;            // in this round, or closed
  Bitset in_the_way_;         // of the columns visited in this round: those that may lead to a free one
  std::vector<Index> trail_;  // the columns visited by the current search
  bool is_blocked_ = false;
  std::vector<Frame> stack_;
  std::uint64_t work_ = 0;
  bool forwards_ = false;
};

}  // namespace hankelmatch
