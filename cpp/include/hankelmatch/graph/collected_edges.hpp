// A list of the edges that a function tells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// The edges that a function tells, in compressed row form: `for_each_edge(visit)` calls visit(row, cost,
/// column), twice the same. Throws length_error if they are too many for the index type.
template <class Index>
struct CollectedEdges {
  Index n_cols;
  std::vector<Index> indptr;
  std::vector<Index> indices;
  std::vector<double> weights;

  template <class ForEachEdge>
  CollectedEdges(Index n_rows, Index n_columns, const ForEachEdge& for_each_edge)
      : n_cols(n_columns), indptr(at(n_rows) + 1, 0) {
    std::vector<std::size_t> next(indptr.size(), 0);
    for_each_edge([&](Index row, double /*cost*/, Index /*col*/) { ++next[at(row) + 1]; });
    for (std::size_t r = 1; r < next.size(); ++r) next[r] += next[r - 1];
    if (std::cmp_greater(next.back(), std::numeric_limits<Index>::max()))
      throw std::length_error("graph: its edges are too many for the index type");
    std::ranges::transform(next, indptr.begin(), [](std::size_t i) { return static_cast<Index>(i); });
    indices.resize(next.back());
    weights.resize(next.back());
    for_each_edge([&](Index row, double cost, Index col) {
      const std::size_t i = next[at(row)]++;
      indices[i] = col;
      weights[i] = -cost;
    });
  }

  CsrGraph<Index> graph() const { return {static_cast<Index>(indptr.size() - 1), n_cols, indptr, indices}; }
};

}  // namespace hankelmatch
