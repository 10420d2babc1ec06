// The arrays of a CSR graph and of a matching, from numpy to the core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <limits>
#include <stdexcept>

#include "bindings.hpp"

namespace hankelmatch::bindings {

/// A view of arrays that have not been checked yet (see `validate_csr`).
template <class Index>
CsrGraph<Index> graph_view(std::int64_t n_rows, std::int64_t n_cols, const Array<Index>& indptr,
                           const Array<Index>& indices) {
  constexpr std::int64_t kLargest = std::numeric_limits<Index>::max();
  if (n_rows > kLargest || n_cols > kLargest)
    throw std::invalid_argument("shape: too large for the index type");
  return {static_cast<Index>(n_rows), static_cast<Index>(n_cols), view(indptr), view(indices)};
}

/// A copy of unchecked arrays (see `is_valid`).
template <class Index>
Matching<Index> to_matching(const Array<Index>& row_mate, const Array<Index>& col_mate) {
  Matching<Index> matching;
  matching.row_mate.assign(row_mate.data(), row_mate.data() + row_mate.size());
  matching.col_mate.assign(col_mate.data(), col_mate.data() + col_mate.size());
  matching.size =
      static_cast<Index>(std::ranges::count_if(matching.row_mate, [](Index c) { return c != kUnmatched; }));
  return matching;
}

}  // namespace hankelmatch::bindings
