// A bipartite graph with a weight for every edge.
#pragma once

#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <span>

namespace hankelmatch {

/// A graph in compressed row form with a weight for every entry of `indices`. Where an edge is repeated the
/// heaviest counts. Weights must be finite.
template <class Index>
struct WeightedCsrGraph {
  CsrGraph<Index> graph;
  std::span<const double> weights;

  std::size_t n_edges() const { return at(graph.n_edges()); }

  /// Calls visit(row, col, weight) for the edges of all rows for which wanted(row).
  template <class Wanted, class Visit>
  void for_each_edge(const Wanted& wanted, const Visit& visit) const {
    for (Index row = 0; row < graph.n_rows; ++row) {
      if (!wanted(row)) continue;
      const auto begin = at(graph.indptr[at(row)]);
      const auto end = at(graph.indptr[at(row) + 1]);
      for (std::size_t i = begin; i < end; ++i) visit(row, graph.indices[i], weights[i]);
    }
  }
};

}  // namespace hankelmatch
