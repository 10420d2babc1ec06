// A matching: a set of edges no two of which share a row or a column. Every matcher takes and returns one.
#pragma once

#include <algorithm>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// The mate of a row or column that is in no edge of the matching.
inline constexpr int kUnmatched = -1;

/// The mate of each node of one side. Resizing does not set new elements (see Matching): a vector would set
/// them one by one, which takes twice as long.
template <class Index>
using Mates = std::vector<Index, UninitializedAllocator<Index>>;

/// `row_mate[r]` is the column of row r and `col_mate[c]` the row of column c, kUnmatched where there is
/// none; `size` counts the edges. A default-constructed Matching stands for "no edge yet" with any graph.
template <class Index>
struct Matching {
  Index size = 0;
  Mates<Index> row_mate;
  Mates<Index> col_mate;

  Matching() = default;
  Matching(Index n_rows, Index n_cols) : row_mate(at(n_rows)), col_mate(at(n_cols)) { clear(); }

  /// Frees all rows and columns.
  void clear() {
    std::ranges::fill(row_mate, Index{kUnmatched});
    std::ranges::fill(col_mate, Index{kUnmatched});
    size = 0;
  }

  bool has_row(Index row) const { return row_mate[at(row)] != kUnmatched; }
  bool has_col(Index col) const { return col_mate[at(col)] != kUnmatched; }

  /// Adds an edge whose two ends are free.
  void join(Index row, Index col) {
    row_mate[at(row)] = col;
    col_mate[at(col)] = row;
    ++size;
  }

  /// Gives a matched or free row a new column and returns its old one. For flipping augmenting paths: the
  /// caller passes the old column on along the path and counts the new edge itself.
  Index rejoin(Index row, Index col) {
    col_mate[at(col)] = row;
    return std::exchange(row_mate[at(row)], col);
  }
};

/// The matching of the transposed graph.
template <class Index>
Matching<Index> transposed(Matching<Index> matching) {
  std::swap(matching.row_mate, matching.col_mate);
  return matching;
}

/// Whether the arrays have the graph's lengths, agree with one another and with `size`, and every pair is an
/// edge. Costs the edges of the matched rows.
template <class Index>
[[nodiscard]] bool is_valid(const CsrGraph<Index>& graph, const Matching<Index>& matching,
                            Interrupt& interrupt = no_interrupt()) {
  if (std::cmp_not_equal(matching.row_mate.size(), graph.n_rows)) return false;
  if (std::cmp_not_equal(matching.col_mate.size(), graph.n_cols)) return false;
  Index n_pairs = 0;
  for (Index row = 0; row < graph.n_rows; ++row) {
    interrupt.poll();
    const Index col = matching.row_mate[at(row)];
    if (col == kUnmatched) continue;
    if (col < 0 || col >= graph.n_cols || matching.col_mate[at(col)] != row) return false;
    interrupt.poll(graph.row(row).size());
    if (std::ranges::find(graph.row(row), col) == graph.row(row).end()) return false;
    ++n_pairs;
  }
  // If some column claims a row that does not claim it, more columns are matched than rows.
  const auto n_cols_matched =
      std::ranges::count_if(matching.col_mate, [](Index r) { return r != kUnmatched; });
  return n_pairs == matching.size && std::cmp_equal(n_cols_matched, n_pairs);
}

/// The matching that a search starts from: the pairs of `initial` that are edges of this graph, or the empty
/// matching. Throws invalid_argument unless the arrays have the graph's lengths and agree
/// with one another.
template <class Graph>
Matching<typename Graph::index_type> starting_matching(const Graph& graph,
                                                       const Matching<typename Graph::index_type>& initial,
                                                       Interrupt& interrupt = no_interrupt()) {
  using Index = typename Graph::index_type;
  Matching<Index> start(graph.n_rows, graph.n_cols);
  if (initial.row_mate.empty() && initial.col_mate.empty()) return start;
  if (initial.row_mate.size() != start.row_mate.size() || initial.col_mate.size() != start.col_mate.size()) {
    throw std::invalid_argument("initial: one mate for each row and column of the graph is needed");
  }
  for (Index row = 0; row < graph.n_rows; ++row) {
    interrupt.poll();
    const Index col = initial.row_mate[at(row)];
    if (col == kUnmatched) continue;
    if (col < 0 || col >= graph.n_cols || initial.col_mate[at(col)] != row) {
      throw std::invalid_argument("initial: a row and its column must name one another, or be -1");
    }
    Index cursor = graph.begin(row);
    if (graph.find(row, cursor, [&](Index c) { return c == col; }) != kUnmatched) start.join(row, col);
  }
  return start;
}

}  // namespace hankelmatch
