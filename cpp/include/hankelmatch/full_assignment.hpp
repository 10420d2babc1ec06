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
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Does what Assignment does, with the same invariants and results, for problems whose rows are short or that
/// leave no column free.
///
/// Columns are reduced if none will stay free, rows bid; what tight edges allow is matched depth first; then
/// searches from all free rows at once, each followed by a depth-first one along the edges that it made
/// tight, as long as these match many rows (as where weights are small integers); then a search from each row
/// left.
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
        cols_(at(graph.n_cols)) {
    if (square) reduce_columns();
  }

  /// Returns false, and leaves the rest undone, if some row cannot be matched.
  bool solve() {
    std::vector<Index> waiting = take_tight();
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
    Index row = kUnmatched;
    Index route_row = kUnmatched;  // by whose edge the search came
  };

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  std::size_t begin_of(Index row) const { return at(graph_.indptr[at(row)]); }
  std::size_t end_of(Index row) const { return at(graph_.indptr[at(row) + 1]); }
  std::size_t degree(Index row) const { return end_of(row) - begin_of(row); }
  Edge edge_at(std::size_t i) const { return {-weights_[i], graph_.indices[i]}; }

  // The edges of a row.
  auto edges(Index row) const {
    return std::views::iota(begin_of(row), end_of(row)) |
           std::views::transform([this](std::size_t i) { return edge_at(i); });
  }
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

  // Gives rows a free column that is best for them; returns the others.
  std::vector<Index> take_tight() {
    std::vector<Index> waiting;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto row = static_cast<Index>(r);
      double least = kInfinity;
      Edge best{kInfinity, kUnmatched};
      for (const Edge edge : edges(row)) {
        const Col& col = cols_[at(edge.col)];
        const double value = edge.cost - col.price;
        if (value > least) continue;
        if (value < least || (col.row == kUnmatched && is_matched(best))) best = edge;
        least = value;
      }
      if (best.col != kUnmatched && !is_matched(best)) {
        take(row, best);
      } else {
        waiting.push_back(row);
      }
    }
    return waiting;
  }

  // Every row takes its best column in turn, at the price that makes its second best as good; the row that
  // had it bids again. Leaves the rows still free after two rounds, or when the bids grow too many.
  void bid(std::vector<Index>& waiting) {
    std::size_t bids_left = 4 * rows_.size();
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
      if (bids_left == 0 || best.second.col == kUnmatched) return losers.push_back(row);
      --bids_left;
      const bool strict = best.second_value > best.value;
      const bool prefers_second = !strict && is_matched(best.first) && !is_matched(best.second);
      const Edge& edge = prefers_second ? best.second : best.first;
      const Index loser = take(row, edge);
      if (strict) cols_[at(edge.col)].price -= best.second_value - best.value;
      if (loser != kUnmatched) rows_[at(loser)].col = kUnmatched;
      if (loser != kUnmatched && !strict) return losers.push_back(loser);
      row = loser;
    }
  }

  bool is_matched(const Edge& edge) const { return cols_[at(edge.col)].row != kUnmatched; }

  struct BestTwo {
    double value = kInfinity;  // cost - price
    double second_value = kInfinity;
    Edge first{kInfinity, kUnmatched};
    Edge second{kInfinity, kUnmatched};  // to another column
  };

  BestTwo best_two(Index row) {
    BestTwo best;
    for (const Edge edge : edges(row)) {
      const double value = edge.cost - cols_[at(edge.col)].price;
      if (value >= best.second_value) continue;
      if (value >= best.value) {
        if (edge.col == best.first.col) continue;
        best.second_value = value;
        best.second = edge;
      } else {
        if (edge.col != best.first.col) {
          best.second_value = best.value;
          best.second = best.first;
        }
        best.value = value;
        best.first = edge;
      }
    }
    count(degree(row));
    return best;
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
        const Index row = cols_[at(edge.col)].row;
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
    for (const Edge edge : edges(frame.row)) {
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
    return std::exchange(cols_[at(edge.col)].row, row);
  }

  // Dijkstra's search over reduced costs, from free rows to the nearest free column. What lies farther than
  // the nearest free column known so far is not put on the heap.
  bool search_from(std::span<const Index> roots) {
    heap_.clear();
    ready_.clear();
    reached_.clear();
    settled_.clear();
    nearest_ = kInfinity;
    nearest_col_ = kUnmatched;
    for (const Index root : roots) scan(root, best_two(root).value, 0.0);
    Index next = kUnmatched;
    for (double distance = 0.0; next_col(distance, next);) {
      settled_.push_back(next);
      const Index row = cols_[at(next)].row;
      scan(row, potential_of(row) - distance, distance);
    }
    // The prices that keep all reduced costs from falling below 0 once the path is flipped.
    if (nearest_col_ != kUnmatched) {
      for (const Index col : settled_) cols_[at(col)].price += cols_[at(col)].distance - nearest_;
      flip_path();
    }
    for (const Index col : reached_) cols_[at(col)].distance = kInfinity;
    return nearest_col_ != kUnmatched;
  }

  bool search_from_last(std::vector<Index>& waiting, std::size_t n) {
    for (; n > 0; --n, waiting.pop_back()) {
      if (!search_from({&waiting.back(), 1})) return false;
    }
    return true;
  }

  // The next column to settle, nearer than the nearest free one; `distance` is that of the last one, and then
  // its own.
  bool next_col(double& distance, Index& col) {
    if (distance >= nearest_) return false;
    if (!ready_.empty()) {
      col = ready_.back();
      ready_.pop_back();
      return true;
    }
    while (!heap_.empty() && heap_.front().first < nearest_) {
      const auto nearest = pop();
      distance = nearest.first;
      col = nearest.second;
      if (distance == cols_[at(col)].distance) return true;  // else a shorter way was found since
    }
    return false;
  }

  // A heap of four children a node.
  void push(std::pair<double, Index> entry) {
    std::size_t i = heap_.size();
    heap_.push_back(entry);
    for (; i > 0 && entry.first < heap_[(i - 1) / 4].first; i = (i - 1) / 4) heap_[i] = heap_[(i - 1) / 4];
    heap_[i] = entry;
  }

  std::pair<double, Index> pop() {
    const auto top = heap_.front();
    const auto last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    if (n == 0) return top;
    std::size_t i = 0;
    for (std::size_t child = 1; child < n; child = 4 * i + 1) {
      std::size_t least = child;
      const std::size_t end = std::min(child + 4, n);
      for (std::size_t c = child + 1; c < end; ++c) least = heap_[c].first < heap_[least].first ? c : least;
      if (last.first <= heap_[least].first) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = last;
    return top;
  }

  // The distance of a column along this row's edge is cost - price - offset.
  void scan(Index row, double offset, double least) {
    if (least >= nearest_) return;
    for (const Edge edge : edges(row)) {
      Col& col = cols_[at(edge.col)];
      const double distance = std::max(edge.cost - offset - col.price, least);  // rounding: never back
      if (distance >= col.distance || distance >= nearest_) continue;
      if (col.distance == kInfinity) reached_.push_back(edge.col);
      col.distance = distance;
      col.route_row = row;
      if (col.row == kUnmatched) {
        nearest_ = distance;
        nearest_col_ = edge.col;
      } else if (distance == least) {
        ready_.push_back(edge.col);
      } else {
        push({distance, edge.col});
      }
    }
    count(degree(row));
  }

  void flip_path() {
    for (Index col = nearest_col_; col != kUnmatched;) {
      const Index row = cols_[at(col)].route_row;
      const Index left = rows_[at(row)].col;
      take(row, cheapest_to(row, col));
      col = left;
    }
  }

  Edge cheapest_to(Index row, Index col) const {
    Edge best{kInfinity, col};
    for (const Edge edge : edges(row)) {
      if (edge.col == col && edge.cost < best.cost) best = edge;
    }
    return best;
  }

  CsrGraph<Index> graph_;
  std::span<const double> weights_;
  Interrupt& interrupt_;
  std::vector<Row> rows_;
  std::vector<Col> cols_;
  std::vector<unsigned char> visited_;  // columns, in match_tight
  std::vector<Frame> stack_;
  std::vector<std::pair<double, Index>> heap_;
  std::vector<Index> ready_;  // columns as near as the one settled last
  std::vector<Index> reached_;
  std::vector<Index> settled_;
  double nearest_ = kInfinity;
  std::uint64_t work_ = 0;  // edges looked at
  Index nearest_col_ = kUnmatched;
};

/// The edges that a function tells, in compressed row form: `for_each_edge(visit)` calls visit(row, cost,
/// function that tells the column, or kUnmatched for no edge), twice the same. Throws length_error if they
/// are too many for the index type.
template <class Index>
struct CollectedEdges {
  Index n_cols;
  std::vector<Index> indptr;
  std::vector<Index> indices;
  std::vector<double> weights;

  template <class ForEachEdge>
  CollectedEdges(Index n_rows, Index n_columns, const ForEachEdge& for_each_edge)
      : n_cols(n_columns), indptr(static_cast<std::size_t>(n_rows) + 1, 0) {
    const auto at = [](Index i) { return static_cast<std::size_t>(i); };
    std::vector<std::size_t> next(indptr.size(), 0);
    for_each_edge(
        [&](Index row, double, const auto& col_of) { next[at(row) + 1] += col_of() != kUnmatched; });
    for (std::size_t r = 1; r < next.size(); ++r) next[r] += next[r - 1];
    if (std::cmp_greater(next.back(), std::numeric_limits<Index>::max()))
      throw std::length_error("graph: its edges are too many for the index type");
    std::ranges::transform(next, indptr.begin(), [](std::size_t i) { return static_cast<Index>(i); });
    indices.resize(next.back());
    weights.resize(next.back());
    for_each_edge([&](Index row, double cost, const auto& col_of) {
      const Index col = col_of();
      if (col == kUnmatched) return;
      const std::size_t i = next[at(row)]++;
      indices[i] = col;
      weights[i] = -cost;
    });
  }

  CsrGraph<Index> graph() const { return {static_cast<Index>(indptr.size() - 1), n_cols, indptr, indices}; }
};

}  // namespace hankelmatch
