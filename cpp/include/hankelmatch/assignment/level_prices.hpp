// Assignment where costs are sums of a part of the row and a part of the column, or nearly.
//
// Tarjan, "Applications of path compression on balanced trees", J. ACM 26 (1979): disjoint sets whose members
// know their distance from the root. Edmonds, "Matroids and the greedy algorithm", Math. Program. 1 (1971):
// sets of columns that a matching can cover are the independent sets of a matroid, so the cheapest are found
// by taking columns in order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hankelmatch/assignment/starting_prices.hpp>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/breadth_first.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Every node of a graph has a level. An edge whose ends are in different sets fixes the levels of one set
/// against those of the other, so that cost = level of the row - level of the column: these edges are a
/// spanning forest.
template <class Index>
class Levels {
 public:
  explicit Levels(std::size_t n_nodes) : nodes_(n_nodes) {
    for (std::size_t i = 0; i < n_nodes; ++i) nodes_[i].parent = static_cast<Index>(i);
  }

  /// Returns how far the cost is from what the levels say; 0 if it fixes some.
  double join(std::size_t row, std::size_t col, double cost) {
    const Place of_row = find(row);
    const Place of_col = find(col);
    std::size_t child = of_row.root;
    std::size_t parent = of_col.root;
    double above = cost + of_col.level - of_row.level;
    if (child == parent) return std::abs(above);
    if (nodes_[child].size > nodes_[parent].size) {
      std::swap(child, parent);
      above = -above;
    }
    nodes_[child].parent = static_cast<Index>(parent);
    nodes_[child].above = above;
    nodes_[parent].size += nodes_[child].size;
    return 0;
  }

  double level(std::size_t node) { return find(node).level; }

 private:
  struct Node {
    double above = 0;  // its level over its parent's
    Index parent = 0;
    Index size = 1;  // of the set, at its root
  };
  struct Place {
    std::size_t root;
    double level;  // over the root's
  };

  Place find(std::size_t node) {
    double level = 0;
    while (at(nodes_[node].parent) != node) {
      Node& own = nodes_[node];
      const Node& parent = nodes_[at(own.parent)];
      if (parent.parent != own.parent) {  // halve the path
        own.above += parent.above;
        own.parent = parent.parent;
      }
      level += own.above;
      node = at(own.parent);
    }
    return {node, level};
  }

  std::vector<Node> nodes_;
};

/// Prices at which the values of each row are equal if all costs are sums; else they differ by about what
/// costs differ from sums: each row and column in turn is then set to the mean of its edges, a few times.
/// Nothing if the costs of the first edges that close a circle are farther than `far` from sums, in the mean.
/// Whole if `whole`, which says that all costs are. Time: O(edges log nodes); memory: 16 bytes a node, and 16
/// a column.
template <class Index>
[[nodiscard]] std::optional<std::vector<double>> level_prices(const Costs<Index>& costs, double far,
                                                              bool whole) {
  constexpr std::size_t kFew = 256;
  constexpr int kSweeps = 4;
  constexpr double kRounding = 1e-13;
  std::vector<double> prices(costs.n_cols());
  std::vector<double> n_rows(costs.n_cols(), 0.0);
  Levels<Index> levels(costs.n_rows() + costs.n_cols());
  double sum_off = 0;
  std::size_t n_off = 0;
  for (std::size_t row = 0; row < costs.n_rows(); ++row) {
    costs.visit_row(row, [&](std::size_t col, double cost) {
      const double off = levels.join(row, costs.n_rows() + col, cost);
      n_rows[col] += 1;
      sum_off += off;
      n_off += off > 0 ? 1 : 0;
    });
    if (n_off >= kFew && sum_off > far * static_cast<double>(n_off)) return std::nullopt;
  }
  for (std::size_t col = 0; col < prices.size(); ++col) prices[col] = -levels.level(costs.n_rows() + col);
  std::vector<double> over(prices.size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::ranges::fill(over, 0.0);
    double spread = 0;
    for (std::size_t row = 0; row < costs.n_rows(); ++row) {
      double sum = 0;
      double n = 0;
      costs.visit_row(row, [&](std::size_t col, double cost) {
        sum += cost - prices[col];
        n += 1;
      });
      costs.visit_row(row, [&](std::size_t col, double cost) {
        const double rest = cost - prices[col] - sum / n;
        over[col] += rest;
        spread += std::abs(rest) - kRounding * std::abs(cost);
      });
    }
    if (spread <= 0) break;
    for (std::size_t col = 0; col < prices.size(); ++col)
      prices[col] += over[col] / std::max(1.0, n_rows[col]);
  }
  if (whole) {
    for (double& price : prices) price = std::round(price);
  }
  return prices;
}

/// The edges whose values lie above the least in their row by no more than rounding: so much of the sizes of
/// cost and price.
template <class Index>
[[nodiscard]] CsrMatrix<Index> nearly_tight(const Costs<Index>& costs, std::span<const double> prices,
                                            double rounding) {
  CsrMatrix<Index> tight{static_cast<Index>(costs.n_rows()), static_cast<Index>(costs.n_cols()), {0}, {}, {}};
  const std::vector<double> least = costs.least_values(prices);
  for (std::size_t row = 0; row < costs.n_rows(); ++row) {
    costs.visit_row(row, [&](std::size_t col, double cost) {
      const double size = std::abs(cost) + std::abs(prices[col]);
      if (cost - prices[col] - least[row] <= rounding * size)
        tight.indices.push_back(static_cast<Index>(col));
    });
    tight.indptr.push_back(static_cast<Index>(tight.indices.size()));
  }
  return tight;
}

/// A matching of rows to columns, with prices of the columns that prove it.
template <class Index>
struct PricedMatching {
  Mates<Index> cols;  // of the rows
  std::vector<double> prices;
};

/// Prices that prove a matching of the columns whose parts are cheapest: by how much the part of a column is
/// below that of the cheapest free one that could replace it, or of the dearest column if none could. `order`
/// has the columns by their parts. O(nodes + edges).
template <class Index>
[[nodiscard]] std::vector<double> prices_of_taken(const CsrGraph<Index>& rows_of,
                                                  const Matching<Index>& taken, std::span<const double> parts,
                                                  std::span<const Index> order, Interrupt& interrupt) {
  std::vector<double> prices(parts.size(), 0.0);
  const auto replace = [&](Index col, Index by) {
    prices[at(col)] = std::min(0.0, parts[at(col)] - parts[at(by)]);
  };
  for (const Index col : order) {
    if (taken.has_row(col)) replace(col, order.back());
  }
  Bitset visited(at(rows_of.n_cols));
  std::vector<Index> reached;
  for (const Index free : order) {
    if (taken.has_row(free)) continue;
    for (reached.push_back(free); !reached.empty();) {
      const std::span<const Index> rows = rows_of.row(reached.back());
      reached.pop_back();
      interrupt.poll(rows.size() + 1);
      for (const Index row : rows) {
        if (visited.test(at(row))) continue;
        visited.set(at(row));
        const Index col = taken.col_mate[at(row)];  // some: else the free column would have been taken
        replace(col, free);
        reached.push_back(col);
      }
    }
  }
  return prices;
}

/// The cheapest matching of as many rows as can be matched, where an edge costs its column's part and a free
/// column nothing: columns are taken in order of their parts, each if the rows can make room for it. Time:
/// O(columns * edges) in the worst case, near O(edges) on most graphs.
template <class Index>
[[nodiscard]] PricedMatching<Index> cheapest_columns(const CsrGraph<Index>& graph,
                                                     std::span<const double> parts, Interrupt& interrupt) {
  const CsrMatrix<Index> transposed = transpose(graph, interrupt);
  const CsrGraph<Index> rows_of = transposed.view();
  std::vector<Index> order(parts.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index col) { return parts[at(col)]; });
  Matching<Index> taken(rows_of.n_rows, rows_of.n_cols);
  LookAhead<Index> look_ahead(rows_of, taken);
  Bitset closed(at(rows_of.n_cols));
  BreadthFirstRounds<Index>(rows_of, look_ahead, taken, closed, interrupt).search_in_order(order);
  std::vector<double> prices = prices_of_taken<Index>(rows_of, taken, parts, order, interrupt);
  return {std::move(taken.col_mate), std::move(prices)};
}

}  // namespace hankelmatch::detail
