// The largest set of edges within capacities of rows and columns: a maximum b-matching, each edge once.
//
//     const std::vector<int> rows{2, 1}, cols{1, 1, 1};
//     const auto chosen = largest_within_capacities(graph, rows, cols);  // chosen[i] for edge i
//
// Rounds of shortest augmenting paths, as those of Hopcroft and Karp for matchings: from rows with room, by
// an edge that is not chosen to a column, back by one that is chosen to a row, and so on to a column with
// room.
//
// E. A. Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation",
// Soviet Math. Dokl. 11 (1970), 1277-1280. S. Even, R. E. Tarjan, "Network flow and testing graph
// connectivity", SIAM J. Comput. 4 (1975), 507-518.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/exchange/check_capacities.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/numbered_edges.hpp>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

template <class Index>
class LargestWithinCapacities {
 public:
  LargestWithinCapacities(const CsrGraph<Index>& graph, std::span<const Index> row_capacities,
                          std::span<const Index> col_capacities, Interrupt& interrupt)
      : edges_(graph, interrupt),
        interrupt_(interrupt),
        row_room_(row_capacities.begin(), row_capacities.end()),
        col_room_(col_capacities.begin(), col_capacities.end()),
        chosen_(edges_.size(), 0),
        row_level_(edges_.n_rows()),
        col_level_(edges_.n_cols()),
        next_edge_(edges_.n_rows()),
        next_place_(edges_.n_cols()) {}

  std::vector<std::uint8_t> solve() && {
    choose_greedily();
    for (auto rows = nearest_rows(); !rows.empty(); rows = nearest_rows()) {
      for (const std::size_t row : rows)
        while (row_room_[row] > 0 && find_path(row)) flip_path(row);
    }
    return std::move(chosen_);
  }

 private:
  static constexpr Index kUnreached = -2;  // not one less than the least level

  void choose_greedily() {
    for (std::size_t row = 0; row < row_room_.size(); ++row) {
      interrupt_.poll(edges_.begin_of_row(row + 1) - edges_.begin_of_row(row) + 1);
      for (auto edge = edges_.begin_of_row(row); edge < edges_.begin_of_row(row + 1); ++edge) {
        if (row_room_[row] == 0) break;
        if (col_room_[edges_.col_of(edge)] > 0) choose(row, edge);
      }
    }
  }

  void choose(std::size_t row, std::size_t edge) {
    chosen_[edge] = 1;
    --row_room_[row];
    --col_room_[edges_.col_of(edge)];
  }

  /// The rows with room that have the shortest way to a column with room. Notes the distances of all rows and
  /// columns up to theirs; all edges are to be tried again.
  std::vector<std::size_t> nearest_rows() {
    row_level_.assign(row_level_.size(), kUnreached);
    col_level_.assign(col_level_.size(), kUnreached);
    for (std::size_t row = 0; row < next_edge_.size(); ++row) next_edge_[row] = edges_.begin_of_row(row);
    for (std::size_t col = 0; col < next_place_.size(); ++col) next_place_[col] = edges_.begin_of_col(col);
    std::vector<std::size_t> cols;
    for (std::size_t col = 0; col < col_room_.size(); ++col) {
      if (col_room_[col] == 0) continue;
      col_level_[col] = 0;
      cols.push_back(col);
    }
    std::vector<std::size_t> nearest;
    for (Index level = 0; !cols.empty() && nearest.empty(); ++level) {
      std::vector<std::size_t> rows;
      for (const std::size_t col : cols) reach_rows(col, level, rows);
      std::ranges::copy_if(rows, std::back_inserter(nearest),
                           [&](std::size_t row) { return row_room_[row] > 0; });
      cols.clear();
      for (const std::size_t row : rows) reach_cols(row, level + 1, cols);
    }
    return nearest;
  }

  /// Rows that have this column, but not by an edge that is chosen.
  void reach_rows(std::size_t col, Index level, std::vector<std::size_t>& rows) {
    const std::size_t end = edges_.begin_of_col(col + 1);
    interrupt_.poll(end - edges_.begin_of_col(col) + 1);
    for (std::size_t place = edges_.begin_of_col(col); place < end; ++place) {
      const std::size_t edge = edges_.edge_at(place);
      const std::size_t row = edges_.row_of(edge);
      if (row_level_[row] != kUnreached || chosen_[edge] != 0) continue;
      row_level_[row] = level;
      rows.push_back(row);
    }
  }

  /// Columns that the row has by an edge that is chosen.
  void reach_cols(std::size_t row, Index level, std::vector<std::size_t>& cols) {
    const std::size_t end = edges_.begin_of_row(row + 1);
    interrupt_.poll(end - edges_.begin_of_row(row) + 1);
    for (std::size_t edge = edges_.begin_of_row(row); edge < end; ++edge) {
      const std::size_t col = edges_.col_of(edge);
      if (chosen_[edge] == 0 || col_level_[col] != kUnreached) continue;
      col_level_[col] = level;
      cols.push_back(col);
    }
  }

  /// Depth-first, along edges that lead a level on and have not been tried in this round; whether `path_`
  /// ends at a column with room.
  bool find_path(std::size_t root) {
    path_.clear();
    while (true) {
      if (path_.size() % 2 == 1) {
        if (!step_to_row(edges_.col_of(path_.back()))) path_.pop_back();
      } else if (step_to_col(path_.empty() ? root : edges_.row_of(path_.back()))) {
        if (col_room_[edges_.col_of(path_.back())] > 0) return true;
      } else if (path_.empty()) {
        return false;
      } else {
        path_.pop_back();
      }
    }
  }

  bool step_to_col(std::size_t row) {
    const std::size_t end = edges_.begin_of_row(row + 1);
    for (std::size_t& edge = next_edge_[row]; edge < end;) {
      interrupt_.poll();
      const std::size_t tried = edge++;
      if (chosen_[tried] != 0 || col_level_[edges_.col_of(tried)] != row_level_[row]) continue;
      path_.push_back(tried);
      return true;
    }
    return false;
  }

  bool step_to_row(std::size_t col) {
    const std::size_t end = edges_.begin_of_col(col + 1);
    for (std::size_t& place = next_place_[col]; place < end;) {
      interrupt_.poll();
      const std::size_t edge = edges_.edge_at(place++);
      if (chosen_[edge] == 0 || row_level_[edges_.row_of(edge)] != col_level_[col] - 1) continue;
      path_.push_back(edge);
      return true;
    }
    return false;
  }

  void flip_path(std::size_t root) {
    for (const std::size_t edge : path_) chosen_[edge] ^= 1U;
    --row_room_[root];
    --col_room_[edges_.col_of(path_.back())];
  }

  const NumberedEdges<Index> edges_;
  Interrupt& interrupt_;
  std::vector<Index> row_room_;
  std::vector<Index> col_room_;
  std::vector<std::uint8_t> chosen_;
  std::vector<Index> row_level_;         // that of its nearest column
  std::vector<Index> col_level_;         // 0 where there is room
  std::vector<std::size_t> next_edge_;   // of a row, in this round
  std::vector<std::size_t> next_place_;  // of a column's edge
  std::vector<std::size_t> path_;        // edges, every second of them chosen
};

}  // namespace detail

/// Chooses as many edges as possible with at most so many at each row and column: a flag for each. Edges must
/// not repeat. Throws invalid_argument if there is not one capacity, at least 0, for each row and column.
///
/// O(m sqrt(m)) for m edges, and near O(m) as a rule.
template <class Index>
[[nodiscard]] std::vector<std::uint8_t> largest_within_capacities(const CsrGraph<Index>& graph,
                                                                  std::span<const Index> row_capacities,
                                                                  std::span<const Index> col_capacities,
                                                                  Interrupt& interrupt = no_interrupt()) {
  check_capacities(graph, row_capacities, col_capacities);
  return detail::LargestWithinCapacities<Index>(graph, row_capacities, col_capacities, interrupt).solve();
}

}  // namespace hankelmatch
