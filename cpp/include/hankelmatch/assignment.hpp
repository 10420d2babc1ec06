// Cheapest assignment of every row to a column of its own, by shortest augmenting paths on a sparse matrix.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): bidding rows, then searches from those that are left. Duff, Koster, "On algorithms for
// permuting large entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001): the
// sparse search and its early end (MC64).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hankelmatch {

/// The edges of every row, cheapest first (ties: lowest column). Most rows of a large problem are settled by
/// their first few edges, so no more is kept or sorted than is asked for: a pass over all edges keeps the
/// cheapest of each row, and a row read to the end of these takes another pass, which keeps eight times as
/// many for it and for all rows that are likely to need them next.
///
/// `ForEachEdge` is called with a function visit(row, col, cost), which it calls for every edge; it must
/// repeat itself. Memory: 16 bytes for each edge kept.
template <class Index, class ForEachEdge>
class CheapestEdges {
 public:
  struct Edge {
    double cost;
    Index col;
  };

  /// Keeps `keep` to 2 `keep` edges of each row at first, for which the columns of a row must come in order;
  /// 0: all.
  CheapestEdges(Index n_rows, ForEachEdge for_each_edge, std::size_t keep)
      : for_each_edge_(std::move(for_each_edge)), rows_(at(n_rows)), dearest_(at(n_rows), kNone) {
    if (keep == 0) {
      collect_all();
    } else {
      for (Row& row : rows_) allocate(row, keep);
      collect();
    }
  }

  Index n_rows() const { return static_cast<Index>(rows_.size()); }

  /// Calls visit(row, edge) for all edges that are kept, in no order; their costs may be changed until edge()
  /// is called.
  template <class Visit>
  void for_each_kept(const Visit& visit) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t i = 0; i < rows_[r].n_kept; ++i)
        visit(static_cast<Index>(r), edges_[rows_[r].begin + i]);
    }
  }

  /// Edge i of a row, counted from the cheapest; null after the last one. Good until the next call.
  const Edge* edge(Index r, std::size_t i) {
    Row& row = rows_[at(r)];
    while (i >= row.n_sorted) {
      if (!sort_more(row) && !collect_more(row)) return nullptr;
    }
    return &edges_[row.begin + i];
  }

  /// Calls visit(edge), cheapest first, until it returns false or the row ends.
  template <class Visit>
  void visit_row(Index r, const Visit& visit) {
    std::size_t i = 0;
    for (const Edge* e = edge(r, i); e != nullptr && visit(*e); e = edge(r, i)) ++i;
  }

 private:
  // Its edges are edges_[begin] .. edges_[begin + n_kept - 1], the first n_sorted of them cheapest first. If
  // it is `cut` they are those up to the dearest kept, else all.
  struct Row {
    std::size_t begin = 0;
    std::size_t n_sorted = 0;
    std::size_t n_kept = 0;
    std::size_t capacity = 0;  // while edges are collected, else 0
    bool cut = false;
  };

  // Behind every edge, and behind none: what a row's edges are compared with while none, and not, are
  // collected.
  static constexpr Edge kNone{std::numeric_limits<double>::infinity(), 0};
  static constexpr Edge kClosed{-std::numeric_limits<double>::infinity(), 0};

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  static bool cheaper(const Edge& a, const Edge& b) {
    return a.cost < b.cost || (a.cost == b.cost && a.col < b.col);
  }
  auto place(std::size_t i) { return edges_.begin() + static_cast<std::ptrdiff_t>(i); }

  void collect_all() {
    for_each_edge_(
        [&](Index row, double, const auto& col_of) { rows_[at(row)].capacity += col_of() != kUnmatched; });
    std::size_t n_edges = 0;
    for (Row& row : rows_) {
      row.begin = n_edges;
      n_edges += std::exchange(row.capacity, 0);
    }
    edges_.resize(n_edges);
    for_each_edge_([&](Index r, double cost, const auto& col_of) {
      const Index col = col_of();
      if (col == kUnmatched) return;
      Row& row = rows_[at(r)];
      edges_[row.begin + row.n_kept++] = {cost, col};
    });
  }

  void allocate(Row& row, std::size_t keep) {
    row = {edges_.size(), 0, 0, 2 * keep, false};
    edges_.resize(edges_.size() + row.capacity);
  }

  // Whenever a row's places are full its dearer half is dropped, and what is dearer than the rest not let in
  // again.
  void collect() {
    for_each_edge_([&](Index r, double cost, const auto& col_of) {
      Edge& dearest = dearest_[at(r)];
      if (cost >= dearest.cost) return;  // of two as dear, the one with the lower column has come before
      const Edge edge{cost, col_of()};
      if (edge.col == kUnmatched) return;
      Row& row = rows_[at(r)];
      edges_[row.begin + row.n_kept++] = edge;
      if (row.n_kept < row.capacity) return;
      row.n_kept /= 2;
      row.cut = true;
      std::nth_element(place(row.begin), place(row.begin + row.n_kept - 1), place(row.begin + row.capacity),
                       cheaper);
      dearest = edges_[row.begin + row.n_kept - 1];
    });
    std::ranges::fill(dearest_, kClosed);
    for (Row& row : rows_) row.capacity = 0;
  }

  bool collect_more(const Row& exhausted) {
    if (!exhausted.cut) return false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Row& row = rows_[r];
      if (!row.cut || 2 * row.n_sorted < row.n_kept) continue;
      allocate(row, 8 * row.n_kept);
      dearest_[r] = kNone;
    }
    collect();
    return true;
  }

  // Each time four times as many edges are sorted, so a row read to its end costs O(degree * log(degree)).
  bool sort_more(Row& row) {
    constexpr std::size_t kFirst = 16;
    if (row.n_sorted == row.n_kept) return false;
    const std::size_t more = std::max(kFirst, 3 * row.n_sorted);
    const auto first = place(row.begin + row.n_sorted);
    const auto last = place(row.begin + row.n_kept);
    row.n_sorted = row.n_kept - row.n_sorted > 2 * more ? row.n_sorted + more : row.n_kept;
    const auto middle = place(row.begin + row.n_sorted);
    if (middle != last) std::nth_element(first, middle, last, cheaper);
    std::sort(first, middle, cheaper);
    return true;
  }

  ForEachEdge for_each_edge_;
  std::vector<Row> rows_;
  std::vector<Edge> dearest_;
  std::vector<Edge> edges_;
};

/// Matches every row to a column of its own at the least total cost; columns may stay free.
///
/// Every column has a price <= 0, which is 0 as long as it is free. Invariants, from the first step to the
/// last:
/// - a matched row has a column with the least value of cost - price in its row. So with row potentials
///   cost(mate) - price(mate) no edge has a negative reduced cost, and matched edges have 0;
/// - a matched column stays matched for good.
/// Hence optimality at the end: for any other way to match all rows, the total cost is at least the sum of
/// the row potentials plus the prices of its columns, and no choice of columns has a lower sum of prices than
/// ours, which has all the columns whose price is not 0.
///
/// As free columns cost their price of 0 and others more than their cost, the edges of a row behind its
/// cheapest free column need never be read.
///
/// Time: O(rows * (edges + columns log columns)) in the worst case, a few passes over the edges on most
/// problems. Deterministic.
template <class Index, class Edges>
class Assignment {
 public:
  Assignment(Edges& edges, Index n_cols, Interrupt& interrupt)
      : edges_(edges), interrupt_(interrupt), rows_(at(edges.n_rows())), place_(at(n_cols), kUnmatched) {}

  /// May be called before solve() where no column will stay free and all edges are kept. Prices may start
  /// anywhere then; with the least cost of each column as its price every column has an edge of reduced cost
  /// 0, and fewer rows are left to fight. The start price goes into the costs, so that prices still start at
  /// 0.
  void reduce_columns() {
    start_price_.assign(place_.size(), kInfinity);
    std::vector<Index> cheapest_row(place_.size(), kUnmatched);
    edges_.for_each_kept([&](Index row, const Edge& edge) {
      if (edge.cost >= start_price_[at(edge.col)]) return;
      start_price_[at(edge.col)] = edge.cost;
      cheapest_row[at(edge.col)] = row;
    });
    std::ranges::replace(start_price_, kInfinity, 0.0);
    edges_.for_each_kept([&](Index, Edge& edge) { edge.cost -= start_price_[at(edge.col)]; });
    for (std::size_t col = cheapest_row.size(); col-- > 0;) {
      const Index row = cheapest_row[col];
      if (row != kUnmatched && rows_[at(row)].place == kUnmatched) take(row, static_cast<Index>(col), 0.0);
    }
  }

  /// Returns false, and leaves the rest undone, if some row cannot be matched.
  bool solve() {
    std::vector<Index> waiting = bid();
    match_tight(waiting);
    for (const Index row : waiting) {
      if (!search_from(row)) return false;
    }
    return true;
  }

  Index col_of(Index row) const { return matched_[at(rows_[at(row)].place)].col; }
  double potential_of(Index row) const {
    const Row& r = rows_[at(row)];
    return r.cost - matched_[at(r.place)].price;
  }
  /// At most 0, or of any sign after reduce_columns().
  double price_of(Index col) const {
    const Index place = place_[at(col)];
    const double start = start_price_.empty() ? 0.0 : start_price_[at(col)];
    return place == kUnmatched ? start : start + matched_[at(place)].price;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Edge = typename Edges::Edge;

  struct Row {
    double cost = 0;  // of the edge to its mate
    Index place = kUnmatched;
  };
  // What is known of a column once it is matched. Packed in the order of their matching, since a problem may
  // have thousands of times as many columns as rows.
  struct MatchedCol {
    double price;
    double distance;    // from the root of the current search
    double route_cost;  // of the edge by which the search came
    Index route_row;    // and its row
    Index row;
    Index col;
  };

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  // Every row takes its best column in turn, at the price that makes its second best as good; the row that
  // had it bids again. Returns the rows still free after two rounds, or when the bids grow too many.
  std::vector<Index> bid() {
    std::vector<Index> waiting;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].place == kUnmatched) waiting.push_back(static_cast<Index>(i));
    }
    std::size_t bids_left = 8 * rows_.size();
    for (int round = 0; round < 2; ++round) {
      std::vector<Index> losers;
      for (const Index row : waiting) bid_chain(row, bids_left, losers);
      waiting = std::move(losers);
    }
    return waiting;
  }

  void bid_chain(Index row, std::size_t& bids_left, std::vector<Index>& losers) {
    while (row != kUnmatched) {
      const BestTwo best = best_two(row);
      if (bids_left == 0 || best.value == kInfinity) return losers.push_back(row);
      --bids_left;
      const bool strict = best.second_value > best.value;
      const bool prefers_second = !strict && is_matched(best.col) && !is_matched(best.second_col);
      const Index col = prefers_second ? best.second_col : best.col;
      const bool only_one = best.second_value == kInfinity;
      if (only_one && is_matched(col))
        return losers.push_back(row);  // no price would stop it: it needs a search
      const Index loser = take(row, col, prefers_second ? best.second_cost : best.cost);
      if (strict && !only_one) matched_[at(place_[at(col)])].price -= best.second_value - best.value;
      if (loser != kUnmatched && !strict) {
        losers.push_back(loser);
        return;
      }
      row = loser;
    }
  }

  struct BestTwo {
    double value = kInfinity;  // cost - price
    double cost = 0;
    Index col = kUnmatched;
    double second_value = kInfinity;
    double second_cost = 0;
    Index second_col = kUnmatched;
  };

  BestTwo best_two(Index row) {
    BestTwo best;
    std::uint64_t work = 0;
    edges_.visit_row(row, [&](const Edge& edge) {
      ++work;
      if (edge.cost >= best.second_value) return false;
      const Index place = place_[at(edge.col)];
      const double value = place == kUnmatched ? edge.cost : edge.cost - matched_[at(place)].price;
      if (value < best.value) {
        if (edge.col != best.col) {
          best.second_value = best.value;
          best.second_cost = best.cost;
          best.second_col = best.col;
        }
        best.value = value;
        best.cost = edge.cost;
        best.col = edge.col;
      } else if (value < best.second_value && edge.col != best.col) {
        best.second_value = value;
        best.second_cost = edge.cost;
        best.second_col = edge.col;
      }
      return true;
    });
    interrupt_.poll(work);
    return best;
  }

  bool is_matched(Index col) const { return place_[at(col)] != kUnmatched; }

  // Augmenting paths of edges of reduced cost 0, depth first; what failed searches visited is not visited
  // again, since prices do not change meanwhile. Leaves the rows that are still free in `waiting`.
  void match_tight(std::vector<Index>& waiting) {
    visited_.assign(matched_.size(), 0);
    std::erase_if(waiting, [&](Index row) { return search_tight(row); });
  }

  struct Frame {
    Index row;
    double potential;
    std::size_t next;
  };

  bool search_tight(Index root) {
    stack_.assign(1, {root, best_two(root).value, 0});
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      const Edge* edge = next_tight(top);
      if (edge == nullptr) {
        stack_.pop_back();
      } else if (!is_matched(edge->col)) {
        flip_stack(edge->col);
        return true;
      } else {
        const Index place = place_[at(edge->col)];
        visited_[at(place)] = 1;
        const MatchedCol& col = matched_[at(place)];
        stack_.push_back({col.row, rows_[at(col.row)].cost - col.price, 0});
      }
    }
    return false;
  }

  const Edge* next_tight(Frame& frame) {
    interrupt_.poll();
    while (true) {
      const Edge* edge = edges_.edge(frame.row, frame.next);
      if (edge == nullptr || edge->cost > frame.potential) return nullptr;
      ++frame.next;
      const Index place = place_[at(edge->col)];
      if (place == kUnmatched) return edge;
      if (visited_[at(place)] == 0 && edge->cost - matched_[at(place)].price <= frame.potential) return edge;
    }
  }

  void flip_stack(Index col) {
    for (; !stack_.empty(); stack_.pop_back()) {
      const auto& [row, potential, next] = stack_.back();
      const double cost = edges_.edge(row, next - 1)->cost;
      const Index left = rows_[at(row)].place;
      take(row, col, cost);
      if (left != kUnmatched) col = matched_[at(left)].col;
    }
    visited_.resize(matched_.size(), 0);
  }

  // Gives a column to a row; returns the row that had it. The column that the row had is not touched.
  Index take(Index row, Index col, double cost) {
    Index& place = place_[at(col)];
    if (place == kUnmatched) {
      place = static_cast<Index>(matched_.size());
      matched_.push_back({0.0, kInfinity, 0.0, kUnmatched, kUnmatched, col});
    }
    rows_[at(row)] = {cost, place};
    return std::exchange(matched_[at(place)].row, row);
  }

  // Dijkstra's search over reduced costs, from a free row to the nearest free column. What lies farther than
  // the nearest free column known so far is not put on the heap.
  bool search_from(Index root) {
    Index next = kUnmatched;
    heap_.clear();
    ready_.clear();
    reached_.clear();
    settled_.clear();
    nearest_ = {kInfinity, 0.0, kUnmatched, kUnmatched};
    scan(root, 0.0, -kInfinity);
    for (double distance = -kInfinity; next_place(distance, next);) {
      const MatchedCol& col = matched_[at(next)];
      settled_.push_back(next);
      scan(col.row, rows_[at(col.row)].cost - col.price - distance, distance);
    }
    if (nearest_.col != kUnmatched) {
      // The prices that keep all reduced costs from falling below 0 once the path is flipped.
      for (const Index place : settled_)
        matched_[at(place)].price += matched_[at(place)].distance - nearest_.distance;
      flip_path(root);
    }
    for (const Index place : reached_) matched_[at(place)].distance = kInfinity;
    return nearest_.col != kUnmatched;
  }

  // The next column to settle, nearer than the nearest free one; `distance` is that of the last one, and then
  // its own.
  bool next_place(double& distance, Index& place) {
    if (distance >= nearest_.distance) return false;
    if (!ready_.empty()) {
      place = ready_.back();
      ready_.pop_back();
      return true;
    }
    while (!heap_.empty() && heap_.front().first < nearest_.distance) {
      std::ranges::pop_heap(heap_, std::greater<>{});
      std::tie(distance, place) = heap_.back();
      heap_.pop_back();
      if (distance == matched_[at(place)].distance) return true;  // else a shorter way was found since
    }
    return false;
  }

  // The distance of a column along this row's edge is cost - price - offset.
  void scan(Index row, double offset, double least) {
    std::uint64_t work = 0;
    edges_.visit_row(row, [&](const Edge& edge) {
      ++work;
      const double at_least = edge.cost - offset;
      if (at_least >= nearest_.distance) return false;
      const Index place = place_[at(edge.col)];
      if (place == kUnmatched) {
        nearest_ = {std::max(at_least, least), edge.cost, row, edge.col};
        return false;
      }
      MatchedCol& col = matched_[at(place)];
      const double distance = std::max(at_least - col.price, least);  // rounding must not lead back
      if (distance < col.distance && distance < nearest_.distance) {
        if (col.distance == kInfinity) reached_.push_back(place);
        col.distance = distance;
        col.route_cost = edge.cost;
        col.route_row = row;
        if (distance == least) {
          ready_.push_back(place);
        } else {
          heap_.emplace_back(distance, place);
          std::ranges::push_heap(heap_, std::greater<>{});
        }
      }
      return true;
    });
    interrupt_.poll(work);
  }

  void flip_path(Index root) {
    Index row = nearest_.row;
    Index col = nearest_.col;
    double cost = nearest_.cost;
    while (true) {
      const Index left = rows_[at(row)].place;
      take(row, col, cost);
      if (row == root) return;
      const MatchedCol& previous = matched_[at(left)];
      row = previous.route_row;
      col = previous.col;
      cost = previous.route_cost;
    }
  }

  struct NearestFree {
    double distance;
    double cost;
    Index row;
    Index col;
  };

  Edges& edges_;
  Interrupt& interrupt_;
  std::vector<Row> rows_;
  std::vector<Index> place_;  // of each column in matched_
  std::vector<MatchedCol> matched_;
  std::vector<double> start_price_;     // empty: 0
  std::vector<unsigned char> visited_;  // by place, in match_tight
  std::vector<Frame> stack_;
  std::vector<std::pair<double, Index>> heap_;
  std::vector<Index> ready_;  // columns as near as the one settled last
  std::vector<Index> reached_;
  std::vector<Index> settled_;
  NearestFree nearest_{};
};

}  // namespace hankelmatch
