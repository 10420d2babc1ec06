// Random graphs with weights, to compare the matchers by weight on.
#pragma once

#include <cmath>
#include <cstddef>
#include <hankelmatch/graph/csr.hpp>
#include <random>
#include <vector>

#include "reference_matching.hpp"

namespace hankelmatch::reference {

template <class Index>
struct Weighted {
  Graph<Index> graph;
  std::vector<double> weights;

  WeightedCsrGraph<Index> view() const { return {graph.view(), weights}; }
};

/// Repeated edges, empty rows, ties, zeros and negative weights.
template <class Index>
Weighted<Index> random_weighted(std::mt19937& rng, Index n_rows, Index n_cols, Index n_edges, bool integer) {
  Weighted<Index> result{random_graph<Index>(rng, n_rows, n_cols, n_edges), {}};
  std::uniform_real_distribution<double> real(-2, 2);
  for (std::size_t i = 0; i < result.graph.indices.size(); ++i)
    result.weights.push_back(integer ? std::round(real(rng)) : real(rng));
  return result;
}

/// A graph with a matching of all n rows, the diagonal, and further edges; weight(row, col) of each.
template <class Index, class Weight>
Weighted<Index> with_full_matching(std::mt19937& rng, Index n, Index n_cols, Index degree,
                                   const Weight& weight) {
  std::vector<std::vector<Index>> rows(at(n));
  std::uniform_int_distribution<Index> any(0, n_cols - 1);
  for (Index row = 0; row < n; ++row) {
    rows[at(row)].push_back(row);
    for (Index i = 1; i < degree; ++i) rows[at(row)].push_back(any(rng));
  }
  Weighted<Index> result{{n, n_cols, {0}, {}, {}}, {}};
  for (Index row = 0; row < n; ++row) {
    for (const Index col : rows[at(row)]) {
      result.graph.indices.push_back(col);
      result.weights.push_back(weight(row, col));
    }
    result.graph.indptr.push_back(static_cast<Index>(result.graph.indices.size()));
  }
  return result;
}

template <class Index, class Weight>
Weighted<Index> with_perfect_matching(std::mt19937& rng, Index n, Index degree, const Weight& weight) {
  return with_full_matching(rng, n, n, degree, weight);
}

}  // namespace hankelmatch::reference
