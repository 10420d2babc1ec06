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

/// Finds free columns beside rows. A matched column never becomes free again, so a cursor for each row passes
/// over every edge once: O(edges) for any number of calls. Several searches of one matching share it.
template <class Index>
class LookAhead {
 public:
  LookAhead(const CsrGraph<Index>& graph, const Matching<Index>& matching)
      : graph_(graph),
        free_cols_(Bitset::where(at(graph.n_cols),
                                 [&](std::size_t col) { return matching.col_mate[col] == kUnmatched; })),
        cursor_(at(graph.n_rows)) {
    std::copy_n(graph.indptr.data(), cursor_.size(), cursor_.span().data());
  }

  /// The next free column of this row, which is taken from now on, or kUnmatched.
  Index take_free_col(Index row) {
    const Index col = graph_.find(row, cursor_[at(row)], [&](Index c) { return free_cols_.test(at(c)); });
    if (col != kUnmatched) free_cols_.reset(at(col));
    return col;
  }

  /// Where the row's next call begins.
  Index cursor(Index row) const { return cursor_[at(row)]; }

  void prefetch_cursor(Index row) const { prefetch(&cursor_[at(row)]); }
  void prefetch_edges(Index row) const { prefetch(graph_.indices.data() + cursor_[at(row)]); }

 private:
  const CsrGraph<Index> graph_;
  Bitset free_cols_;
  Buffer<Index> cursor_;
};

}  // namespace hankelmatch
