// Cheapest assignment of every row to a column of its own, by shortest augmenting paths on a sparse matrix of
// long rows, whose edges are read cheapest first.
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
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace hankelmatch {

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
class Assignment {
 public:
  Assignment(Edges& edges, Index n_cols, Interrupt& interrupt)
      : edges_(edges), interrupt_(interrupt), rows_(at(edges.n_rows())), place_(at(n_cols), kUnmatched) {}

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
  double price_of(Index col) const {
    const Index place = place_[at(col)];
    return place == kUnmatched ? 0.0 : matched_[at(place)].price;
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
  std::vector<unsigned char> visited_;  // by place, in match_tight
  std::vector<Frame> stack_;
  std::vector<std::pair<double, Index>> heap_;
  std::vector<Index> ready_;  // columns as near as the one settled last
  std::vector<Index> reached_;
  std::vector<Index> settled_;
  NearestFree nearest_{};
};

}  // namespace hankelmatch
