// Maximum matching by depth-first search for augmenting paths, with look-ahead.
//
// Duff, "On algorithms for obtaining a maximum transversal", ACM Trans. Math. Softw. 7 (1981): the search and
// its look-ahead. Duff, Kaya, Ucar, "Design, implementation, and analysis of maximum transversal algorithms",
// ACM Trans. Math. Softw. 38 (2011): beside others. SuiteSparse's BTF has the same cursor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <memory>
#include <span>
#include <vector>

namespace hankelmatch {

/// Searches from one free row at a time and keeps between searches what they have learned:
/// - a cursor per row over its edges for the look-ahead. A matched column never becomes free again, so
///   an edge once found to lead to one is never looked at again for a free one: O(edges) over all searches
///   together;
/// - the columns that failed searches visited. No augmenting path can ever pass them, so they are never
///   visited again.
///
/// Graph: see CsrGraph::find.
/// A successful search may visit every edge: O(rows * edges) in the worst case, near O(edges) on most graphs.
/// Memory: the cursors, two bits per column, and a stack and a trail whose pages are touched as far as the
/// searches go deep.
template <class Graph>
class DepthFirstSearch {
 public:
  using Index = typename Graph::index_type;

  DepthFirstSearch(const Graph& graph, Matching<Index>& matching, Interrupt& interrupt)
      : graph_(graph),
        matching_(matching),
        interrupt_(interrupt),
        cursor_(at(graph.n_rows)),
        free_cols_(at(graph.n_cols), true),
        trail_(std::make_unique_for_overwrite<Index[]>(at(std::min(graph.n_rows, graph.n_cols)))),
        stack_(std::make_unique_for_overwrite<Frame[]>(at(std::min(graph.n_rows, graph.n_cols)) + 1)) {
    if (matching.size == 0) return;
    for (Index row = 0; row < graph.n_rows; ++row) {
      if (!matching.has_row(row)) continue;
      cursor_[at(row)] = graph.begin(row);
      free_cols_.reset(at(matching.row_mate[at(row)]));
    }
  }

  /// Matches a free row if an augmenting path starts there; then the path has been flipped and `matching` is
  /// one larger.
  bool match_row(Index root) {
    interrupt_.poll();
    if (leads_nowhere(root)) return false;
    if (visited_.size() == 0) visited_ = Bitset(at(graph_.n_cols));
    cursor_[at(root)] = graph_.begin(root);
    trail_size_ = 0;
    Index depth = 0;
    push(depth, root);
    while (depth >= 0) {
      Frame& top = stack_[at(depth)];
      const Index free_col = next_free_col(top.row);
      if (free_col != kUnmatched) {
        path_size_ = depth + 1;
        flip_path(depth, free_col);
        forget_visits();
        return true;
      }
      const Index next_row = next_unvisited_row(top);
      if (next_row == kUnmatched) {
        --depth;
      } else {
        push(++depth, next_row);
      }
    }
    return false;  // what was visited stays visited: it is a dead end for good
  }

  bool is_free_col(Index col) const { return free_cols_.test(at(col)); }

  /// Matches a free row with a free column beside the searches.
  void join(Index row, Index col) {
    cursor_[at(row)] = graph_.begin(row);
    free_cols_.reset(at(col));
    matching_.join(row, col);
  }

  /// Calls visit(row) for the rows of the path that the last successful search flipped; with their new mates
  /// they are the edges that it added.
  template <class Visit>
  void for_each_path_row(const Visit& visit) const {
    for (Index depth = 0; depth < path_size_; ++depth) visit(stack_[at(depth)].row);
  }

  /// Gives free rows their first free column: from `row` on by `step`, 1 or -1, up to the first that has
  /// none, or `end`. Returns where that was.
  Index match_free_neighbours(Index row, Index end, Index step) {
    return pass_by(row, end, step,
                   [&](Index from, Index to) { return match_some_free_neighbours(from, to, step); });
  }

  /// The first row, from `row` on by `step`, that is free and has a column which no failed search has
  /// visited, or `end`. No row before it has an augmenting path; on texts most rows are such.
  Index next_with_a_way(Index row, Index end, Index step) {
    return pass_by(row, end, step, [&](Index from, Index to) {
      while (from != to && (matching_.has_row(from) || leads_nowhere(from))) from += step;
      return from;
    });
  }

  /// The edges looked at so far to go on from rows without a free column, and the times that this was tried.
  std::uint64_t work() const { return work_; }

 private:
  struct Frame {
    Index row;
    Index next;  // cursor to the row's next edge to follow
  };

  /// From `row` on, pass_some(from, to) passes by rows up to `to`, or returns one that it does not pass by.
  template <class PassSome>
  Index pass_by(Index row, Index end, Index step, const PassSome& pass_some) {
    constexpr Index kPollAfter = 1 << 10;
    while (row != end) {
      const Index last =
          step > 0 ? row + std::min(end - row, kPollAfter) : row - std::min(row - end, kPollAfter);
      const Index before = row;
      row = pass_some(row, last);
      const Index n_edges = step > 0 ? graph_.begin(row) - graph_.begin(before)
                                     : graph_.begin(before + 1) - graph_.begin(row + 1);
      interrupt_.poll(static_cast<std::uint64_t>(n_edges) + 1);
      if (row != last) break;
    }
    return row;
  }

  // Spares most rows of a graph with few columns worth a search everything else that a search costs.
  bool leads_nowhere(Index row) const {
    Index cursor = graph_.begin(row);
    if (visited_.size() == 0) return graph_.find(row, cursor, [](Index) { return true; }) == kUnmatched;
    return graph_.find(row, cursor, [&](Index col) { return !visited_.test(at(col)); }) == kUnmatched;
  }

  // A few instructions a row, since that is all that most rows of many graphs need.
  Index match_some_free_neighbours(Index row, Index end, Index step) {
    Index size = matching_.size;  // kept here, since each row would wait for the one before
    for (; row != end; row += step) {
      if (matching_.has_row(row)) continue;
      Index cursor = graph_.begin(row);
      const Index free_col = graph_.find(row, cursor, [&](Index col) { return free_cols_.test(at(col)); });
      cursor_[at(row)] = cursor;
      if (free_col == kUnmatched) break;
      free_cols_.reset(at(free_col));
      matching_.rejoin(row, free_col);
      ++size;
    }
    matching_.size = size;
    return row;
  }

  void push(Index depth, Index row) { stack_[at(depth)] = {row, graph_.begin(row)}; }

  // Not counted as work: over all searches together it passes over every edge at most once.
  Index next_free_col(Index row) {
    std::uint64_t uncounted = 0;
    return find(row, cursor_[at(row)], uncounted, [&](Index col) { return free_cols_.test(at(col)); });
  }

  // Every column seen here is matched: the look-ahead has passed over the whole row.
  Index next_unvisited_row(Frame& frame) {
    const Index col = find(frame.row, frame.next, work_, [&](Index c) { return !visited_.test(at(c)); });
    if (col == kUnmatched) return kUnmatched;
    visited_.set(at(col));
    trail_[at(trail_size_++)] = col;
    return matching_.col_mate[at(col)];
  }

  template <class Wanted>
  Index find(Index row, Index& cursor, std::uint64_t& work, const Wanted& wanted) {
    std::uint64_t n_seen = 0;
    const Index col = graph_.find(row, cursor, [&](Index c) {
      ++n_seen;
      return wanted(c);
    });
    work += n_seen + 1;
    interrupt_.poll(n_seen + 1);
    return col;
  }

  void flip_path(Index depth, Index col) {
    free_cols_.reset(at(col));
    for (; depth >= 0; --depth) col = matching_.rejoin(stack_[at(depth)].row, col);
    ++matching_.size;
  }

  void forget_visits() {
    while (trail_size_ > 0) visited_.reset(at(trail_[at(--trail_size_)]));
  }

  const Graph& graph_;
  Matching<Index>& matching_;
  Interrupt& interrupt_;
  Buffer<Index> cursor_;  // set once a row is the root of a search; no search enters other rows
  Bitset free_cols_;
  Bitset visited_;                  // empty until the first search
  std::unique_ptr<Index[]> trail_;  // the columns visited by the current search, all of them matched
  Index trail_size_ = 0;
  // A path alternates between rows and their mates: at most min(rows, cols) + 1 rows.
  std::unique_ptr<Frame[]> stack_;
  Index path_size_ = 0;
  std::uint64_t work_ = 0;
};

/// The rows n_rows - 1, ..., 1, 0: the longest prefix first, where rows are the nodes of a trie.
template <class Index>
std::vector<Index> last_row_first(Index n_rows) {
  std::vector<Index> order;
  order.reserve(at(n_rows));
  while (n_rows > 0) order.push_back(--n_rows);
  return order;
}

/// A maximum matching; tries the rows in the given order, each of them once. Rows that are not in `order`
/// stay as `initial` has them, but an empty order means 0, 1, 2, ...
/// The order does not change the size of the result, but its edges and the time: on Hankel graphs the longest
/// prefix first is best. `initial`: a matching to start from (see starting_matching). Cost: see
/// DepthFirstSearch.
template <class Graph>
Matching<typename Graph::index_type> augmenting_path(const Graph& graph,
                                                     std::span<const typename Graph::index_type> order = {},
                                                     const Matching<typename Graph::index_type>& initial = {},
                                                     Interrupt& interrupt = no_interrupt()) {
  using Index = typename Graph::index_type;
  Matching<Index> matching = starting_matching(graph, initial, interrupt);
  DepthFirstSearch search(graph, matching, interrupt);
  const auto match = [&](Index row) {
    if (!matching.has_row(row)) search.match_row(row);
  };
  if (order.empty()) {
    for (Index row = 0; row < graph.n_rows; ++row) match(row);
  } else {
    for (const Index row : order) match(row);
  }
  return matching;
}

}  // namespace hankelmatch
