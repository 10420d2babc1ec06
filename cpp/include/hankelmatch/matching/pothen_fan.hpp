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
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <utility>
#include <vector>

namespace hankelmatch {

/// In a round every free row searches once and no column is visited twice, whether the search that came there
/// succeeded or not: O(edges). Rounds follow until none of the searches succeeds. Every other round follows
/// the edges of a row from the last to the first: a search that was led astray is not so in the same way
/// again.
///
/// O(nodes * edges) in the worst case, a few rounds on most graphs; `run` gives up beyond a budget. For a
/// graph with few free rows that have no path: those search again in every round.
template <class Index>
class PothenFan {
 public:
  /// Columns in `avoided` are known to lead to no free one. `forwards`: the way the first round goes.
  PothenFan(const CsrGraph<Index>& graph, Matching<Index>& matching, Bitset avoided, Interrupt& interrupt,
            bool forwards = true)
      : graph_(graph),
        matching_(matching),
        interrupt_(interrupt),
        avoided_(std::move(avoided)),
        free_cols_(Bitset::where(at(graph.n_cols),
                                 [&](std::size_t i) { return matching.col_mate[i] == kUnmatched; })),
        cursor_(at(graph.n_rows)),
        forwards_(forwards) {
    std::copy_n(graph.indptr.data(), cursor_.size(), cursor_.span().data());
  }

  /// Searches from these free rows; false if the work exceeded the budget before all was done.
  bool run(std::vector<Index> rows, std::uint64_t budget) {
    for (bool any = true; any && !rows.empty(); forwards_ = !forwards_) {
      visited_ = avoided_;
      const auto failed = std::remove_if(rows.begin(), rows.end(), [&](Index row) { return search(row); });
      any = failed != rows.end();
      rows.erase(failed, rows.end());
      if (any && work_ > budget) return rows.empty();
    }
    return true;
  }

 private:
  struct Frame {
    Index row;
    Index next;  // the edges that the search has still to follow from there: from `next` to `end`, either way
    Index end;
  };

  bool search(Index root) {
    stack_.clear();
    push(root);
    while (!stack_.empty()) {
      const Index free_col = next_free_col(stack_.back().row);
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

  // A matched column never becomes free again, so this passes over every edge once in all.
  Index next_free_col(Index row) {
    return graph_.find(row, cursor_[at(row)], [&](Index col) { return free_cols_.test(at(col)); });
  }

  Index next_unvisited_row(Frame& frame) {
    const Index step = forwards_ ? 1 : -1;
    while (frame.next != frame.end) {
      const Index col = graph_.indices[at(frame.next)];
      frame.next += step;
      count_work();
      if (visited_.test(at(col))) continue;
      visited_.set(at(col));
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
    free_cols_.reset(at(col));
    for (; !stack_.empty(); stack_.pop_back()) col = matching_.rejoin(stack_.back().row, col);
    ++matching_.size;
  }

  const CsrGraph<Index> graph_;
  Matching<Index>& matching_;
  Interrupt& interrupt_;
  const Bitset avoided_;
  Bitset free_cols_;
  Bitset visited_;
  Buffer<Index> cursor_;  // of the look-ahead
  std::vector<Frame> stack_;
  std::uint64_t work_ = 0;
  bool forwards_;
};

}  // namespace hankelmatch
