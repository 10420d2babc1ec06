// Prices of columns to begin an assignment with, and what costs depend on.
//
// Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38 (1987): column reduction.
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

}  // namespace detail

}  // namespace hankelmatch
