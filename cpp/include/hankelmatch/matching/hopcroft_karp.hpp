// Maximum matching in O(edges * sqrt(nodes)): many shortest augmenting paths at a time.
//
// Hopcroft, Karp, "An n^(5/2) algorithm for maximum matchings in bipartite graphs", SIAM J. Comput. 2 (1973).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <vector>

namespace hankelmatch {

/// Works in phases of O(edges). A breadth-first search from all free rows gives each row its level and stops
/// at the first level from which it sees a free column. Depth-first searches along the levels then flip a
/// maximal set of disjoint shortest augmenting paths. At most O(sqrt(nodes)) phases are needed, in practice
/// few.
template <class Graph>
class HopcroftKarp {
 public:
  using Index = typename Graph::index_type;

  HopcroftKarp(const Graph& graph, Matching<Index>& matching, Interrupt& interrupt)
      : graph_(graph),
        matching_(matching),
        interrupt_(interrupt),
        level_(at(graph.n_rows)),
        next_(at(graph.n_rows)) {
    queue_.reserve(at(graph.n_rows));
    path_.reserve(at(std::min(graph.n_rows, graph.n_cols)) + 1);
  }

  /// One phase; false if no augmenting path is left.
  bool augment() {
    if (!find_levels()) return false;
    for (std::size_t i = 0; i < n_free_; ++i) augment_from(queue_[i]);
    return true;
  }

 private:
  static constexpr Index kNoLevel = -1;
  void enqueue(Index row, Index level) {
    level_[at(row)] = level;
    next_[at(row)] = graph_.begin(row);
    queue_.push_back(row);
  }

  bool find_levels() {
    std::ranges::fill(level_, kNoLevel);
    queue_.clear();
    for (Index row = 0; row < graph_.n_rows; ++row) {
      if (!matching_.has_row(row)) enqueue(row, 0);
    }
    n_free_ = queue_.size();
    last_level_ = graph_.n_rows;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      if (level_[at(queue_[i])] > last_level_) break;
      expand(queue_[i]);
    }
    return last_level_ < graph_.n_rows;
  }

  void expand(Index row) {
    const Index level = level_[at(row)];
    Index cursor = graph_.begin(row);
    const Index free_col = graph_.find(row, cursor, [&](Index col) {
      const Index next_row = matching_.col_mate[at(col)];
      interrupt_.poll();
      if (next_row == kUnmatched) return true;
      if (level_[at(next_row)] == kNoLevel) enqueue(next_row, level + 1);
      return false;
    });
    if (free_col != kUnmatched) last_level_ = level;
  }

  void augment_from(Index root) {
    path_.assign(1, root);
    while (!path_.empty()) {
      const Index row = path_.back();
      const Index col = graph_.find(row, next_[at(row)], [&](Index c) {
        const Index next_row = matching_.col_mate[at(c)];
        interrupt_.poll();
        return next_row == kUnmatched || level_[at(next_row)] == level_[at(row)] + 1;
      });
      if (col == kUnmatched) {
        path_.pop_back();
      } else if (matching_.has_col(col)) {
        path_.push_back(matching_.col_mate[at(col)]);
      } else {
        return flip_path(col);
      }
    }
  }

  // Rows on a flipped path lose their level, so that the phase's paths are disjoint.
  void flip_path(Index col) {
    for (; !path_.empty(); path_.pop_back()) {
      level_[at(path_.back())] = kNoLevel;
      col = matching_.rejoin(path_.back(), col);
    }
    ++matching_.size;
  }

  const Graph& graph_;
  Matching<Index>& matching_;
  Interrupt& interrupt_;
  std::vector<Index> level_;
  std::vector<Index> next_;   // cursor to the row's next edge to follow in this phase
  std::vector<Index> queue_;  // the free rows first
  std::vector<Index> path_;
  std::size_t n_free_ = 0;
  Index last_level_ = 0;
};

/// A maximum matching in O(edges * sqrt(nodes)). `initial`: a matching to start from (see starting_matching).
template <class Graph>
Matching<typename Graph::index_type> hopcroft_karp(const Graph& graph,
                                                   const Matching<typename Graph::index_type>& initial = {},
                                                   Interrupt& interrupt = no_interrupt()) {
  auto matching = starting_matching(graph, initial, interrupt);
  HopcroftKarp phases(graph, matching, interrupt);
  while (phases.augment()) {
  }
  return matching;
}

}  // namespace hankelmatch
