// Maximum matching by rounds of breadth-first searches, with look-ahead; dead ends are closed for good.
//
// Breadth-first searches from single rows: Duff, Kaya, Ucar, "Design, implementation, and analysis of maximum
// transversal algorithms", ACM Trans. Math. Softw. 38 (2011). Disjoint searches in rounds: Pothen, Fan,
// "Computing the block triangular form of a sparse matrix", ACM Trans. Math. Softw. 16 (1990). What both lack
// is the look-ahead in breadth, and that a round closes dead ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// In a round every free row searches once: O(edges).
///
/// A search looks for a free column beside all rows that it has reached before it follows the edges of the
/// first of them, so that of d edges a row it follows those of one row in d; the larger its tree, the more
/// rows at a time, so that what it looks at next has time to be fetched.
///
/// What a search reaches is not visited again in the round, but for two cases. While searches that succeed
/// take a small share of the edges together, what they reach may be visited again: small trees do not stand
/// in one another's way. A search that fails, without a tree of this round in its way, has seen all that can
/// be reached: its columns are closed for good, and its row is done with. Whether one was in its way is
/// looked up once it has failed, since most succeed. Where searches fail, more may be visited again: one that
/// fails with a tree in its way has to fail again.
///
/// O(nodes * edges) in the worst case. Memory: four words and two bits for each column.
template <class Index>
class BreadthFirstRounds {
 public:
  /// Columns in `closed` are known to lead to no free one; more are added to them.
  BreadthFirstRounds(const CsrGraph<Index>& graph, LookAhead<Index>& look_ahead, Matching<Index>& matching,
                     Bitset& closed, Interrupt& interrupt)
      : graph_(graph),
        look_ahead_(look_ahead),
        matching_(matching),
        closed_(closed),
        interrupt_(interrupt),
        queue_(at(graph.n_cols) + 1) {}

  /// A round from these free rows. Leaves those that have to search again.
  void search_all(std::vector<Index>& rows) { search_all(rows, at(graph_.n_edges()) / kShareForgotten); }

  /// The same where all that searches which succeed reach may be visited again: a row is matched if, once
  /// those before it are, an augmenting path begins at it. None has to search again.
  void search_in_order(std::vector<Index> rows) {
    search_all(rows, std::numeric_limits<std::uint64_t>::max() / 2);  // and more for dead ends
  }

  /// The edges looked at so far.
  std::uint64_t work() const { return work_; }

 private:
  // Of the edges, one part in so many may be visited again in a round. A quarter takes about twice as long on
  // shuffled hypercubes and chains of cliques.
  static constexpr std::uint64_t kShareForgotten = 64;
  // And so many times what the dead ends found in the round have cost: roads in order take .57 of the time
  // that they take without it, shuffled .9, whether it is 4 or 32 (benchmarks.matching --asked).
  static constexpr std::uint64_t kForgottenForDead = 8;

  // The edges of so many rows, and of a part of those before, are followed before the next look ahead, while
  // what that needs is fetched: groups and ropes take .9 of the time that they take one by one, tori .6 to .9
  // (benchmarks.matching).
  static constexpr std::size_t kFewestTogether = 1;
  static constexpr std::size_t kPartTogether = 4;
  static constexpr std::size_t kMostTogether = 16;

  // Most trees are small: they reach little but the root's edges and the mates of its columns. So much of a
  // tree is fetched while the searches before it run, of the first few columns: .82 to .92 of the time on
  // roads and groups. Each piece leads to the next, so they are fetched so many searches ahead:
  static constexpr std::size_t kRootAhead = 24;
  static constexpr std::size_t kEdgesAhead = 16;
  static constexpr std::size_t kMatesAhead = 10;
  static constexpr std::size_t kEdgesOfMatesAhead = 5;
  static constexpr std::size_t kColsAhead = 4;

  static constexpr auto kRoot = static_cast<std::size_t>(Index{kUnmatched});

  struct Reached {
    Index col;
    Index via;    // the place in the queue of the column by whose mate it was reached; -1 from the root
    Index begin;  // the places of the edges of its mate, from the look-ahead on: between that and the time
    Index end;    // at which they are followed, the mate's own place has left the caches
  };

  /// A search from one row: the columns that it has reached.
  struct Tree {
    LookAheadRow<Index> root;
    std::span<Reached> queue;     // with a place to write to after the last
    std::size_t n_reached = 0;    // places in the queue
    std::size_t n_looked_at = 0;  // from whose mates the look-ahead has been done
    std::size_t n_followed = 0;   // whose mates' edges have been followed
    std::uint64_t work = 0;
  };

  enum Outcome { kGrowing, kMatched, kDead, kBlocked };

  /// Of the edges, so many may be visited again.
  void search_all(std::vector<Index>& rows, std::uint64_t to_forget) {
    visited_ = closed_;
    to_forget_ = to_forget;
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (look_ahead_.is_exhausted()) return rows.clear();
      prefetch_roots(rows, i);
      const Index row = rows[i];
      if (search(row) == kBlocked) rows[n_left++] = row;
    }
    rows.resize(n_left);
  }

  /// Fetches pieces of the trees of the rows after row i.
  void prefetch_roots(const std::vector<Index>& rows, std::size_t i) const {
    if (i + kRootAhead >= rows.size()) return;
    prefetch(&graph_.indptr[at(rows[i + kRootAhead])]);
    prefetch(graph_.row(rows[i + kEdgesAhead]).data());
    for (const Index col : first_cols(rows[i + kMatesAhead])) look_ahead_.prefetch_mate(col);
    for (const Index col : first_cols(rows[i + kEdgesOfMatesAhead])) look_ahead_.prefetch_edges_of_mate(col);
  }
  std::span<const Index> first_cols(Index row) const {
    const std::span<const Index> cols = graph_.row(row);
    return cols.first(std::min(cols.size(), kColsAhead));
  }

  Outcome search(Index row) {
    Tree tree{.root = look_ahead_.row(row), .queue = queue_.span()};
    return grow_to_end(tree, plant(tree));
  }

  Outcome grow_to_end(Tree& tree, Outcome outcome) {
    while (outcome == kGrowing) {
      fetch_edges(tree);
      outcome = grow(tree);
    }
    return outcome;
  }

  /// Begins a search.
  Outcome plant(Tree& tree) {
    interrupt_.poll();
    if (flip_path_to_free(tree, tree.root, kRoot)) return kMatched;
    follow_edges(tree, cols_of(tree.root), kRoot);
    return kGrowing;
  }

  /// Looks ahead from the mates of the columns reached last, and follows the edges of some.
  Outcome grow(Tree& tree) {
    for (std::size_t i = tree.n_looked_at; i < tree.n_reached; ++i) {
      if (!flip_path_to_free(tree, look_ahead_.mate(tree.queue[i].col), i)) continue;
      forget_or_keep(tree);
      return kMatched;
    }
    if (tree.n_followed == tree.n_reached) return end_in_vain(tree);
    tree.n_looked_at = tree.n_reached;
    for (const std::size_t end = end_of_turn(tree); tree.n_followed < end; ++tree.n_followed)
      follow_edges(tree, cols_of(tree.queue[tree.n_followed]), tree.n_followed);
    return kGrowing;
  }

  Outcome end_in_vain(const Tree& tree) {
    if (!closes_reached(tree)) return kBlocked;
    to_forget_ += kForgottenForDead * tree.work;
    return kDead;
  }

  /// Fetches the edges of the mates of the columns reached last.
  void fetch_edges(Tree& tree) {
    for (std::size_t i = tree.n_looked_at; i < tree.n_reached; ++i) {
      Reached& reached = tree.queue[i];
      look_ahead_.prefetch_edges_of_mate(reached.col);
      const LookAheadRow<Index>& row = look_ahead_.mate(reached.col);
      reached.begin = row.begin;
      reached.end = row.end;
    }
  }

  /// Up to which place in the queue edges are followed before the next look ahead. Fetches what the turn
  /// after that needs.
  std::size_t end_of_turn(const Tree& tree) const {
    const std::size_t n_together = std::min(kFewestTogether + tree.n_followed / kPartTogether, kMostTogether);
    const std::size_t end = std::min(tree.n_followed + n_together, tree.n_reached);
    const std::size_t soon = std::min(end + n_together, tree.n_reached);
    for (std::size_t i = end; i < soon; ++i) prefetch_first(cols_of(tree.queue[i]));
    return end;
  }

  /// `via`: the place in the queue of the column by which the row of these edges was reached, or kRoot.
  void follow_edges(Tree& tree, std::span<const Index> cols, std::size_t via) {
    count_work(tree, cols.size() + 1);
    // No branch for each, since none could be predicted: four fifths of the time on chains of cliques.
    std::size_t n_reached = tree.n_reached;
    for (const Index col : cols) {
      tree.queue[n_reached].col = col;
      tree.queue[n_reached].via = static_cast<Index>(via);
      n_reached += visited_.test(at(col)) ? 0U : 1U;
      visited_.set(at(col));
      look_ahead_.prefetch_mate(col);
    }
    tree.n_reached = n_reached;
  }

  bool flip_path_to_free(Tree& tree, LookAheadRow<Index>& row, std::size_t via) {
    const Index cursor = row.cursor;
    Index col = look_ahead_.take_free_col(row);
    tree.work += static_cast<std::uint64_t>(row.cursor - cursor);
    work_ += static_cast<std::uint64_t>(row.cursor - cursor);
    if (col == kUnmatched) return false;
    for (; via != kRoot; via = static_cast<std::size_t>(tree.queue[via].via)) {
      look_ahead_.rejoin(look_ahead_.mate(tree.queue[via].col), col);
      col = tree.queue[via].col;
    }
    look_ahead_.rejoin(tree.root, col);
    ++matching_.size;
    return true;
  }

  void forget_or_keep(const Tree& tree) {
    if (tree.work > to_forget_) return;
    to_forget_ -= tree.work;
    for (const Reached& reached : tree.queue.first(tree.n_reached)) visited_.reset(at(reached.col));
  }

  /// Closes the columns that a failed search has reached, unless one beside them is open, which another
  /// search of this round has visited; whether it does.
  bool closes_reached(const Tree& tree) {
    const auto all = tree.queue.first(tree.n_reached);
    for (const Reached& reached : all) closed_.set(at(reached.col));
    bool are_closed = has_closed_cols(tree.root);
    for (std::size_t i = 0; i < all.size() && are_closed; ++i) {
      prefetch_reached(all, i);
      are_closed = has_closed_cols(look_ahead_.mate(all[i].col));
    }
    if (are_closed) return true;
    for (const Reached& reached : all) closed_.reset(at(reached.col));
    return false;
  }

  /// Fetches what follows place i in the queue, for a pass over all of it.
  void prefetch_reached(std::span<const Reached> all, std::size_t i) const {
    constexpr std::size_t kFar = 16;
    if (i + 2 * kFar >= all.size()) return;
    look_ahead_.prefetch_mate(all[i + 2 * kFar].col);
    prefetch_first(cols_of(look_ahead_.mate(all[i + kFar].col)));
  }

  /// Fetches the first columns of a row: two lines of the cache.
  static void prefetch_first(std::span<const Index> cols) {
    constexpr std::size_t kCacheLine = 64 / sizeof(Index);
    prefetch(cols.data());
    prefetch(cols.data() + std::min(cols.size(), kCacheLine));
  }

  bool has_closed_cols(const LookAheadRow<Index>& row) {
    const auto cols = cols_of(row);
    count_work(cols.size() + 1);
    bool are_closed = true;
    for (const Index col : cols) are_closed &= closed_.test(at(col));
    return are_closed;
  }

  /// Of a row, or of the mate of a column.
  template <class Edges>
  std::span<const Index> cols_of(const Edges& row) const {
    return graph_.indices.subspan(at(row.begin), at(row.end - row.begin));
  }

  void count_work(Tree& tree, std::uint64_t n_edges) {
    tree.work += n_edges;
    count_work(n_edges);
  }
  void count_work(std::uint64_t n_edges) {
    work_ += n_edges;
    interrupt_.poll(n_edges);
  }

  const CsrGraph<Index> graph_;
  LookAhead<Index>& look_ahead_;
  Matching<Index>& matching_;
  Bitset& closed_;
  Interrupt& interrupt_;
  Bitset visited_;  // in this round, or closed; those not closed may lead to a free one
  Buffer<Reached> queue_;
  std::uint64_t to_forget_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace hankelmatch
