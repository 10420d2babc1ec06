// A matching of everything that can be matched without a choice, and a good one of the rest.
//
// Karp, Sipser, "Maximum matching in sparse random graphs", FOCS 1981: some maximum matching has the edge of
// a node that has but one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/karp_sipser_degrees.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <span>
#include <utility>

namespace hankelmatch {

/// As long as a node (a row or a column) has a single neighbour left, matches the two and takes both out of
/// the graph. What that finds is part of a maximum matching, and a maximum matching of what is left completes
/// it; where nothing is left, as on any graph without cycles, it is one. O(nodes + edges).
///
/// Every node keeps the number and the ids of its neighbours left (see PackedNodes), so the last one, and the
/// other one of two, are known without looking for them: chains need neither the lists of edges nor the
/// transpose. Nodes: detail::PackedNodes or detail::WideNodes.
template <class Index, class Nodes>
class KarpSipser {
 public:
  KarpSipser(const CsrGraph<Index>& graph, TransposeOnDemand<Index>& transpose, Interrupt& interrupt)
      : graph_(graph),
        transpose_(transpose),
        interrupt_(interrupt),
        first_col_(static_cast<Id>(graph.n_rows)),
        n_nodes_(at(graph.n_rows) + at(graph.n_cols)),
        most_pairs_(at(std::min(graph.n_rows, graph.n_cols))),
        memory_((Nodes::kWords + 1) * n_nodes_ + 2 * most_pairs_ + 1),
        nodes_(memory_.span().first(Nodes::kWords * n_nodes_)),
        mates_(memory_.span().subspan(Nodes::kWords * n_nodes_, most_pairs_)),
        singles_(memory_.span().subspan(Nodes::kWords * n_nodes_ + most_pairs_)) {}

  /// To be called first. False if a node has more neighbours than its place can count: of no use then.
  bool count_neighbours() {
    const auto counted =
        detail::count_neighbours(graph_, nodes_, singles_.data(), is_beyond_caches(), interrupt_);
    end_ = counted.n_singles;
    n_cols_with_edges_ = graph_.n_cols - static_cast<Index>(counted.n_isolated_cols);
    return counted.fit;
  }

  /// The columns of the graph that have an edge.
  Index n_cols_with_edges() const { return n_cols_with_edges_; }

  /// The number of nodes known to have a single neighbour left; some of them may have none by now.
  std::size_t n_singles() const { return end_ - next_; }

  /// Matches without a choice all that can be; but what needs the transpose only where all that is known then
  /// is at least `least_pairs`, or where there were so few singles at first that each may be the end of a
  /// long chain, as on ladders.
  void match_forced(std::size_t least_pairs = 0) {
    const bool may_be_ends = n_singles() < kFewSingles;
    match_singles(true);
    if (may_be_ends || n_pairs_ + n_singles() >= least_pairs) {
      match_singles(false);
    } else {
      match_singles_apart();
    }
  }

  /// The number of pairs matched so far.
  std::size_t n_pairs() const { return n_pairs_; }

  /// Whether no row or no column is free any more.
  bool is_perfect() const { return n_pairs_ == most_pairs_; }

  /// Makes what has been matched the matching, an earlier one of this graph.
  void write(Matching<Index>& matching) const {
    matching.clear();
    for (std::size_t i = 0; i < n_pairs_; ++i) {
      const auto [row, col] = std::minmax(singles_[i], mates_[i]);
      matching.join(static_cast<Index>(row), static_cast<Index>(col - first_col_));
    }
  }

  /// The rows, and the columns, that have neighbours left.
  Bitset rows_left() const { return left(0, first_col_); }
  Bitset cols_left() const { return left(first_col_, n_nodes_ - first_col_); }

  /// The number of rows left that have a column, or a few more; 0 of one that has been taken out.
  Index n_rows_left(Index col) const {
    const std::size_t id = first_col_ + at(col);
    return nodes_.is_left(id) ? static_cast<Index>(nodes_.count(id)) : 0;
  }

  /// Matches the rest: a row that is left with its first column that is left, by increasing row, and after
  /// each what that forces. On random graphs it misses a few edges of a maximum matching.
  ///
  /// `is_local`: the next row is nearby; then what one choice forces had better be done before the next is
  /// made. Else some singles may wait: in a longer queue there is more to be fetched ahead.
  void match_rest(bool is_local) {
    const std::size_t n_may_wait = is_local || n_nodes_ < kLarge ? 0 : kManyWaiting;
    for (Index row = 0; row < graph_.n_rows; ++row) {
      interrupt_.poll();
      prefetch_choice(row);
      if (!nodes_.is_left(at(row))) continue;
      choose(static_cast<Id>(row));
      if (n_singles() == 2) follow_two_chains();  // around a cycle: ladders, shuffled, take half of the time
      while (n_singles() > n_may_wait) {
        prefetch_singles();
        match_single(take_single());
      }
    }
    match_forced();
  }

 private:
  using Id = typename Nodes::Id;  // columns are numbered after the rows

  Bitset left(std::size_t first, std::size_t size) const {
    return Bitset::where(size, [&](std::size_t i) { return nodes_.is_left(first + i); });
  }

  void append_if(bool is_single, Id id) {
    singles_[end_] = id;
    end_ += is_single ? 1U : 0U;
  }

  /// Matches the singles, and those that come of it. If rows may wait, those that need the transpose are
  /// left: where the rule solves the graph, their columns mostly are matched otherwise, and it is not made at
  /// all. Shuffled open ropes, triangles and hilo take .5 to .75 of the time (benchmarks.matching).
  void match_singles(bool may_wait) {
    while (next_ < end_) {
      interrupt_.poll();
      prefetch_singles();
      if (may_wait && needs_transpose(singles_[next_])) {
        ++next_;
        ++n_waiting_;
        continue;
      }
      match_single(take_single());
      if (n_singles() == 2) follow_two_chains();
    }
    next_ -= std::exchange(n_waiting_, 0);
    forget_stale();
  }

  /// Matches the singles that wait, without what comes of it: their columns' other rows are not known. So
  /// these seem to have more neighbours left than they have.
  void match_singles_apart() {
    while (next_ < end_) {
      const Id row = take_single();
      const Id col = nodes_.ids(row);
      if (nodes_.is_left(col)) {
        note_pair(row, col);
        nodes_.take_out(col);
      }
      nodes_.take_out(row);
    }
  }

  /// Leaves in the queue those that have one neighbour still.
  void forget_stale() {
    const std::size_t end = std::exchange(end_, next_);
    for (std::size_t i = next_; i < end; ++i) append_if(nodes_.is_single(singles_[i]), singles_[i]);
  }

  /// Whether the other neighbours of a single node's neighbour, which lose that, are known by the transpose
  /// alone, and it has not been made.
  bool needs_transpose(Id id) const {
    if (id >= first_col_ || !columns_.indptr.empty() || !nodes_.is_single(id)) return false;
    return nodes_.count(nodes_.ids(id)) > 2;
  }

  void note_pair(Id single, Id mate) {
    singles_[n_pairs_] = single;
    mates_[n_pairs_++] = mate;
  }

  /// The next in the queue. The first of those that wait takes its place, so that these stay together.
  Id take_single() {
    const Id id = singles_[next_];
    singles_[next_] = singles_[next_ - n_waiting_];
    ++next_;
    return id;
  }

  void match_single(Id id) {
    if (!nodes_.is_single(id)) return;
    const Id mate = nodes_.ids(id);
    take_out_both(id, mate);
    if (n_singles() == 1 && is_beyond_caches()) prefetch_walk(mate);
  }

  struct Single {
    Id id;
    Id neighbour;
  };

  /// Matches the only two nodes in the queue, as long as each has one follower, as on a path that is taken
  /// from both its ends. Nothing can be fetched ahead there; but the two walks wait for memory at the same
  /// time, and not for the queue to be written and read.
  void follow_two_chains() {
    const auto waiting = [&](std::size_t i) { return Single{singles_[i], nodes_.ids(singles_[i])}; };
    Single one = waiting(next_);
    Single two = waiting(next_ + 1);
    while (follow(one) && follow(two)) interrupt_.poll();
  }

  /// Matches the first node in the queue, if its neighbour has one more, which becomes `single`; whether that
  /// is single now, and the last in the queue.
  bool follow(Single& single) {
    const Id mate = single.neighbour;
    if (!nodes_.is_single(single.id) || nodes_.count(mate) != 2) return false;
    take_single();
    note_pair(single.id, mate);
    const Id third = nodes_.ids(mate) ^ single.id;
    nodes_.take_out(single.id);
    nodes_.take_out(mate);
    const bool is_single = nodes_.lose(third, mate);
    single = {third, nodes_.ids(third)};
    append_if(is_single, third);
    return is_single;
  }

  void choose(Id row) {
    singles_[end_++] = singles_[next_++];  // makes a place for the row among those that have had their turn
    for (const Index col : graph_.row(static_cast<Index>(row))) {
      const Id id = static_cast<Id>(col) + first_col_;
      if (nodes_.is_left(id)) return take_out_both(row, id);
    }
  }

  void take_out_both(Id one, Id other) {
    note_pair(one, other);
    const Left of_one{nodes_.count(one), nodes_.ids(one)};
    const Left of_other{nodes_.count(other), nodes_.ids(other)};
    nodes_.take_out(one);
    nodes_.take_out(other);
    take_out(one, of_one, other);
    take_out(other, of_other, one);
  }

  struct Left {
    std::size_t count;
    Id ids;
  };

  /// Takes a node, with the neighbours that it had left, away from all of them but its mate.
  void take_out(Id id, const Left& left, Id mate) {
    if (left.count == 1) return;
    if (left.count == 2) return lose(left.ids ^ mate, id);
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
  void lose(Id id, Id lost) { append_if(nodes_.lose(id, lost), id); }

  // Fewer singles may each be the end of a long chain. More of them, spread over the graph, mostly force
  // little (intervals, ropes and random graphs of degree 8, shuffled; benchmarks.matching).
  static constexpr std::size_t kFewSingles = 64;

  // Time is spent waiting for memory, so each piece is fetched when the one before it has arrived: the single
  // node; its neighbour; where the edges of that begin; the edges; the nodes at their other ends, which take
  // a fifth of the time on random graphs of degree 3 and triangles of 1,000,000 rows (benchmarks.matching).
  // Not on graphs with fewer nodes, which stay in the caches: a tenth of the time at 10,000 rows (--quick).
  static constexpr std::size_t kFar = 16;
  static constexpr std::size_t kLarge = std::size_t{1} << 16;
  static constexpr std::size_t kManyWaiting = 24;
  static constexpr std::size_t kMostNeighbours = 8;  // of a node, to be fetched
  bool is_beyond_caches() const { return n_nodes_ >= kLarge * 8; }

  void prefetch_singles() {
    if (n_nodes_ < kLarge) return;
    if (next_ + kFar >= end_) return prefetch_next_single();
    prefetch(nodes_.address(singles_[next_ + kFar]));
    const Id later = nodes_.ids(singles_[next_ + kFar * 3 / 4]);
    if (later < n_nodes_) {
      prefetch(nodes_.address(later));
      prefetch_begin(later);
    }
    const Id soon = nodes_.ids(singles_[next_ + kFar / 2]);
    if (soon < n_nodes_) prefetch_edges(soon);
    const Id next = nodes_.ids(singles_[next_ + kFar / 4]);
    if (next < n_nodes_ && is_beyond_caches()) prefetch_neighbours(next);
  }

  // Where few nodes wait, one after the other makes the next one single. All that the other one needs is
  // fetched during a step of this one: shuffled ladders take .8 of the time.
  void prefetch_next_single() const {
    if (next_ + 1 >= end_) return;
    const Id mate = nodes_.ids(singles_[next_ + 1]);
    if (mate < n_nodes_) prefetch_neighbours(mate);
  }

  // A walk along a band from one of its ends: of the neighbours of the node that was just taken out, one has
  // a single neighbour left, which is the next to be taken out; another has two, that one and the one after
  // it; another one more. So the node three steps ahead is known, and what it needs is fetched a piece at
  // each step: shuffled bands of 1,000,000 rows take half of the time (benchmarks.matching).
  void prefetch_walk(Id taken) {
    Id ahead = 0;
    Id all_ahead = 0;
    const Neighbours neighbours = some_neighbours(taken);
    for (std::size_t n_left = 1; n_left <= 3; ++n_left) {
      const auto next = std::ranges::find(neighbours.ids, n_left,
                                          [&](Index id) { return nodes_.count(neighbours.first + at(id)); });
      if (next == neighbours.ids.end()) return;
      ahead = nodes_.ids(neighbours.first + at(*next)) ^ all_ahead;
      all_ahead ^= ahead;
    }
    if (ahead >= n_nodes_) return;
    prefetch(nodes_.address(ahead));
    prefetch_begin(ahead);
    prefetch_edges(ahead_);
    prefetch_neighbours(less_ahead_);
    less_ahead_ = std::exchange(ahead_, ahead);
  }

  void prefetch_begin(Id id) const {
    if (id < first_col_) {
      prefetch(&graph_.indptr[id]);
    } else if (!columns_.indptr.empty()) {
      prefetch(&columns_.indptr[id - first_col_]);
    }
  }

  void prefetch_edges(Id id) const { prefetch(some_neighbours(id).ids.data()); }

  void prefetch_neighbours(Id id) const {
    const auto [first, ids] = some_neighbours(id);
    for (const Index neighbour : ids) prefetch(nodes_.address(first + at(neighbour)));
  }

  struct Neighbours {
    std::size_t first;  // the id of the first row, or column
    std::span<const Index> ids;
  };

  /// The first neighbours that a node had in the graph; none of a column's without a transpose.
  Neighbours some_neighbours(Id id) const {
    const bool is_row = id < first_col_;
    if (!is_row && columns_.indptr.empty()) return {};
    const auto ids =
        is_row ? graph_.row(static_cast<Index>(id)) : columns_.row(static_cast<Index>(id - first_col_));
    return {is_row ? first_col_ : 0, ids.first(std::min(ids.size(), kMostNeighbours))};
  }

  // The same for rows to be chosen.
  void prefetch_choice(Index row) const {
    if (n_nodes_ < kLarge || graph_.n_rows - row <= Index{kFar}) return;
    if (nodes_.is_left(at(row) + kFar)) {
      for (const Index col : graph_.row(row + Index{kFar})) {
        prefetch(nodes_.address(at(col) + first_col_));
        prefetch_begin(static_cast<Id>(col) + first_col_);
      }
    }
    if (columns_.indptr.empty()) return;
    const Index soon = first_col_left(row + Index{kFar} * 2 / 3);
    if (soon != kUnmatched) prefetch(columns_.row(soon).data());
    const Index next = first_col_left(row + Index{kFar} / 3);
    if (next != kUnmatched) prefetch_neighbours(static_cast<Id>(next) + first_col_);
  }

  Index first_col_left(Index row) const {
    if (!nodes_.is_left(at(row))) return kUnmatched;
    for (const Index col : graph_.row(row))
      if (nodes_.is_left(at(col) + first_col_)) return col;
    return kUnmatched;
  }

  const CsrGraph<Index> graph_;
  TransposeOnDemand<Index>& transpose_;
  CsrGraph<Index> columns_;  // empty until it is needed
  Interrupt& interrupt_;
  const Id first_col_;
  const std::size_t n_nodes_;
  const std::size_t most_pairs_;
  Buffer<Id> memory_;  // of all that follows: one piece, since the system clears large pages one by one
  Nodes nodes_;
  const std::span<Id> mates_;  // of the first n_pairs_ nodes in singles_
  // A queue of nodes that came to have one neighbour left, each of them once. Those that have had their turn
  // make place for one node of each pair.
  const std::span<Id> singles_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  std::size_t n_waiting_ = 0;  // for the transpose: the last of those that have had their turn
  Id ahead_ = 0;               // on a walk along a band, for prefetches alone
  Id less_ahead_ = 0;
  std::size_t n_pairs_ = 0;  // at most next_
  Index n_cols_with_edges_ = 0;
};

/// Calls use(rule) with a KarpSipser of this graph that has counted the neighbours, in the less memory the
/// better.
template <class Index, class Use>
void with_karp_sipser(const CsrGraph<Index>& graph, TransposeOnDemand<Index>& transpose, Interrupt& interrupt,
                      const Use& use) {
  if (detail::PackedNodes::fits(at(graph.n_rows) + at(graph.n_cols))) {
    KarpSipser<Index, detail::PackedNodes> rule(graph, transpose, interrupt);
    if (rule.count_neighbours()) return use(rule);
  }
  KarpSipser<Index, detail::WideNodes<Index>> rule(graph, transpose, interrupt);
  rule.count_neighbours();
  use(rule);
}

/// The part of a maximum matching that needs no choice; see KarpSipser.
template <class Index>
Matching<Index> karp_sipser(const CsrGraph<Index>& graph, Interrupt& interrupt) {
  Matching<Index> matching(graph.n_rows, graph.n_cols);
  TransposeOnDemand<Index> transpose(graph, interrupt);
  with_karp_sipser(graph, transpose, interrupt, [&](auto& rule) {
    rule.match_forced();
    rule.write(matching);
  });
  return matching;
}

}  // namespace hankelmatch
