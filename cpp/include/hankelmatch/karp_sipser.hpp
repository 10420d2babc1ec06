// A matching of everything that can be matched without a choice, and a good one of the rest.
//
// Karp, Sipser, "Maximum matching in sparse random graphs", FOCS 1981: some maximum matching has the edge of
// a node that has but one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/prefetch.hpp>
#include <hankelmatch/transpose.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace hankelmatch {

/// As long as a node (a row or a column) has a single neighbour left, matches the two and takes both out of
/// the graph. What that finds is part of a maximum matching, and a maximum matching of what is left completes
/// it; where nothing is left, as on any graph without cycles, it is one. O(nodes + edges).
///
/// Every node keeps the number and the sum of the ids of its neighbours left, so the last one is known
/// without looking for it: the sum is its id. Of a node with two, one of them known, the other is known as
/// well; so chains need neither the lists of edges nor the transpose.
template <class Index>
class KarpSipser {
 public:
  KarpSipser(const CsrGraph<Index>& graph, TransposeOnDemand<Index>& transpose, Interrupt& interrupt)
      : graph_(graph),
        transpose_(transpose),
        interrupt_(interrupt),
        first_col_(static_cast<Id>(graph.n_rows)),
        nodes_(at(graph.n_rows) + at(graph.n_cols), Node{}),
        ids_(nodes_.size() + 1 + 2 * at(std::min(graph.n_rows, graph.n_cols))),
        singles_(ids_.span().first(nodes_.size() + 1)),
        pairs_(ids_.span().subspan(singles_.size())) {
    count_neighbours();
  }

  /// Matches without a choice all that can be.
  void match_forced() {
    while (next_ < end_) match_single();
  }

  /// Whether no row or no column is free any more.
  bool is_perfect() const { return end_of_pairs_ == pairs_.size(); }

  /// Makes what has been matched the matching, an earlier one of this graph.
  void write(Matching<Index>& matching) const {
    matching.clear();
    for (std::size_t i = 0; i < end_of_pairs_; i += 2) {
      const auto [row, col] = std::minmax(pairs_[i], pairs_[i + 1]);
      matching.join(static_cast<Index>(row), static_cast<Index>(col - first_col_));
    }
  }

  /// The rows, and the columns, that have neighbours left.
  Bitset rows_left() const { return left(0, first_col_); }
  Bitset cols_left() const { return left(first_col_, nodes_.size() - first_col_); }

  /// Matches the rest: a row that is left with its first column that is left, by increasing row, and after
  /// each what that forces. On random graphs it misses a few edges of a maximum matching.
  void match_rest() {
    const std::size_t n_waiting = is_local() ? 0 : kManyWaiting;
    for (Index row = 0; row < graph_.n_rows; ++row) {
      prefetch_choice(row);
      if (nodes_[at(row)].count <= 0) continue;
      choose(static_cast<Id>(row));
      while (end_ - next_ > n_waiting) match_single();
    }
    match_forced();
  }

 private:
  using Id = std::make_unsigned_t<Index>;  // columns are numbered after the rows

  struct Node {
    Index count = 0;  // neighbours left; 0 or less once it is matched
    Id sum = 0;       // of their ids; may wrap round on the way, but not once one is left
  };

  void count_neighbours() {
    Node* const cols = nodes_.span().data() + first_col_;
    for (Index row = 0; row < graph_.n_rows; ++row) {
      const auto neighbours = graph_.row(row);
      Id sum = 0;
      for (const Index col : neighbours) {
        sum += static_cast<Id>(col) + first_col_;
        ++cols[col].count;
        cols[col].sum += static_cast<Id>(row);
      }
      nodes_[at(row)] = {static_cast<Index>(neighbours.size()), sum};
      add_if_single(static_cast<Id>(row));
      interrupt_.poll(neighbours.size() + 1);
    }
    for (Id id = first_col_; id < nodes_.size(); ++id) add_if_single(id);
  }

  Bitset left(std::size_t first, std::size_t size) const {
    return Bitset::where(size, [&](std::size_t i) { return nodes_[first + i].count > 0; });
  }

  void add_if_single(Id id) {
    singles_[end_] = id;
    end_ += nodes_[id].count == 1 ? 1U : 0U;
  }

  void match_single() {
    prefetch_singles();
    Node& node = nodes_[singles_[next_++]];
    if (node.count == 1) take_out_both(singles_[next_ - 1], node.sum);
  }

  void choose(Id row) {
    for (const Index col : graph_.row(static_cast<Index>(row))) {
      const Id id = static_cast<Id>(col) + first_col_;
      if (nodes_[id].count > 0) return take_out_both(row, id);
    }
  }

  void take_out_both(Id one, Id other) {
    pairs_[end_of_pairs_++] = one;
    pairs_[end_of_pairs_++] = other;
    const Node node = nodes_[one];
    const Node mate = nodes_[other];
    nodes_[one].count = 0;
    nodes_[other].count = 0;
    take_out(one, node, other);
    take_out(other, mate, one);
  }

  /// Takes a node, with the neighbours that it had left, away from all of them but its mate.
  void take_out(Id id, const Node& node, Id mate) {
    if (node.count == 1) return;
    if (node.count == 2) return lose(node.sum - mate, id);
    if (id < first_col_) {
      lose_by_all(graph_.row(static_cast<Index>(id)), first_col_, id);
    } else {
      if (columns_.indptr.empty()) columns_ = transpose_.view();
      lose_by_all(columns_.row(static_cast<Index>(id - first_col_)), 0, id);
    }
  }

  void lose_by_all(std::span<const Index> neighbours, Id first, Id lost) {
    interrupt_.poll(neighbours.size());
    for (const Index neighbour : neighbours) lose(static_cast<Id>(neighbour) + first, lost);
  }

  // Without branches, since none could be predicted.
  void lose(Id id, Id lost) {
    Node& node = nodes_[id];
    node.sum -= lost;
    --node.count;
    add_if_single(id);
  }

  // Time is spent waiting for memory, so each piece is fetched when the one before it has arrived: the single
  // node; its neighbour; where the edges of that begin; the edges.
  static constexpr std::size_t kFar = 12;
  static constexpr std::size_t kManyWaiting = 16;

  void prefetch_singles() {
    if (next_ + kFar >= end_) return;
    prefetch(&nodes_[singles_[next_ + kFar]]);
    const Id soon = nodes_[singles_[next_ + kFar * 2 / 3]].sum;
    if (soon < nodes_.size()) {
      prefetch(&nodes_[soon]);
      prefetch_begin(soon);
    }
    const Id next = nodes_[singles_[next_ + kFar / 3]].sum;
    if (next < nodes_.size()) prefetch_edges(next);
  }

  void prefetch_begin(Id id) const {
    if (id < first_col_) {
      prefetch(&graph_.indptr[id]);
    } else if (!columns_.indptr.empty()) {
      prefetch(&columns_.indptr[id - first_col_]);
    }
  }

  void prefetch_edges(Id id) const {
    if (id < first_col_) {
      prefetch(graph_.row(static_cast<Index>(id)).data());
    } else if (!columns_.indptr.empty()) {
      prefetch(columns_.row(static_cast<Index>(id - first_col_)).data());
    }
  }

  // The same for rows to be chosen.
  void prefetch_choice(Index row) const {
    if (row + Index{kFar} >= graph_.n_rows) return;
    if (nodes_[at(row) + kFar].count > 0) {
      for (const Index col : graph_.row(row + Index{kFar})) {
        prefetch(&nodes_[at(col) + first_col_]);
        prefetch_begin(static_cast<Id>(col) + first_col_);
      }
    }
    if (columns_.indptr.empty()) return;
    const Index soon = first_col_left(row + Index{kFar} * 2 / 3);
    if (soon != kUnmatched) prefetch(columns_.row(soon).data());
    const Index next = first_col_left(row + Index{kFar} / 3);
    if (next == kUnmatched) return;
    for (const Index neighbour : columns_.row(next)) prefetch(&nodes_[at(neighbour)]);
  }

  Index first_col_left(Index row) const {
    if (nodes_[at(row)].count <= 0) return kUnmatched;
    for (const Index col : graph_.row(row))
      if (nodes_[at(col) + first_col_].count > 0) return col;
    return kUnmatched;
  }

  /// Whether rows that follow one another have columns near one another, judged by some of them. Then what
  /// one choice forces had better be done before the next choice, which is nearby, is made. On others some
  /// singles may wait: in a longer queue there is more to be fetched ahead.
  bool is_local() const {
    constexpr Index kSample = 256;
    constexpr Index kLarge = 1 << 14;
    if (graph_.n_rows < kLarge) return true;
    Index n_far = 0;
    for (Index i = 0; i < kSample; ++i) {
      const Index row = graph_.n_rows / kSample * i;
      const auto here = graph_.row(row);
      const auto next = graph_.row(row + 1);
      if (here.empty() || next.empty()) continue;
      n_far += std::abs(here.front() - next.front()) > graph_.n_cols / 16 ? 1 : 0;
    }
    return n_far < kSample / 4;
  }

  const CsrGraph<Index> graph_;
  TransposeOnDemand<Index>& transpose_;
  CsrGraph<Index> columns_;  // empty until it is needed
  Interrupt& interrupt_;
  const Id first_col_;
  Buffer<Node> nodes_;
  Buffer<Id> ids_;               // the memory of the next two
  const std::span<Id> singles_;  // a queue of nodes that came to have one neighbour left, each of them once
  const std::span<Id> pairs_;    // the two nodes of each edge of the matching
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  std::size_t end_of_pairs_ = 0;
};

/// The part of a maximum matching that needs no choice; see KarpSipser.
template <class Index>
Matching<Index> karp_sipser(const CsrGraph<Index>& graph, Interrupt& interrupt) {
  Matching<Index> matching(graph.n_rows, graph.n_cols);
  TransposeOnDemand<Index> transpose(graph, interrupt);
  KarpSipser<Index> rule(graph, transpose, interrupt);
  rule.match_forced();
  rule.write(matching);
  return matching;
}

}  // namespace hankelmatch
