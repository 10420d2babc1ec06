// Cheapest assignment of every row to a column of its own, where all edges are read and kept: for short rows.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): column reduction, bidding rows. Duff, Koster, "On algorithms for permuting large
// entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001): matching along tight
// edges, the sparse search and its early end (MC64). Hopcroft, Karp, SIAM J. Comput. 2 (1973): many paths of
// one length at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/bucket_queue.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Does what Assignment does, with the same invariants and results, for problems whose rows are short or that
/// leave no column free.
///
/// Columns are reduced if none will stay free, rows bid, first for free columns only; what tight edges allow
/// is matched depth first; then searches from all free rows at once, each followed by a depth-first one along
/// the edges that it made tight, as long as these match many rows (as where weights are small integers); then
/// a search from each row left.
template <class Index>
class FullAssignment {
 public:
  /// The cost of an edge is its weight negated; the arrays must outlive the problem. If `square`, no column
  /// that has an edge will stay free: then prices may have any sign.
  FullAssignment(const CsrGraph<Index>& graph, std::span<const double> weights, bool square,
                 Interrupt& interrupt)
      : graph_(graph),
        weights_(weights),
        interrupt_(interrupt),
        rows_(at(graph.n_rows)),
        cols_(at(graph.n_cols)),
        mates_(at(graph.n_cols)),
        reached_(at(graph.n_cols)) {
    if (square) reduce_columns();
  }

  /// Returns false, and leaves the rest undone, if some row cannot be matched.
  bool solve() {
    std::vector<Index> waiting = bid_for_free();
    bid(waiting);
    match_tight(waiting);
    // What either kind of search has lately cost for each row that it matched decides which is next.
    double cost_of_all = 0;
    double cost_of_one = 0;
    while (!waiting.empty()) {
      const std::size_t n_before = waiting.size();
      const std::uint64_t work_before = work_;
      const bool from_all = cost_of_all <= cost_of_one;
      if (from_all) {
        if (!search_from(waiting)) return false;
        match_tight(waiting);
      } else if (!search_from_last(waiting, 1 + n_before / 16)) {
        return false;
      }
      const auto n_matched = static_cast<double>(n_before - waiting.size());
      (from_all ? cost_of_all : cost_of_one) = static_cast<double>(work_ - work_before) / n_matched;
    }
    return true;
  }

  Index col_of(Index row) const { return rows_[at(row)].col; }
  double potential_of(Index row) const {
    const Row& r = rows_[at(row)];
    return r.cost - cols_[at(r.col)].price;
  }
  double price_of(Index col) const { return cols_[at(col)].price; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Edge {
    double cost;
    Index col;
  };
  struct Row {
    double cost = 0;  // of the edge to its mate
    Index col = kUnmatched;
  };
  struct Col {
    double price = 0;
    double distance = kInfinity;  // from the roots of the current search
  };
  // What else is known of a column, looked at less often.
  struct Mate {
    Index row = kUnmatched;
    Index route_row = kUnmatched;  // by whose edge the search came
  };

  std::size_t begin_of(Index row) const { return at(graph_.indptr[at(row)]); }
  std::size_t end_of(Index row) const { return at(graph_.indptr[at(row) + 1]); }
  std::size_t degree(Index row) const { return end_of(row) - begin_of(row); }
  Edge edge_at(std::size_t i) const { return {-weights_[i], graph_.indices[i]}; }

  void count(std::size_t n_edges) {
    work_ += n_edges + 1;
    interrupt_.poll(n_edges + 1);
  }
  bool is_free(Index row) const { return rows_[at(row)].col == kUnmatched; }

  // With its least cost as its price every column has an edge that may be tight.
  void reduce_columns() {
    for (Col& col : cols_) col.price = kInfinity;
    const std::size_t n_edges = at(graph_.n_edges());
    for (std::size_t i = 0; i < n_edges; ++i) {
      double& price = cols_[at(graph_.indices[i])].price;
      price = std::min(price, -weights_[i]);
    }
    for (Col& col : cols_) col.price = col.price == kInfinity ? 0.0 : col.price;
  }

  // Every row whose best column is free takes it, at the price that makes its second best as good; returns
  // the others.
  std::vector<Index> bid_for_free() {
    std::vector<Index> waiting;
    Gains gains;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto row = static_cast<Index>(r);
      const BestTwo best = best_two(row);
      if (best.second_value < kInfinity) gains.add(best.second_value - best.value);
      const Edge edge = best.value < kInfinity ? preferred(row, best) : Edge{kInfinity, kUnmatched};
      if (edge.col == kUnmatched || is_matched(edge)) {
        waiting.push_back(row);
      } else {
        take(row, edge);
        lower_price(edge.col, best);
      }
    }
    width_ = gains.bucket_width();
    return waiting;
  }

  // What the best column of a row saves it tells how far apart distances are.
  struct Gains {
    double sum = 0;
    double n = 0;
    bool integers = true;

    void add(double gain) {
      constexpr double kLargest = 1e15;
      const double within = std::min(gain, kLargest);
      sum += within;
      n += 1;
      integers &= static_cast<double>(static_cast<std::int64_t>(within)) == within;
    }
    // A bucket for each distance if they are integers, else several to the mean gain.
    double bucket_width() const {
      constexpr double kLeast = 1e-300;
      return integers ? 1.0 : std::max(sum / n / 10, kLeast);
    }
  };

  // Every row takes its best column in turn, at the price that makes its second best as good; the row that
  // had it bids again. Leaves the rows still free after two rounds, or when the bids grow too many.
  void bid(std::vector<Index>& waiting) {
    std::size_t bids_left = rows_.size();
    for (int round = 0; round < 2; ++round) {
      std::vector<Index> losers;
      for (const Index row : waiting) bid_chain(row, bids_left, losers);
      waiting = std::move(losers);
    }
  }

  void bid_chain(Index row, std::size_t& bids_left, std::vector<Index>& losers) {
    while (row != kUnmatched) {
      const BestTwo best = best_two(row);
      // Nothing would stop a row that has one column only from taking it: it needs a search.
      if (bids_left == 0 || best.second_value == kInfinity) return losers.push_back(row);
      --bids_left;
      const Edge edge = preferred(row, best);
      const Index loser = take(row, edge);
      lower_price(edge.col, best);
      if (loser != kUnmatched) rows_[at(loser)].col = kUnmatched;
      if (loser != kUnmatched && best.second_value == best.value) return losers.push_back(loser);
      row = loser;
    }
  }

  bool is_matched(const Edge& edge) const { return mates_[at(edge.col)].row != kUnmatched; }

  struct BestTwo {
    double value;  // the least of cost - price
    double second_value;
    std::size_t place;  // of the best edge

    void add(double edge_value, std::size_t edge_place) {
      second_value = std::min(second_value, std::max(value, edge_value));
      place = edge_value < value ? edge_place : place;
      value = std::min(value, edge_value);
    }
  };

  double value_at(std::size_t i) const { return -weights_[i] - cols_[at(graph_.indices[i])].price; }

  // No branches at first, where they could not be foreseen: most later edges are worse than the best two so
  // far. Of a repeated edge both may be the best two.
  BestTwo best_two(Index row) {
    constexpr std::size_t kFirst = 12;
    const std::size_t begin = begin_of(row);
    const std::size_t end = end_of(row);
    BestTwo best{kInfinity, kInfinity, begin};
    std::size_t i = begin;
    for (const std::size_t middle = std::min(begin + kFirst, end); i < middle; ++i) best.add(value_at(i), i);
    for (; i < end; ++i) {
      const double value = value_at(i);
      if (value < best.second_value) best.add(value, i);
    }
    count(end - begin);
    return best;
  }

  // The best edge; of several as good, one to a free column.
  Edge preferred(Index row, const BestTwo& best) const {
    const Edge first = edge_at(best.place);
    if (best.second_value > best.value || !is_matched(first)) return first;
    for (std::size_t i = best.place + 1; i < end_of(row); ++i) {
      if (value_at(i) == best.value && !is_matched(edge_at(i))) return edge_at(i);
    }
    return first;
  }

  // To what makes the bidder's second best as good.
  void lower_price(Index col, const BestTwo& best) {
    if (best.second_value < kInfinity) cols_[at(col)].price -= best.second_value - best.value;
  }

  // Augmenting paths of edges of reduced cost 0, depth first; what failed searches visited is not visited
  // again, since prices do not change meanwhile. Leaves the rows that are still free in `waiting`.
  void match_tight(std::vector<Index>& waiting) {
    visited_.assign(cols_.size(), 0);
    std::erase_if(waiting, [&](Index row) { return !is_free(row) || search_tight(row); });
  }

  struct Frame {
    Index row;
    double potential;
    std::size_t next;
  };

  bool search_tight(Index root) {
    Edge free{kInfinity, kUnmatched};
    stack_.assign(1, {root, best_two(root).value, begin_of(root)});
    while (!stack_.empty() && free.col == kUnmatched) {
      const Edge edge = next_tight(stack_.back());
      if (edge.col == kUnmatched) {
        stack_.pop_back();
      } else if (!is_matched(edge)) {
        free = edge;
      } else {
        visited_[at(edge.col)] = 1;
        const Index row = mates_[at(edge.col)].row;
        stack_.push_back({row, potential_of(row), begin_of(row)});
        free = free_tight(stack_.back());
      }
    }
    if (free.col == kUnmatched) return false;
    for (; !stack_.empty(); stack_.pop_back()) {
      take(stack_.back().row, free);
      if (stack_.size() > 1) free = edge_at(stack_[stack_.size() - 2].next - 1);
    }
    return true;
  }

  bool is_tight(const Edge& edge, double potential) const {
    return edge.cost - cols_[at(edge.col)].price <= potential;
  }

  Edge free_tight(const Frame& frame) const {
    for (std::size_t i = begin_of(frame.row), end = end_of(frame.row); i < end; ++i) {
      const Edge edge = edge_at(i);
      if (is_tight(edge, frame.potential) && !is_matched(edge)) return edge;
    }
    return {kInfinity, kUnmatched};
  }

  Edge next_tight(Frame& frame) {
    const std::size_t first = frame.next;
    Edge found{kInfinity, kUnmatched};
    for (const std::size_t end = end_of(frame.row); frame.next < end && found.col == kUnmatched;) {
      const Edge edge = edge_at(frame.next++);
      if (is_tight(edge, frame.potential) && visited_[at(edge.col)] == 0) found = edge;
    }
    count(frame.next - first);
    return found;
  }

  // Gives a column to a row; returns the row that had it. The column that the row had is not touched.
  Index take(Index row, const Edge& edge) {
    rows_[at(row)] = {edge.cost, edge.col};
    return std::exchange(mates_[at(edge.col)].row, row);
  }

  // Dijkstra's search over reduced costs, from free rows to the nearest free column. What lies farther than
  // the nearest free column known so far is not queued.
  bool search_from(std::span<const Index> roots) {
    queue_.clear(width_);
    n_reached_ = 0;
    nearest_ = kInfinity;
    nearest_col_ = kUnmatched;
    for (const Index root : roots) scan(root, best_two(root).value, 0.0);
    typename BucketQueue<Index>::Entry next;
    for (std::size_t n_scanned = 0; queue_.pop(nearest_, next);) {
      // Else a shorter way was found since, or to a free column.
      if (next.distance != cols_[at(next.node)].distance || next.distance >= nearest_) continue;
      if (++n_scanned > 2 * n_reached_) queue_.order_exactly();
      const Index row = mates_[at(next.node)].row;
      scan(row, potential_of(row) - next.distance, next.distance);
    }
    const bool found = nearest_col_ != kUnmatched;
    // The prices that keep all reduced costs from falling below 0 once the path is flipped.
    for (const Index c : std::span(reached_).first(n_reached_)) {
      Col& col = cols_[at(c)];
      if (found) col.price += std::min(0.0, col.distance - nearest_);
      col.distance = kInfinity;
    }
    if (found) flip_path();
    return found;
  }

  bool search_from_last(std::vector<Index>& waiting, std::size_t n) {
    for (; n > 0; --n, waiting.pop_back()) {
      if (!search_from({&waiting.back(), 1})) return false;
    }
    return true;
  }

  // The distance of a column along this row's edge is cost - price - offset.
  void scan(Index row, double offset, double least) {
    if (least >= nearest_) return;
    const std::size_t end = end_of(row);
    for (std::size_t i = begin_of(row); i < end; ++i) {
      const Index c = graph_.indices[i];
      Col& col = cols_[at(c)];
      const double distance = std::max(-weights_[i] - offset - col.price, least);  // rounding: never back
      if (!(distance < std::min(col.distance, nearest_))) continue;
      if (col.distance == kInfinity) reached_[n_reached_++] = c;
      col.distance = distance;
      Mate& mate = mates_[at(c)];
      mate.route_row = row;
      if (mate.row == kUnmatched) {
        nearest_ = distance;
        nearest_col_ = c;
      } else {
        queue_.push(distance, c);
      }
    }
    count(degree(row));
  }

  void flip_path() {
    for (Index col = nearest_col_; col != kUnmatched;) {
      const Index row = mates_[at(col)].route_row;
      const Index left = rows_[at(row)].col;
      take(row, cheapest_to(row, col));
      col = left;
    }
  }

  Edge cheapest_to(Index row, Index col) const {
    Edge best{kInfinity, col};
    for (std::size_t i = begin_of(row), end = end_of(row); i < end; ++i) {
      const Edge edge = edge_at(i);
      if (edge.col == col && edge.cost < best.cost) best = edge;
    }
    return best;
  }

  CsrGraph<Index> graph_;
  std::span<const double> weights_;
  Interrupt& interrupt_;
  std::vector<Row> rows_;
  std::vector<Col> cols_;
  std::vector<Mate> mates_;             // of the columns
  std::vector<unsigned char> visited_;  // columns, in match_tight
  std::vector<Frame> stack_;
  BucketQueue<Index> queue_;
  double width_ = 1;  // of its buckets
  std::vector<Index> reached_;
  std::size_t n_reached_ = 0;
  double nearest_ = kInfinity;
  std::uint64_t work_ = 0;  // edges looked at
  Index nearest_col_ = kUnmatched;
};

}  // namespace hankelmatch
