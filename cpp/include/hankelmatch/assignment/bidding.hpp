// How an assignment begins: rows bid for columns, then depth-first searches match along tight edges.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): bidding rows ("augmenting row reduction"). Duff, Koster, "On algorithms for permuting
// large entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001): matching along
// tight edges (MC64).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// An edge of a row; a default one stands for none.
template <class Index>
struct CostEdge {
  double cost = std::numeric_limits<double>::infinity();
  Index col = kUnmatched;
};

/// Reads the edges of a row in the order of the arrays.
template <class Index>
class RowCursor {
 public:
  RowCursor(const WeightedCsrGraph<Index>& edges, Index row)
      : RowCursor(edges, row, at(edges.graph.indptr[at(row)])) {}
  RowCursor(const WeightedCsrGraph<Index>& edges, Index row, std::size_t place)
      : cols_(edges.graph.indices.data()),
        weights_(edges.weights.data()),
        next_(place),
        end_(at(edges.graph.indptr[at(row) + 1])) {}

  bool next(CostEdge<Index>& edge, double /*end*/) {
    if (next_ == end_) return false;
    edge = {-weights_[next_], cols_[next_]};
    ++next_;
    return true;
  }
  template <class Visit>
  std::size_t read(std::size_t most, double /*end*/, const Visit& visit) {
    const std::size_t begin = next_;
    next_ = begin + std::min(most, end_ - begin);
    for (std::size_t i = begin; i < next_; ++i) visit(CostEdge<Index>{-weights_[i], cols_[i]}, i);
    return next_ - begin;
  }
  static double end_above(double /*value*/) { return std::numeric_limits<double>::infinity(); }

 private:
  const Index* cols_;
  const double* weights_;
  std::size_t next_;
  std::size_t end_;
};

/// The base of a Problem that assigns rows to columns. The value of an edge is its cost minus the price of
/// its column; an edge is tight if no edge of its row has a lower value. The Problem has
/// - cursor(row): a Cursor, which reads the row's edges. next(edge, end) returns false after the last one,
///   and may do so as soon as no value below `end` can follow; end_above(value) is the `end` for which it
///   reads all edges of that value. read(most, end, visit) reads so many at most, calls visit(edge, place),
///   which returns the `end` from then on, and returns how many it has read;
/// - cursor_after(row, place): reads what follows that edge;
/// - edge_at(row, place), value(edge), is_matched(col), row_of(col), is_free(row);
/// - potential_of(row): the value of a matched row's edge, the least in its row;
/// - tight_up_to(row): the same, and by how much that may be rounded; rounding(edge): by how much its value
/// may;
/// - take(row, edge): gives a column to a row; returns the row that had it, and does not change that row;
/// - release(row): makes such a row free;
/// - lower_price(col, by);
/// - mark_of(col) in [0, n_marks()): a number for each matched column, which it keeps;
/// - count(n): n edges were read.
template <class Index, class Problem, class Cursor>
class Bidding {
  friend Problem;
  Bidding() = default;

 protected:
  using Edge = CostEdge<Index>;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct BestTwo {
    double value = kInfinity;
    double second_value = kInfinity;
    std::size_t place = 0;  // of the best edge

    void add(double edge_value, std::size_t edge_place) {
      second_value = std::min(second_value, std::max(value, edge_value));
      const std::size_t changes = std::size_t{0} - static_cast<std::size_t>(edge_value < value);
      place ^= (place ^ edge_place) & changes;  // no branch, whatever the compiler
      value = std::min(value, edge_value);
    }
    bool is_tie() const { return second_value == value; }
    bool is_only() const { return second_value == kInfinity; }
  };

  /// The two lowest values of a row. The first edges are compared without branches, which could not be
  /// foreseen there; most later edges are worse than the best two so far. Of a repeated edge both may be the
  /// best two.
  BestTwo best_two(Index row) {
    constexpr std::size_t kFirst = 12;
    BestTwo best;
    Cursor cursor = problem().cursor(row);
    std::size_t n = cursor.read(kFirst, kInfinity, [&](const Edge& edge, std::size_t place) {
      best.add(problem().value(edge), place);
      return best.second_value;
    });
    if (n == kFirst) {
      constexpr auto kAll = std::numeric_limits<std::size_t>::max();
      n += cursor.read(kAll, best.second_value, [&](const Edge& edge, std::size_t place) {
        const double value = problem().value(edge);
        if (value < best.second_value) best.add(value, place);
        return best.second_value;
      });
    }
    problem().count(n);
    return best;
  }

  /// The best edge; of several as good, which follow it, one to a free column if there is any.
  Edge preferred(Index row, const BestTwo& best) {
    const Edge first = problem().edge_at(row, best.place);
    if (!best.is_tie() || !problem().is_matched(first.col)) return first;
    Cursor cursor = problem().cursor_after(row, best.place);
    Edge free;
    return next_free(cursor, free, best.value) ? free : first;
  }

  /// Every row takes its best column in turn, at the price that makes its second best as good; the row that
  /// had it bids again. Leaves the rows still free after two rounds, or after so many bids, in `waiting`.
  void bid(std::vector<Index>& waiting, std::size_t most_bids) {
    constexpr int kRounds = 2;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Index> losers;
      for (const Index row : waiting) bid_chain(row, most_bids, losers);
      waiting = std::move(losers);
    }
  }

  /// Augmenting paths of tight edges, depth first. Prices do not change meanwhile, so a search does not visit
  /// again what failed ones visited. Leaves the rows that are still free in `waiting`.
  void match_tight(std::vector<Index>& waiting) {
    visited_.assign(problem().n_marks(), 0);
    std::erase_if(waiting, [&](Index row) { return !problem().is_free(row) || search_tight(row); });
  }

  /// The same for as long as it matches many. A call visits no column twice: where many edges are tight, as
  /// on n x 2 n, a_i + b_j (benchmarks.weighted), the second one matches four fifths of the rows that the
  /// first left.
  void match_tight_again(std::vector<Index>& waiting) {
    constexpr std::size_t kFew = 8;  // one in so many
    for (std::size_t n_matched = waiting.size(); n_matched > waiting.size() / kFew;) {
      const std::size_t n_before = waiting.size();
      match_tight(waiting);
      n_matched = n_before - waiting.size();
    }
  }

 private:
  Problem& problem() { return static_cast<Problem&>(*this); }

  void bid_chain(Index row, std::size_t& bids_left, std::vector<Index>& losers) {
    while (row != kUnmatched) {
      const BestTwo best = best_two(row);
      if (bids_left == 0 || best.value == kInfinity) return losers.push_back(row);
      --bids_left;
      const Edge edge = preferred(row, best);
      // No price would stop a row with one column from taking it: such a row needs a search.
      if (best.is_only() && problem().is_matched(edge.col)) return losers.push_back(row);
      const Index loser = problem().take(row, edge);
      if (!best.is_only()) problem().lower_price(edge.col, best.second_value - best.value);
      if (loser != kUnmatched) problem().release(loser);
      if (loser != kUnmatched && best.is_tie()) return losers.push_back(loser);
      row = loser;
    }
  }

  // The least value of a free row, and by how much it may be rounded.
  double tight_value(Index row) {
    const BestTwo best = best_two(row);
    return best.value < kInfinity ? best.value + problem().rounding(problem().edge_at(row, best.place))
                                  : best.value;
  }

  struct Frame {
    Index row;
    double potential;
    Cursor cursor;
    Edge edge;  // read last; leads to the next frame's row or to a free column
  };

  bool search_tight(Index root) {
    frames_.assign(1, {root, tight_value(root), problem().cursor(root), {}});
    while (!frames_.empty()) {
      Frame& top = frames_.back();
      if (!next_unvisited(top)) {
        frames_.pop_back();
        continue;
      }
      if (!problem().is_matched(top.edge.col)) return flip();
      visited_[at(problem().mark_of(top.edge.col))] = 1;
      const Index row = problem().row_of(top.edge.col);
      const double potential = problem().tight_up_to(row);
      frames_.push_back({row, potential, problem().cursor(row), {}});
      // A look at the whole row first: a free column next to it saves the search behind it.
      Cursor ahead = problem().cursor(row);
      if (next_free(ahead, frames_.back().edge, potential)) return flip();
    }
    return false;
  }

  // The next edge of value `potential`, or less by rounding, to a free column.
  bool next_free(Cursor& cursor, Edge& free, double potential) {
    const double end = Cursor::end_above(potential);
    for (Edge edge; cursor.next(edge, end);) {
      if (problem().value(edge) > potential || problem().is_matched(edge.col)) continue;
      free = edge;
      return true;
    }
    return false;
  }

  bool next_unvisited(Frame& frame) {
    const double end = Cursor::end_above(frame.potential);
    std::size_t n_read = 0;
    bool found = false;
    while (!found && frame.cursor.next(frame.edge, end)) {
      ++n_read;
      if (problem().value(frame.edge) > frame.potential) continue;
      const Index col = frame.edge.col;
      found = !problem().is_matched(col) || visited_[at(problem().mark_of(col))] == 0;
    }
    problem().count(n_read);
    return found;
  }

  bool flip() {
    for (; !frames_.empty(); frames_.pop_back()) problem().take(frames_.back().row, frames_.back().edge);
    visited_.resize(problem().n_marks(), 0);
    return true;
  }

  std::vector<Frame> frames_;
  std::vector<unsigned char> visited_;  // by the marks of columns, in match_tight
};

}  // namespace hankelmatch::detail
