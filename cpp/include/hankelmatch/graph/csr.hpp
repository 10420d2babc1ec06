// A bipartite graph as the pattern of a sparse matrix in compressed row form.
#pragma once

#include <hankelmatch/base/index.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

/// A view: rows on the left, columns on the right, an edge for every stored entry. Nothing is copied or
/// owned.
///
/// `indptr` has n_rows + 1 entries, from 0, never falling, the last one at most `indices.size()`; `indices`
/// are in [0, n_cols), in any order within a row, repeats allowed. Index is std::int32_t or std::int64_t, the
/// same for both arrays. The view trusts its arrays: callers check them first (see `validate_csr`).
template <class Index>
struct CsrGraph {
  using index_type = Index;

  Index n_rows = 0;
  Index n_cols = 0;
  std::span<const Index> indptr;
  std::span<const Index> indices;

  std::span<const Index> row(Index r) const {
    const auto i = at(r);
    return indices.subspan(at(indptr[i]), at(indptr[i + 1] - indptr[i]));
  }
  /// The first position in a row's edges, for `find`.
  Index begin(Index r) const { return indptr[at(r)]; }

  /// The next column of a row for which wanted(column) is true, or -1 after the last one. `cursor` comes from
  /// `begin` and moves behind what was looked at. The searches see graphs through `begin` and `find` alone,
  /// so that they run on others too that tell their edges one by one (see HankelHalves).
  template <class Wanted>
  Index find(Index r, Index& cursor, const Wanted& wanted) const {
    const Index end = indptr[at(r) + 1];
    for (Index next = cursor; next < end;) {
      const Index col = indices[at(next++)];
      if (wanted(col)) return cursor = next, col;
    }
    cursor = end;
    return -1;
  }
  Index n_edges() const { return indptr.empty() ? Index{0} : indptr.back(); }
};

/// A graph that owns its arrays.
template <class Index>
struct OwnedCsrGraph {
  Index n_rows = 0;
  Index n_cols = 0;
  std::vector<Index> indptr;
  std::vector<Index> indices;

  CsrGraph<Index> view() const { return {n_rows, n_cols, indptr, indices}; }
};

}  // namespace hankelmatch
