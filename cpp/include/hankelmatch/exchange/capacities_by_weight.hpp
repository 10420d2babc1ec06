// The heaviest set of edges within capacities of rows and columns: a weighted b-matching, each edge once.
//
//     const std::vector<int> rows{2, 1}, cols{1, 1, 1};
//     const auto found = match_within_capacities(edges, rows, cols, true);  // found.chosen[i] for edge i
//
// Shortest augmenting paths, row after row. Duals u of rows and v of columns are at least 0, and 0 where
// there is room; the reduced cost of an edge, u + v - weight, is at least 0 where the edge is not chosen, and
// at most 0 where it is. Where as many edges as possible are wanted, each weighs (1, weight): pairs of a
// count and a sum, compared count first, so that no large number swallows small weights.
//
// R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", Prentice Hall 1993, section 9.7.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/exchange/check_capacities.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/numbered_edges.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// So many edges and their weight, count first.
struct CountedWeight {
  std::int64_t count = 0;
  double weight = 0;

  auto operator<=>(const CountedWeight&) const = default;
  CountedWeight operator+(const CountedWeight& other) const {
    return {count + other.count, weight + other.weight};
  }
  CountedWeight operator-(const CountedWeight& other) const {
    return {count - other.count, weight - other.weight};
  }
};

/// A flag for each edge, and the duals that prove it to be the heaviest.
struct CapacityMatching {
  std::vector<std::uint8_t> chosen;
  std::vector<CountedWeight> row_dual;
  std::vector<CountedWeight> col_dual;
};

namespace detail {

template <class Index>
class CapacityMatcher {
 public:
  CapacityMatcher(const WeightedCsrGraph<Index>& edges, std::span<const Index> row_capacity,
                  std::span<const Index> col_capacity, bool maximum_size, Interrupt& interrupt)
      : edges_(edges.graph, interrupt),
        weights_(edges.weights),
        count_(maximum_size ? 1 : 0),
        interrupt_(interrupt),
        row_room_(row_capacity.begin(), row_capacity.end()),
        col_room_(col_capacity.begin(), col_capacity.end()),
        nodes_(row_room_.size() + col_room_.size()),
        found_{std::vector<std::uint8_t>(edges_.size(), 0), std::vector<CountedWeight>(row_room_.size()),
               std::vector<CountedWeight>(col_room_.size())} {}

  CapacityMatching solve() && {
    for (std::size_t row = 0; row < row_room_.size(); ++row) {
      CountedWeight& dual = found_.row_dual[row];
      for_each_of_row(row, [&](std::size_t edge, std::size_t col) {
        dual = std::max(dual, weight(edge) - found_.col_dual[col]);
      });
      while (row_room_[row] > 0 && dual > CountedWeight{}) improve(row);
    }
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // Rows, and columns after them.
  struct Node {
    CountedWeight distance;
    std::size_t edge = kNone;  // by which it was reached
    bool is_reached = false;
    bool is_settled = false;
  };

  struct Waiting {
    CountedWeight distance;
    std::size_t node;
  };

  static bool is_farther(const Waiting& a, const Waiting& b) { return a.distance > b.distance; }

  template <class Visit>
  void for_each_of_row(std::size_t row, const Visit& visit) const {
    const std::size_t end = edges_.begin_of_row(row + 1);
    for (std::size_t edge = edges_.begin_of_row(row); edge < end; ++edge) visit(edge, edges_.col_of(edge));
  }

  CountedWeight weight(std::size_t edge) const { return {count_, weights_[edge]}; }

  // Never below 0, but for rounding.
  CountedWeight cost(std::size_t edge) const {
    const CountedWeight reduced =
        found_.row_dual[edges_.row_of(edge)] + found_.col_dual[edges_.col_of(edge)] - weight(edge);
    return std::max(CountedWeight{}, found_.chosen[edge] != 0 ? CountedWeight{} - reduced : reduced);
  }

  // A row with room takes another edge, at the least loss elsewhere, or its dual falls to 0: what ends the
  // search is a column with room, or a row that gives up an edge, or the row itself.
  void improve(std::size_t root) {
    interrupt_.check();
    reach(root, {}, kNone);
    CountedWeight bound = found_.row_dual[root];
    std::size_t end = root;
    while (!heap_.empty() && heap_.front().distance < bound) {
      const auto [distance, node] = pop();
      if (std::exchange(nodes_[node].is_settled, true)) continue;
      if (node >= row_room_.size()) {
        const std::size_t col = node - row_room_.size();
        if (col_room_[col] > 0) {
          bound = distance;
          end = node;
          break;
        }
        scan_col(col, distance);
      } else {
        const CountedWeight loss = distance + found_.row_dual[node];
        if (loss < bound) {
          bound = loss;
          end = node;
        }
        scan_row(node, distance);
      }
    }
    settle(bound);
    if (end < row_room_.size()) found_.row_dual[end] = {};
    flip(root, end);
    for (const std::size_t node : reached_) nodes_[node] = {};
    reached_.clear();
    heap_.clear();
  }

  void scan_row(std::size_t row, const CountedWeight& distance) {
    for_each_of_row(row, [&](std::size_t edge, std::size_t col) {
      if (found_.chosen[edge] == 0) reach(row_room_.size() + col, distance + cost(edge), edge);
    });
  }

  void scan_col(std::size_t col, const CountedWeight& distance) {
    for (std::size_t place = edges_.begin_of_col(col); place < edges_.begin_of_col(col + 1); ++place) {
      const std::size_t edge = edges_.edge_at(place);
      if (found_.chosen[edge] != 0) reach(edges_.row_of(edge), distance + cost(edge), edge);
    }
  }

  void reach(std::size_t node, const CountedWeight& distance, std::size_t edge) {
    Node& found = nodes_[node];
    if (found.is_settled || (found.is_reached && found.distance <= distance)) return;
    if (!found.is_reached) reached_.push_back(node);
    found = {distance, edge, true, false};
    heap_.push_back({distance, node});
    std::ranges::push_heap(heap_, is_farther);
  }

  Waiting pop() {
    std::ranges::pop_heap(heap_, is_farther);
    const Waiting least = heap_.back();
    heap_.pop_back();
    return least;
  }

  void settle(const CountedWeight& bound) {
    for (const std::size_t node : reached_) {
      const CountedWeight& distance = nodes_[node].distance;
      if (!(distance < bound)) continue;
      if (node < row_room_.size()) {
        CountedWeight& dual = found_.row_dual[node];
        dual = std::max(CountedWeight{}, dual - (bound - distance));
      } else {
        CountedWeight& dual = found_.col_dual[node - row_room_.size()];
        dual = dual + (bound - distance);
      }
    }
  }

  void flip(std::size_t root, std::size_t end) {
    if (end == root) return;
    --row_room_[root];
    if (end < row_room_.size()) {
      ++row_room_[end];
    } else {
      --col_room_[end - row_room_.size()];
    }
    for (std::size_t node = end; node != root;) {
      const std::size_t edge = nodes_[node].edge;
      found_.chosen[edge] ^= 1U;
      node = node < row_room_.size() ? row_room_.size() + edges_.col_of(edge) : edges_.row_of(edge);
    }
  }

  const NumberedEdges<Index> edges_;
  const std::span<const double> weights_;
  std::int64_t count_;
  Interrupt& interrupt_;
  std::vector<Index> row_room_;
  std::vector<Index> col_room_;
  std::vector<Node> nodes_;
  CapacityMatching found_;
  std::vector<std::size_t> reached_;
  std::vector<Waiting> heap_;
};

}  // namespace detail

/// Chooses the heaviest set of edges with at most so many at each row and column; of all sets, or of those
/// with as many edges as possible. Edges must not repeat. Throws invalid_argument if there is not one
/// capacity, at least 0, for each row and column.
///
/// O(s (m + n) log m) for the s edges chosen, of m.
template <class Index>
[[nodiscard]] CapacityMatching match_within_capacities(const WeightedCsrGraph<Index>& edges,
                                                       std::span<const Index> row_capacity,
                                                       std::span<const Index> col_capacity, bool maximum_size,
                                                       Interrupt& interrupt = no_interrupt()) {
  check_capacities(edges.graph, row_capacity, col_capacity);
  return detail::CapacityMatcher<Index>(edges, row_capacity, col_capacity, maximum_size, interrupt).solve();
}

}  // namespace hankelmatch
