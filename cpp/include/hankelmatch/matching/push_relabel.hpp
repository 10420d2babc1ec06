// Maximum matching by pushing free rows towards free columns, guided by distance labels.
//
// Goldberg, Tarjan, "A new approach to the maximum-flow problem", J. ACM 35 (1988). Cherkassky, Goldberg,
// Martin, Setubal, Stolfi, "Augment or push: a computational study of bipartite matching and unit-capacity
// flow algorithms", ACM J. Exp. Algorithmics 3 (1998). Kaya, Langguth, Manne, Ucar, "Push-relabel based
// algorithms for the maximum transversal problem", Comput. Oper. Res. 40 (2013).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Step i of a loop over `queue`: loads what later steps will read, each part once the part that it depends
/// on has arrived: where a row begins, its first columns, and `by_column` at each of these. On graphs larger
/// than the caches this saves a third of the time of a breadth-first search.
template <class Index, class Value>
void prefetch_rows(const CsrGraph<Index>& graph, const std::vector<Index>& queue, std::size_t i,
                   const Value* by_column) {
  constexpr std::size_t kFar = 16;
  constexpr std::size_t kMaxColumns = 8;  // a step may look at a few columns of a long row only
  if (i + kFar >= queue.size()) return;
  prefetch(&graph.indptr[at(queue[i + kFar])]);
  prefetch(graph.indices.data() + graph.indptr[at(queue[i + kFar / 2])]);
  const auto soon = graph.row(queue[i + kFar / 4]);
  for (const Index col : soon.first(std::min(soon.size(), kMaxColumns))) prefetch(by_column + col);
}

}  // namespace detail

/// A column's label is a lower bound on the number of rows that an alternating path from it to a free column
/// passes; 0 for a free column. A free row takes its column of the lowest label, whose former row becomes
/// free and waits its turn (first in, first out); the column's label rises. From time to time, after about as
/// much work as that costs, all labels are set to the exact distances by a backward breadth-first search.
/// Rows that no path leads out of give up.
///
/// O(nodes * edges), and near O(edges) on graphs where searches get lost, such as long chains of groups.
template <class Index>
class PushRelabel {
 public:
  PushRelabel(const CsrGraph<Index>& graph, const CsrGraph<Index>& transpose, Matching<Index>& matching,
              Interrupt& interrupt)
      : graph_(graph),
        transpose_(transpose),
        matching_(matching),
        interrupt_(interrupt),
        label_(at(graph.n_cols)),
        reached_(at(graph.n_cols)),
        row_bound_(at(graph.n_rows)) {}

  void run() {
    for (Index row = 0; row < graph_.n_rows; ++row) {
      if (!matching_.has_row(row)) active_.push_back(row);
    }
    while (!active_.empty()) {
      relabel_all();
      push_rows();
    }
  }

 private:
  static constexpr Index kUnreachable = std::numeric_limits<Index>::max();
  // Breadth-first from the free columns: sets the labels to the exact distances as far as the farthest active
  // row that can be reached, and raises those beyond to a lower bound. Labels never fall, which is why all
  // this ends.
  void relabel_all() {
    reached_.clear();
    queue_.clear();
    row_bound_.assign(row_bound_.size(), kUnreachable);
    for (Index col = 0; col < graph_.n_cols; ++col) {
      if (!matching_.has_col(col)) reach(col, 0);
    }
    std::size_t n_awaited = active_.size();
    Index bound = kUnreachable;
    for (std::size_t i = 0; i < queue_.size() && bound == kUnreachable; ++i) {
      detail::prefetch_rows(transpose_, queue_, i, row_bound_.data());
      const Index label = label_[at(queue_[i])];
      interrupt_.poll(transpose_.row(queue_[i]).size() + 1);
      for (const Index row : transpose_.row(queue_[i])) {
        if (row_bound_[at(row)] != kUnreachable) continue;
        row_bound_[at(row)] = label;
        const Index col = matching_.row_mate[at(row)];
        if (col == kUnmatched) {
          --n_awaited;
        } else if (!reached_.test(at(col))) {
          reach(col, label + 1);
        }
      }
      if (n_awaited == 0) bound = label + 1;
    }
    for (Index col = 0; col < graph_.n_cols; ++col) {
      if (!reached_.test(at(col))) label_[at(col)] = std::max(label_[at(col)], bound);
    }
  }

  void reach(Index col, Index label) {
    reached_.set(at(col));
    label_[at(col)] = label;
    queue_.push_back(col);
  }

  // A round of first in, first out, until no row is left or the labels are due to be exact again.
  void push_rows() {
    const std::uint64_t budget = 2 * (static_cast<std::uint64_t>(graph_.n_edges()) + label_.size());
    std::uint64_t work = 0;
    std::size_t first = 0;
    for (; first < active_.size() && work <= budget; ++first) {
      detail::prefetch_rows(graph_, active_, first, label_.data());
      work += push(active_[first]);
    }
    active_.erase(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  // Returns the number of edges looked at.
  std::uint64_t push(Index row) {
    const auto cols = graph_.row(row);
    Index lowest = kUnreachable;
    Index second = kUnreachable;
    Index best = kUnmatched;
    std::size_t i = 0;
    for (; i < cols.size(); ++i) {
      const Index label = label_[at(cols[i])];
      if (label >= second) continue;
      if (label >= lowest) {
        second = label;
        continue;
      }
      second = std::exchange(lowest, label);
      best = cols[i];
      if (label == row_bound_[at(row)]) {  // there is none lower; the second lowest may not have been seen
        second = label;
        break;
      }
    }
    interrupt_.poll(i + 1);
    if (best == kUnmatched) return i + 1;  // gives up
    row_bound_[at(row)] = lowest;
    const Index former_row = matching_.col_mate[at(best)];
    if (former_row == kUnmatched) {
      ++matching_.size;
    } else {
      matching_.row_mate[at(former_row)] = kUnmatched;
      active_.push_back(former_row);
    }
    matching_.rejoin(row, best);
    label_[at(best)] = second == kUnreachable ? kUnreachable : second + 1;
    return i + 1;
  }

  const CsrGraph<Index> graph_;
  const CsrGraph<Index> transpose_;
  Matching<Index>& matching_;
  Interrupt& interrupt_;
  std::vector<Index> label_;
  Bitset reached_;
  std::vector<Index> row_bound_;  // no column of the row has a lower label
  std::vector<Index> active_;     // free rows, a queue
  std::vector<Index> queue_;
};

/// A maximum matching in O(nodes * edges). `initial`: a matching to start from (see starting_matching).
template <class Index>
Matching<Index> push_relabel(const CsrGraph<Index>& graph, const Matching<Index>& initial = {},
                             Interrupt& interrupt = no_interrupt()) {
  Matching<Index> matching = starting_matching(graph, initial, interrupt);
  const CsrMatrix<Index> transposed_graph = transpose(graph, interrupt);
  PushRelabel<Index>(graph, transposed_graph.view(), matching, interrupt).run();
  return matching;
}

}  // namespace hankelmatch
