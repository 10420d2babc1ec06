// Small graphs with small integers for weights, among them equal and negative ones.
#pragma once

#include <hankelmatch/graph/csr.hpp>
#include <random>

namespace hankelmatch {

template <class Index>
CsrMatrix<Index> random_graph(std::mt19937& random, Index n_rows, Index n_cols) {
  std::uniform_int_distribution<int> weight(-3, 5);
  CsrMatrix<Index> graph{n_rows, n_cols, {0}, {}, {}};
  for (Index row = 0; row < n_rows; ++row) {
    for (Index col = 0; col < n_cols; ++col) {
      if (random() % 3 == 0) continue;
      graph.indices.push_back(col);
      graph.data.push_back(weight(random));
    }
    graph.indptr.push_back(static_cast<Index>(graph.indices.size()));
  }
  return graph;
}

}  // namespace hankelmatch
