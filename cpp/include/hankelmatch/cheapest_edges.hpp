// The cheapest edges of every row, of which no more are kept and sorted than are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/matching.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch {

/// The edges of every row, cheapest first (ties: lowest column). Most rows of a large problem are settled by
/// their first few edges, so no more is kept or sorted than is asked for: a pass over all edges keeps the
/// cheapest of each row, and a row read to the end of these takes another pass, which keeps eight times as
/// many for it and for all rows that are likely to need them next.
///
/// `ForEachEdge` is called with a visitor; for every edge, but of rows that it does not want, it calls
/// visit(row, cost, col_of), where col_of() is the column or kUnmatched for what is no edge. It must repeat
/// itself. It may tell likely_degree(row), for which memory is reserved. Memory: 16 bytes for each edge kept.
template <class Index, class ForEachEdge>
class CheapestEdges {
 public:
  struct Edge {
    double cost;
    Index col;
  };

  /// Keeps `n_kept` > 0 to twice as many edges of each row at first.
  CheapestEdges(Index n_rows, ForEachEdge for_each_edge, std::size_t n_kept)
      : for_each_edge_(std::move(for_each_edge)), rows_(at(n_rows)), dearest_(at(n_rows), kNone) {
    for (std::size_t r = 0; r < rows_.size(); ++r)
      rows_[r].capacity = std::min(2 * n_kept, std::max(kFewest, likely_degree(r) + 1));
    collect();
  }

  Index n_rows() const { return static_cast<Index>(rows_.size()); }

  /// Edge i of a row, counted from the cheapest; null after the last one. Good until the next call.
  const Edge* edge(Index r, std::size_t i) {
    Row& row = rows_[at(r)];
    while (i >= row.n_sorted) {
      if (!sort_more(row) && !collect_more(row)) return nullptr;
    }
    return row.edges + i;
  }

  /// Calls visit(edge), cheapest first, until it returns false or the row ends.
  template <class Visit>
  void visit_row(Index r, const Visit& visit) {
    std::size_t i = 0;
    for (const Edge* e = edge(r, i); e != nullptr && visit(*e); e = edge(r, i)) ++i;
  }

 private:
  // The first n_sorted of its n_kept edges come cheapest first. If it is `cut` they are those up to the
  // dearest kept, else all.
  struct Row {
    Edge* edges = nullptr;
    std::size_t n_sorted = 0;
    std::size_t n_kept = 0;
    std::size_t capacity = 0;  // while edges are collected, else 0
    bool cut = false;
  };

  // Behind every edge, and behind none: what a row's edges are compared with while none, and not, are
  // collected.
  static constexpr Edge kNone{std::numeric_limits<double>::infinity(), 0};
  static constexpr Edge kClosed{-std::numeric_limits<double>::infinity(), 0};

  static constexpr std::size_t kFewest = 2;  // places of a row

  std::size_t likely_degree(std::size_t r) const {
    if constexpr (requires { for_each_edge_.likely_degree(r); }) {
      return for_each_edge_.likely_degree(r);
    } else {
      return rows_.max_size();
    }
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  static bool cheaper(const Edge& a, const Edge& b) {
    return a.cost < b.cost || (a.cost == b.cost && a.col < b.col);
  }
  // What edges are told to while they are collected.
  class Visitor {
   public:
    explicit Visitor(CheapestEdges& edges) : edges_(edges) {}

    /// Whether any edges of a row are wanted now.
    bool wants(Index r) const { return edges_.rows_[at(r)].capacity > 0; }
    /// Whether an edge of that cost is, after all that were told before.
    bool wants(Index r, double cost) const { return cost < edges_.dearest_[at(r)].cost; }

    /// For edges whose columns come in order: of two as dear, the one with the lower column has come before.
    template <class ColOf>
    void operator()(Index r, double cost, const ColOf& col_of) const {
      if (wants(r, cost)) edges_.keep(r, {cost, col_of()});
    }
    /// For edges that come in any order.
    template <class ColOf>
    void in_any_order(Index r, double cost, const ColOf& col_of) const {
      const Edge& dearest = edges_.dearest_[at(r)];
      if (cost > dearest.cost) return;
      const Edge edge{cost, col_of()};
      if (cheaper(edge, dearest)) edges_.keep(r, edge);
    }

   private:
    CheapestEdges& edges_;
  };

  // For the rows that have been given a capacity.
  void collect() {
    std::size_t size = 0;
    for (const Row& row : rows_) size += row.capacity;
    Edge* free = memory_.emplace_back(size).span().data();
    for (Row& row : rows_) {
      if (row.capacity == 0) continue;
      row = {free, 0, 0, row.capacity, false};
      free += row.capacity;
    }
    for_each_edge_(Visitor(*this));
    std::ranges::fill(dearest_, kClosed);
    for (Row& row : rows_) row.capacity = 0;
  }

  // Whenever a row's places are full its dearer half is dropped, and what is dearer than the rest not let in
  // again.
  void keep(Index r, const Edge& edge) {
    if (edge.col == kUnmatched) return;
    Row& row = rows_[at(r)];
    row.edges[row.n_kept++] = edge;
    if (row.n_kept < row.capacity) return;
    row.n_kept /= 2;
    row.cut = true;
    std::nth_element(row.edges, row.edges + row.n_kept - 1, row.edges + row.capacity, cheaper);
    dearest_[at(r)] = row.edges[row.n_kept - 1];
  }

  bool collect_more(const Row& exhausted) {
    if (!exhausted.cut) return false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Row& row = rows_[r];
      if (!row.cut || 2 * row.n_sorted < row.n_kept) continue;
      row.capacity = 16 * row.n_kept;
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
    Edge* const first = row.edges + row.n_sorted;
    Edge* const last = row.edges + row.n_kept;
    row.n_sorted = row.n_kept - row.n_sorted > 2 * more ? row.n_sorted + more : row.n_kept;
    Edge* const middle = row.edges + row.n_sorted;
    if (middle != last) std::nth_element(first, middle, last, cheaper);
    std::sort(first, middle, cheaper);
    return true;
  }

  ForEachEdge for_each_edge_;
  std::vector<Row> rows_;
  std::vector<Edge> dearest_;
  std::vector<Buffer<Edge>> memory_;  // of each time that edges were collected
};

}  // namespace hankelmatch
