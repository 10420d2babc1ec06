// The look-ahead of searches from rows.
//
// Duff, "On algorithms for obtaining a maximum transversal", ACM Trans. Math. Softw. 7 (1981).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

/// A row, the places of its edges, and where its look-ahead goes on.
template <class Index>
struct LookAheadRow {
  Index row = 0;
  Index begin = 0;
  Index cursor = 0;
  Index end = 0;
};

/// Finds free columns beside rows. A matched column never becomes free again, so a cursor for each matched
/// row passes over every edge once, or once more from look_farther on: O(edges) for any number of calls.
/// Several searches of one matching share it, and change the matching by it alone.
///
/// Searches reach a row by its column, so what they need of a matched row lies at its column, in one piece:
/// one wait for memory in place of two, one after the other, for the column's mate and for the mate's edges.
template <class Index>
class LookAhead {
 public:
  LookAhead(const CsrGraph<Index>& graph, Matching<Index>& matching)
      : graph_(graph),
        matching_(matching),
        free_cols_(Bitset::where(at(graph.n_cols),
                                 [&](std::size_t col) { return matching.col_mate[col] == kUnmatched; })),
        goals_(free_cols_),
        n_free_(free_cols_.count()),
        rows_(at(graph.n_cols)) {
    for (std::size_t col = 0; col < rows_.size(); ++col) {
      const Index mate = matching.col_mate[col];
      rows_[col] = mate != kUnmatched ? row(mate) : LookAheadRow<Index>{};  // may be fetched for nothing
    }
  }

  /// These columns do not count as free from now on.
  void leave_out(const Bitset& cols) {
    free_cols_.remove(cols);
    goals_.remove(cols);
    n_free_ = free_cols_.count();
  }

  /// A row whose look-ahead begins.
  LookAheadRow<Index> row(Index id) const {
    return {id, graph_.indptr[at(id)], graph_.indptr[at(id)], graph_.indptr[at(id) + 1]};
  }

  /// The mate of a matched column.
  LookAheadRow<Index>& mate(Index col) { return rows_[at(col)]; }

  /// The next free column of this row, which is taken from now on, or kUnmatched.
  Index take_free_col(LookAheadRow<Index>& row) {
    for (;;) {
      const Index col = next_goal(row);
      if (col == kUnmatched || take(col) || takes_mate_elsewhere(col)) return col;
    }
  }

  /// From now on a column counts as free, too, if its mate can take a free one, which it does once the column
  /// is taken: where few columns are free and rows have many edges, searches end much sooner. One pass over
  /// the edges, in order. Only for searches that look ahead at all edges of a row before they go on from it:
  /// then no row of a path that they flip is the mate of the column at which it ends.
  void look_farther(Interrupt& interrupt) {
    near_.clear();
    Bitset free_cols(free_cols_.size());
    std::size_t row = 0;
    for_each_free_edge(interrupt, [&](std::size_t edge) {
      row = row_of(edge, row);
      const Index col = graph_.indices[edge];
      free_cols.set(at(col));
      if (matching_.row_mate[row] != kUnmatched)
        near_.push_back({matching_.row_mate[row], static_cast<Index>(row), col});
    });
    free_cols_ = std::move(free_cols);  // without those that have no edge
    n_free_ = free_cols_.count();
    goals_ = free_cols_;
    std::ranges::sort(near_, {}, &NearCol::col);
    for (const NearCol& near : near_) goals_.set(at(near.col));
    for (LookAheadRow<Index>& mate : rows_.span()) mate.cursor = mate.begin;
  }

  /// The number of columns that are free; from look_farther on, of those that have edges.
  std::size_t n_free() const { return n_free_; }
  /// Whether no row has an augmenting path any more for lack of free columns.
  bool is_exhausted() const { return n_free_ == 0; }

  /// Whether a free column has an edge. A matched column never becomes free again, so all calls together pass
  /// over every edge once.
  bool has_free_col_with_edges() {
    if (is_exhausted()) return false;
    constexpr std::size_t kBlock = 8;  // as in pass_by_taken
    const auto cols = graph_.indices.first(at(graph_.n_edges()));
    for (; cols.size() - n_taken_ >= kBlock; n_taken_ += kBlock)
      if (free_cols_.has_any(cols.subspan(n_taken_).template first<kBlock>())) return true;
    return std::ranges::any_of(cols.subspan(n_taken_), [&](Index col) { return free_cols_.test(at(col)); });
  }

  /// Gives a row a column; the one that it had, and the row that had this, are for the caller to mind.
  void rejoin(const LookAheadRow<Index>& row, Index col) {
    rows_[at(col)] = row;
    matching_.rejoin(row.row, col);
  }

  void prefetch_mate(Index col) const { prefetch(&rows_[at(col)]); }
  /// The edges that the look-ahead of a column's mate will see first; its place should have arrived.
  void prefetch_edges_of_mate(Index col) const {
    constexpr Index kCacheLine = 64 / sizeof(Index);
    const LookAheadRow<Index>& row = rows_[at(col)];
    const Index* const edges = graph_.indices.data() + row.cursor;
    prefetch(edges);
    if (row.end - row.cursor > kCacheLine) prefetch(edges + kCacheLine);
  }

 private:
  struct NearCol {
    Index col;
    Index row;       // its mate, when this was noted
    Index free_col;  // which that can take, if it is free still
  };

  Index next_goal(LookAheadRow<Index>& row) const {
    // A branch for each column takes a tenth longer on random graphs of degree 15 and 20 and cliques; with
    // blocks of eight, half of that is left (benchmarks.matching).
    constexpr Index kBlock = 4;
    for (; row.end - row.cursor >= kBlock; row.cursor += kBlock)
      if (goals_.has_any(graph_.indices.subspan(at(row.cursor)).template first<kBlock>())) break;
    while (row.cursor < row.end) {
      const Index col = graph_.indices[at(row.cursor++)];
      if (goals_.test(at(col))) return col;
    }
    return kUnmatched;
  }

  /// Takes a column, if it is free; whether it was.
  bool take(Index col) {
    goals_.reset(at(col));
    if (!free_cols_.test(at(col))) return false;
    free_cols_.reset(at(col));
    --n_free_;
    return true;
  }

  /// Gives the mate of a column a free one; whether it can.
  bool takes_mate_elsewhere(Index col) {
    auto near = std::ranges::lower_bound(near_, col, {}, &NearCol::col);
    for (; near != near_.end() && near->col == col; ++near) {
      if (matching_.col_mate[at(col)] != near->row || !take(near->free_col)) continue;
      rejoin(mate(col), near->free_col);
      return true;
    }
    return false;
  }

  /// Calls visit(place) for all edges of free columns, in order.
  template <class Visit>
  void for_each_free_edge(Interrupt& interrupt, const Visit& visit) const {
    constexpr std::size_t kBlock = 8;  // as in pass_by_taken
    const Index* const cols = graph_.indices.data();
    const auto visit_if_free = [&](std::size_t i) {
      if (free_cols_.test(at(cols[i]))) visit(i);
    };
    for_each_stretch(at(graph_.n_edges()), interrupt, [&](std::size_t begin, std::size_t end) {
      for (; end - begin >= kBlock; begin += kBlock) {
        if (!free_cols_.has_any(std::span<const Index, kBlock>(cols + begin, kBlock))) continue;
        for (std::size_t i = begin; i < begin + kBlock; ++i) visit_if_free(i);
      }
      for (; begin < end; ++begin) visit_if_free(begin);
    });
  }

  /// The row of the edge at this place, from this row on.
  std::size_t row_of(std::size_t edge, std::size_t first) const {
    const auto ends = graph_.indptr.subspan(first + 1);
    return first + at(std::ranges::upper_bound(ends, static_cast<Index>(edge)) - ends.begin());
  }

  const CsrGraph<Index> graph_;
  Matching<Index>& matching_;
  Bitset free_cols_;
  Bitset goals_;               // these and those that count as free
  std::vector<NearCol> near_;  // the latter, in ascending order
  std::size_t n_free_;
  std::size_t n_taken_ = 0;           // so many edges, the first, have a column that is not free
  Buffer<LookAheadRow<Index>> rows_;  // of each matched column its mate
};

}  // namespace hankelmatch
