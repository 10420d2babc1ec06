// Cheapest assignment of every row to a column of its own, by shortest augmenting paths on a sparse matrix of
// long rows, whose edges are read cheapest first. No more of them are kept and sorted than are asked for.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987). Duff, Koster, "On algorithms for permuting large entries to the diagonal of a sparse
// matrix", SIAM J. Matrix Anal. Appl. 22 (2001): the sparse search and its early end (MC64).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hankelmatch/assignment/bidding.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Reads the edges of a row, the cheapest first.
template <class Edges>
class CheapestFirstCursor {
 public:
  CheapestFirstCursor(Edges& edges, typename Edges::RowIndex row, std::size_t place = 0)
      : edges_(&edges), row_(row), next_(place) {}

  /// As no price is above 0, no value is below its cost.
  bool next(typename Edges::Edge& edge, double end) {
    const auto* const found = edges_->edge(row_, next_);
    if (found == nullptr || found->cost >= end) return false;
    edge = *found;
    ++next_;
    return true;
  }
  template <class Visit>
  std::size_t read(std::size_t most, double end, const Visit& visit) {
    typename Edges::Edge edge;
    std::size_t n = 0;
    for (; n < most && next(edge, end); ++n) end = visit(edge, next_ - 1);
    return n;
  }
  static double end_above(double value) {
    return std::nextafter(value, std::numeric_limits<double>::infinity());
  }

 private:
  Edges* edges_;
  typename Edges::RowIndex row_;
  std::size_t next_;
};

}  // namespace detail

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
/// Time: O(rows * edges * log columns) in the worst case, a few passes over the edges on most problems.
/// Deterministic.
template <class Index, class Edges>
class Assignment
    : private detail::Bidding<Index, Assignment<Index, Edges>, detail::CheapestFirstCursor<Edges>> {
  using Cursor = detail::CheapestFirstCursor<Edges>;
  using Base = detail::Bidding<Index, Assignment, Cursor>;
  friend Base;
  using Base::kInfinity;
  using typename Base::Edge;

 public:
  Assignment(Edges& edges, Index n_cols, Interrupt& interrupt)
      : edges_(edges), interrupt_(interrupt), rows_(at(edges.n_rows())), place_(at(n_cols), kUnmatched) {}

  /// Returns false, and leaves the rest undone, if some row cannot be matched.
  [[nodiscard]] bool solve() {
    constexpr std::size_t kBidsPerRow = 8;
    std::vector<Index> waiting(rows_.size());
    std::iota(waiting.begin(), waiting.end(), Index{0});
    Base::bid(waiting, kBidsPerRow * rows_.size());
    Base::match_tight(waiting);
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
  double price_of(Index col) const {
    const Index place = place_[at(col)];
    return place == kUnmatched ? 0.0 : matched_[at(place)].price;
  }

 private:
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

  Cursor cursor(Index row) const { return Cursor(edges_, row); }
  Cursor cursor_after(Index row, std::size_t place) const { return Cursor(edges_, row, place + 1); }
  Edge edge_at(Index row, std::size_t place) const { return *edges_.edge(row, place); }
  double tight_up_to(Index row) const { return potential_of(row); }
  double rounding(const Edge& /*edge*/) const { return 0.0; }
  double value(const Edge& edge) const {
    const Index place = place_[at(edge.col)];
    return place == kUnmatched ? edge.cost : edge.cost - matched_[at(place)].price;
  }
  bool is_matched(Index col) const { return place_[at(col)] != kUnmatched; }
  Index row_of(Index col) const { return matched_[mark_of(col)].row; }
  bool is_free(Index row) const { return rows_[at(row)].place == kUnmatched; }
  void release(Index row) { rows_[at(row)].place = kUnmatched; }
  void lower_price(Index col, double by) { matched_[mark_of(col)].price -= by; }
  std::size_t mark_of(Index col) const { return at(place_[at(col)]); }
  std::size_t n_marks() const { return matched_.size(); }
  void count(std::size_t n_edges) { interrupt_.poll(n_edges + 1); }

  // Gives a column to a row; returns the row that had it. The column that the row had is not touched.
  Index take(Index row, const Edge& edge) {
    Index& place = place_[at(edge.col)];
    if (place == kUnmatched) {
      place = static_cast<Index>(matched_.size());
      matched_.push_back({0.0, kInfinity, 0.0, kUnmatched, kUnmatched, edge.col});
    }
    rows_[at(row)] = {edge.cost, place};
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
    nearest_ = {kInfinity, {}, kUnmatched};
    scan(root, 0.0, -kInfinity);
    for (double distance = -kInfinity; next_place(distance, next);) {
      const MatchedCol& col = matched_[at(next)];
      settled_.push_back(next);
      scan(col.row, rows_[at(col.row)].cost - col.price - distance, distance);
    }
    if (nearest_.edge.col != kUnmatched) {
      // The prices that keep all reduced costs from falling below 0 once the path is flipped.
      for (const Index place : settled_)
        matched_[at(place)].price += matched_[at(place)].distance - nearest_.distance;
      flip_path(root);
    }
    for (const Index place : reached_) matched_[at(place)].distance = kInfinity;
    return nearest_.edge.col != kUnmatched;
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
        nearest_ = {std::max(at_least, least), edge, row};
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
    count(work);
  }

  void flip_path(Index root) {
    Edge edge = nearest_.edge;
    for (Index row = nearest_.row;;) {
      const Index left = rows_[at(row)].place;
      take(row, edge);
      if (row == root) return;
      const MatchedCol& previous = matched_[at(left)];
      row = previous.route_row;
      edge = {previous.route_cost, previous.col};
    }
  }

  struct NearestFree {
    double distance;
    Edge edge;
    Index row;
  };

  Edges& edges_;
  Interrupt& interrupt_;
  std::vector<Row> rows_;
  std::vector<Index> place_;  // of each column in matched_
  std::vector<MatchedCol> matched_;
  std::vector<std::pair<double, Index>> heap_;
  std::vector<Index> ready_;  // columns as near as the one settled last
  std::vector<Index> reached_;
  std::vector<Index> settled_;
  NearestFree nearest_{};
};

}  // namespace hankelmatch
