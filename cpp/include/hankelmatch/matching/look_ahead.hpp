// The look-ahead of searches from rows.
//
// Duff, "On algorithms for obtaining a maximum transversal", ACM Trans. Math. Softw. 7 (1981).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>

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
/// row passes over every edge once: O(edges) for any number of calls. Several searches of one matching share
/// it, and change the matching by it alone.
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
        rows_(at(graph.n_cols)) {
    for (std::size_t col = 0; col < rows_.size(); ++col) {
      const Index mate = matching.col_mate[col];
      rows_[col] = mate != kUnmatched ? row(mate) : LookAheadRow<Index>{};  // may be fetched for nothing
    }
  }

  /// A row whose look-ahead begins.
  LookAheadRow<Index> row(Index id) const {
    return {id, graph_.indptr[at(id)], graph_.indptr[at(id)], graph_.indptr[at(id) + 1]};
  }

  /// The mate of a matched column.
  LookAheadRow<Index>& mate(Index col) { return rows_[at(col)]; }

  /// The next free column of this row, which is taken from now on, or kUnmatched.
  Index take_free_col(LookAheadRow<Index>& row) {
    // A branch for each column takes a tenth longer on random graphs of degree 15 and 20 and cliques; with
    // blocks of eight, half of that is left (benchmarks.matching).
    constexpr Index kBlock = 4;
    for (; row.end - row.cursor >= kBlock; row.cursor += kBlock)
      if (free_cols_.has_any(graph_.indices.subspan(at(row.cursor)).template first<kBlock>())) break;
    while (row.cursor < row.end) {
      const Index col = graph_.indices[at(row.cursor++)];
      if (!free_cols_.test(at(col))) continue;
      free_cols_.reset(at(col));
      return col;
    }
    return kUnmatched;
  }

  /// Whether a free column has an edge; if none has, no row has an augmenting path. A matched column never
  /// becomes free again, so all calls together pass over every edge once.
  bool has_free_col_with_edges() {
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
  const CsrGraph<Index> graph_;
  Matching<Index>& matching_;
  Bitset free_cols_;
  std::size_t n_taken_ = 0;           // so many edges, the first, have a column that is not free
  Buffer<LookAheadRow<Index>> rows_;  // of each matched column its mate
};

}  // namespace hankelmatch
