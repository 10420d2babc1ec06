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

}  // namespace hankelmatch::reference
