// The cheapest edges of every row, of which no more are kept and sorted than are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
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
/// itself. Memory: 16 bytes for each edge kept.
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
    for (Row& row : rows_) allocate(row, n_kept);
    collect();
  }

  Index n_rows() const { return static_cast<Index>(rows_.size()); }

  /// Edge i of a row, counted from the cheapest; null after the last one. Good until the next call.
  const Edge* edge(Index r, std::size_t i) {
    Row& row = rows_[at(r)];
    while (i >= row.n_sorted) {
      if (!sort_more(row) && !collect_more(row)) return nullptr;
    }
    return &edges_[row.begin + i];
  }

  /// Calls visit(edge), cheapest first, until it returns false or the row ends.
  template <class Visit>
  void visit_row(Index r, const Visit& visit) {
    std::size_t i = 0;
    for (const Edge* e = edge(r, i); e != nullptr && visit(*e); e = edge(r, i)) ++i;
  }

 private:
  // Its edges are edges_[begin] .. edges_[begin + n_kept - 1], the first n_sorted of them cheapest first. If
  // it is `cut` they are those up to the dearest kept, else all.
  struct Row {
    std::size_t begin = 0;
    std::size_t n_sorted = 0;
    std::size_t n_kept = 0;
    std::size_t capacity = 0;  // while edges are collected, else 0
    bool cut = false;
  };

  // Behind every edge, and behind none: what a row's edges are compared with while none, and not, are
  // collected.
  static constexpr Edge kNone{std::numeric_limits<double>::infinity(), 0};
  static constexpr Edge kClosed{-std::numeric_limits<double>::infinity(), 0};

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  static bool cheaper(const Edge& a, const Edge& b) {
    return a.cost < b.cost || (a.cost == b.cost && a.col < b.col);
  }
  auto place(std::size_t i) { return edges_.begin() + static_cast<std::ptrdiff_t>(i); }

  void allocate(Row& row, std::size_t keep) {
    row = {edges_.size(), 0, 0, 2 * keep, false};
    edges_.resize(edges_.size() + row.capacity);
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

  void collect() {
    for_each_edge_(Visitor(*this));
    std::ranges::fill(dearest_, kClosed);
    for (Row& row : rows_) row.capacity = 0;
  }

  // Whenever a row's places are full its dearer half is dropped, and what is dearer than the rest not let in
  // again.
  void keep(Index r, const Edge& edge) {
    if (edge.col == kUnmatched) return;
    Row& row = rows_[at(r)];
    edges_[row.begin + row.n_kept++] = edge;
    if (row.n_kept < row.capacity) return;
    row.n_kept /= 2;
    row.cut = true;
    std::nth_element(place(row.begin), place(row.begin + row.n_kept - 1), place(row.begin + row.capacity),
                     cheaper);
    dearest_[at(r)] = edges_[row.begin + row.n_kept - 1];
  }

  bool collect_more(const Row& exhausted) {
    if (!exhausted.cut) return false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Row& row = rows_[r];
      if (!row.cut || 2 * row.n_sorted < row.n_kept) continue;
      allocate(row, 8 * row.n_kept);
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
    const auto first = place(row.begin + row.n_sorted);
    const auto last = place(row.begin + row.n_kept);
    row.n_sorted = row.n_kept - row.n_sorted > 2 * more ? row.n_sorted + more : row.n_kept;
    const auto middle = place(row.begin + row.n_sorted);
    if (middle != last) std::nth_element(first, middle, last, cheaper);
    std::sort(first, middle, cheaper);
    return true;
  }

  ForEachEdge for_each_edge_;
  std::vector<Row> rows_;
  std::vector<Edge> dearest_;
  std::vector<Edge> edges_;
};

}  // namespace hankelmatch
