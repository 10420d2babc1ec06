// Prices of columns to begin an assignment with, and what costs depend on.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): column reduction. Tarjan, "Applications of path compression on balanced trees", J. ACM
// 26 (1979): disjoint sets whose members know their distance from the root.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// When an assignment may start again from other prices; tests try all.
enum class Restarts { kWhenSearchesAreLong, kAtOnce, kNever };

namespace detail {

/// The edges of an assignment problem: the cost of an edge is its weight negated, its value the cost minus
/// the price of its column.
template <class Index>
class Costs {
 public:
  Costs(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt) : edges_(edges), interrupt_(interrupt) {}

  std::size_t n_rows() const { return at(edges_.graph.n_rows); }
  std::size_t n_cols() const { return at(edges_.graph.n_cols); }

  /// Calls visit(column, cost) for the edges of a row.
  template <class Visit>
  void visit_row(std::size_t row, const Visit& visit) const {
    const auto begin = at(edges_.graph.indptr[row]);
    const auto end = at(edges_.graph.indptr[row + 1]);
    for (std::size_t i = begin; i < end; ++i) visit(at(edges_.graph.indices[i]), -edges_.weights[i]);
    interrupt_.poll(end - begin + 1);
  }

  /// The least cost of each row.
  std::vector<double> least_costs() const {
    return least_of_rows([](std::size_t, double cost) { return cost; });
  }

  /// The least value of each row.
  std::vector<double> least_values(std::span<const double> prices) const {
    return least_of_rows([&](std::size_t col, double cost) { return cost - prices[col]; });
  }

  /// The highest prices at which the values of each row are nowhere below this number: then every column has
  /// an edge that may be tight. Infinity for columns without edges.
  std::vector<double> prices_above(std::span<const double> of_rows) const {
    std::vector<double> prices(n_cols(), kInfinity);
    for (std::size_t row = 0; row < n_rows(); ++row) {
      const double least = of_rows[row];
      visit_row(row,
                [&](std::size_t col, double cost) { prices[col] = std::min(prices[col], cost - least); });
    }
    return prices;
  }

  /// The same where that number is 0 for each row: the least cost of each column.
  std::vector<double> prices_above_0() const {
    std::vector<double> prices(n_cols(), kInfinity);
    for_each_stretch(edges_.n_edges(), interrupt_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double& price = prices[at(edges_.graph.indices[i])];
        price = std::min(price, -edges_.weights[i]);
      }
    });
    return prices;
  }

  /// How far the values of edges lie above the least of their rows.
  struct OverLeast {
    std::vector<double> least;  // of each row
    double mean = 0;
    double most = 0;
  };
  OverLeast over_least(std::span<const double> prices) const {
    OverLeast result{std::vector<double>(n_rows(), kInfinity)};
    double sum = 0;
    for (std::size_t row = 0; row < n_rows(); ++row) {
      double least = kInfinity;
      double most = -kInfinity;
      visit_row(row, [&](std::size_t col, double cost) {
        least = std::min(least, cost - prices[col]);
        most = std::max(most, cost - prices[col]);
      });
      visit_row(row, [&](std::size_t col, double cost) { sum += cost - prices[col] - least; });
      result.least[row] = least;
      result.most = std::max(result.most, most - least);
    }
    result.mean = sum / static_cast<double>(edges_.n_edges());
    return result;
  }

  /// Whether the least costs of rows clearly differ more than costs within a row do, by a sample.
  bool depend_on_rows() const {
    constexpr std::size_t kRows = 128;  // at most about so many, and one in eight: it is to take no time
    constexpr std::size_t kApart = 8;
    constexpr double kClearly = 2;
    double within = 0;
    double between = 0;
    double last = kInfinity;
    for (std::size_t row = 0; row < n_rows(); row += std::max(kApart, n_rows() / kRows)) {
      double least = kInfinity;
      double most = -kInfinity;
      visit_row(row, [&](std::size_t, double cost) {
        least = std::min(least, cost);
        most = std::max(most, cost);
      });
      if (least == kInfinity) continue;
      within += most - least;
      if (last != kInfinity) between += std::abs(least - last);
      last = least;
    }
    return between > kClearly * within;
  }

  /// Of all costs in size.
  double mean_size() const {
    double sum = 0;
    for (const double weight : weights()) sum += std::abs(weight);
    return sum / static_cast<double>(edges_.n_edges());
  }

  bool are_whole() const {
    return std::ranges::all_of(weights(), [](double weight) { return weight == std::floor(weight); });
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  std::span<const double> weights() const { return edges_.weights.first(edges_.n_edges()); }

  template <class Value>
  std::vector<double> least_of_rows(const Value& value) const {
    std::vector<double> result(n_rows(), kInfinity);
    for (std::size_t row = 0; row < n_rows(); ++row) {
      double least = kInfinity;
      visit_row(row, [&](std::size_t col, double cost) { least = std::min(least, value(col, cost)); });
      result[row] = least;
    }
    return result;
  }

  const WeightedCsrGraph<Index>& edges_;
  Interrupt& interrupt_;
};

/// How far apart the two best values of a row are: distances are about as far apart.
class Gains {
 public:
  void add(double gain) {
    constexpr double kLargest = 1e15;
    const double within = std::min(gain, kLargest);
    sum_ += within;
    n_ += 1;
    integers_ &= static_cast<double>(static_cast<std::int64_t>(within)) == within;
  }
  bool are_integers() const { return integers_; }
  double mean() const { return n_ > 0 ? sum_ / n_ : 0.0; }
  /// A bucket for each distance if they are integers, else several to the mean gain.
  double bucket_width() const {
    constexpr double kLeast = 1e-300;
    constexpr double kPerGain = 10;
    return integers_ ? 1.0 : std::max(mean() / kPerGain, kLeast);
  }

 private:
  double sum_ = 0;
  double n_ = 0;
  bool integers_ = true;
};

/// Whether searches from rows that wait will read more edges than an auction does. Each pass over the edges
/// matches about the same share of the waiting rows, so that the last few foretell how many are to come; and
/// no row needs more than one.
class Pace {
 public:
  Pace(std::size_t n_rows, std::size_t n_edges)
      : pass_(static_cast<double>(n_rows + n_edges)),
        root_of_degree_(std::sqrt(static_cast<double>(n_edges) / static_cast<double>(n_rows))) {}

  /// `work` edges were read by now, and so many rows wait. Once true, it stays so.
  bool is_too_slow(std::uint64_t work, std::size_t n_waiting) {
    const Point now{static_cast<double>(work) / pass_, static_cast<double>(n_waiting)};
    if (is_too_slow_ || now.n_passes < std::max(kFirst, kApart * last_.n_passes)) return is_too_slow_;
    const Point before = std::exchange(last_, now);
    if (before.n_passes == 0) return false;
    const double rate = std::log(before.n_waiting / now.n_waiting) / (now.n_passes - before.n_passes);
    is_too_slow_ = now.n_waiting > kFewRows * root_of_degree_ &&
                   std::log(now.n_waiting) > kAuction * root_of_degree_ * rate;
    return is_too_slow_;
  }

  void begin_again() {
    last_ = {};
    is_too_slow_ = false;
  }

 private:
  struct Point {
    double n_passes = 0;
    double n_waiting = 0;
  };
  // Easy problems are over by the first. An auction takes as long as searches that read so many times the
  // edges, or that begin from so few rows, where rows have one edge; both grow as the root of the degree.
  // Set on random costs of degrees 5 to 20 and on the matrices of benchmarks.weighted.
  static constexpr double kFirst = 3;
  static constexpr double kApart = 1.5;
  static constexpr double kAuction = 4;
  static constexpr double kFewRows = 24;

  double pass_;
  double root_of_degree_;
  Point last_;
  bool is_too_slow_ = false;
};

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

}  // namespace detail

}  // namespace hankelmatch
