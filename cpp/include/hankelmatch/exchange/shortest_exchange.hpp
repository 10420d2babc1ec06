// Dijkstra's search for the cheapest exchange of edges, which any change of an optimal matching is made of.
//
// The state is a matching with potentials: u of rows, v of columns. The reduced cost of an edge, u + v -
// weight, is never below 0, and 0 where matched. An alternating path costs the reduced costs of its unmatched
// edges. After a search that ended at distance d, u falls by d - (distance of the row) and v rises by d -
// (distance of the column) wherever that is above 0: reduced costs stay at 0 or above, and those along the
// shortest path become 0, so that it can be flipped.
//
// Edmonds, Karp, "Theoretical improvements in algorithmic efficiency for network flow problems", J. ACM 19
// (1972), 248-264.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Potentials of rows (the price of one more edge among them) and of columns.
struct Potentials {
  std::vector<double> row;
  std::vector<double> col;
};

/// Distances from the rows where a search began. Nodes are the columns, and `n_extra` more after them whose
/// meaning is the caller's. A search costs O((nodes + edges) log nodes) for what it reaches.
template <class Index>
class ShortestExchange {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kNoNode = std::numeric_limits<std::size_t>::max();

  struct Reached {
    std::size_t node;
    double distance;
  };

  ShortestExchange(const WeightedCsrGraph<Index>& edges, std::size_t n_extra)
      : edges_(edges), nodes_(at(edges.graph.n_cols) + n_extra), first_extra_(at(edges.graph.n_cols)) {}

  /// Begins a search that does not look farther than the bound, and polls the interrupt.
  void begin(Interrupt& interrupt, double bound = kInfinity) {
    interrupt_ = &interrupt;
    bound_ = bound;
    for (const std::size_t node : reached_) nodes_[node] = {};
    reached_.clear();
    rows_.clear();
    heap_.clear();
  }

  /// Nothing as far as that is of interest any more: the search can end there otherwise.
  void lower_bound(double bound) { bound_ = std::min(bound_, bound); }

  /// Looks at the edges of a row for which allowed(position), from this distance on. The search can end in
  /// columns for which is_end(column).
  template <class Allowed, class IsEnd>
  void scan(Index row, double distance, const Potentials& potentials, const Allowed& allowed,
            const IsEnd& is_end) {
    rows_.push_back({at(row), distance});
    const double base = distance + potentials.row[at(row)];
    const auto end = at(edges_.graph.indptr[at(row) + 1]);
    const auto begin = at(edges_.graph.indptr[at(row)]);
    interrupt_->poll(end - begin + 1);
    for (std::size_t i = begin; i < end; ++i) {
      const auto col = at(edges_.graph.indices[i]);
      const double to_col = base + potentials.col[col] - edges_.weights[i];
      if (!(to_col < std::min(nodes_[col].distance, bound_)) || !allowed(i)) continue;
      reach(col, to_col, distance, i);
      if (is_end(col)) lower_bound(nodes_[col].distance);
    }
  }

  /// A node is reached at a distance, no less than `least`, by way of an edge's position or another mark.
  void reach(std::size_t node, double distance, double least, std::size_t route) {
    distance = std::max(distance, least);  // rounding: never back
    Node& known = nodes_[node];
    if (!(distance < std::min(known.distance, bound_))) return;
    if (known.distance == kInfinity) reached_.push_back(node);
    known = {distance, route};
    heap_.emplace_back(distance, node);
    std::ranges::push_heap(heap_, std::greater<>{});
  }

  /// The nearest node not yet given, or kNoNode.
  Reached next() {
    while (!heap_.empty()) {
      const auto [distance, node] = heap_.front();
      std::ranges::pop_heap(heap_, std::greater<>{});
      heap_.pop_back();
      if (distance == nodes_[node].distance) return {node, distance};
    }
    return {kNoNode, kInfinity};
  }

  std::size_t route_of(std::size_t node) const { return nodes_[node].route; }
  double distance_of(std::size_t node) const { return nodes_[node].distance; }

  /// The potentials after a search that ended at distance d.
  void settle(double d, Potentials& potentials) const {
    for (const auto& [row, distance] : rows_) potentials.row[row] -= std::max(0.0, d - distance);
    for (const std::size_t node : reached_) {
      if (node < first_extra_) potentials.col[node] += std::max(0.0, d - nodes_[node].distance);
    }
  }

 private:
  struct Node {
    double distance = kInfinity;
    std::size_t route = kNoNode;
  };

  WeightedCsrGraph<Index> edges_;
  Interrupt* interrupt_ = nullptr;
  double bound_ = kInfinity;
  std::vector<Node> nodes_;
  std::size_t first_extra_;
  std::vector<std::size_t> reached_;
  std::vector<Reached> rows_;  // those scanned
  std::vector<std::pair<double, std::size_t>> heap_;
};

}  // namespace hankelmatch::detail
