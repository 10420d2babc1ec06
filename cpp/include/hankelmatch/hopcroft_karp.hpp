// Maximum matching in O(edges * sqrt(nodes)): many shortest augmenting paths at a time.
//
// Hopcroft, Karp, "An n^(5/2) algorithm for maximum matchings in bipartite graphs", SIAM J. Comput. 2 (1973).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <vector>

namespace hankelmatch {

/// Works in phases of O(edges) each. A breadth-first search from all free rows gives rows their level and
/// stops at the first level from which a free column is seen; depth-first searches along the levels then flip
/// a maximal set of disjoint shortest augmenting paths. At most O(sqrt(nodes)) phases are needed, and few in
/// practice.
template <class Index>
class HopcroftKarp {
 public:
  HopcroftKarp(const CsrGraph<Index>& graph, Matching<Index>& matching, Interrupt& interrupt)
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
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void enqueue(Index row, Index level) {
    level_[at(row)] = level;
    next_[at(row)] = graph_.indptr[at(row)];
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
    interrupt_.poll(graph_.row(row).size() + 1);
    for (const Index col : graph_.row(row)) {
      const Index next_row = matching_.col_mate[at(col)];
      if (next_row == kUnmatched) {
        last_level_ = level;
        return;
      }
      if (level_[at(next_row)] == kNoLevel) enqueue(next_row, level + 1);
    }
  }

  void augment_from(Index root) {
    path_.assign(1, root);
    while (!path_.empty()) {
      const Index row = path_.back();
      const Index position = next_[at(row)];
      if (position == graph_.indptr[at(row) + 1]) {
        path_.pop_back();
        continue;
      }
      next_[at(row)] = position + 1;
      const Index col = graph_.indices[at(position)];
      const Index next_row = matching_.col_mate[at(col)];
      if (next_row == kUnmatched) {
        flip_path(col);
        return;
      }
      if (level_[at(next_row)] == level_[at(row)] + 1) {
        interrupt_.poll();
        path_.push_back(next_row);
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

  const CsrGraph<Index>& graph_;
  Matching<Index>& matching_;
  Interrupt& interrupt_;
  std::vector<Index> level_;
  std::vector<Index> next_;   // position in `indices` of the row's next edge to follow in this phase
  std::vector<Index> queue_;  // the free rows first
  std::vector<Index> path_;
  std::size_t n_free_ = 0;
  Index last_level_ = 0;
};

/// A maximum matching in O(edges * sqrt(nodes)). `initial`: a matching to start from (see starting_matching).
template <class Index>
Matching<Index> hopcroft_karp(const CsrGraph<Index>& graph, const Matching<Index>& initial = {},
                              Interrupt interrupt = {}) {
  Matching<Index> matching = starting_matching(graph, initial);
  HopcroftKarp<Index> phases(graph, matching, interrupt);
  while (phases.augment()) {
  }
  return matching;
}

}  // namespace hankelmatch
