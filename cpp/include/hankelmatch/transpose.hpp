// The same graph seen from its columns.
#pragma once

#include <cstddef>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <vector>

namespace hankelmatch {

/// A CSR graph that owns its arrays.
template <class Index>
struct OwnedCsrGraph {
  Index n_rows = 0;
  Index n_cols = 0;
  std::vector<Index> indptr;
  std::vector<Index> indices;

  CsrGraph<Index> view() const { return {n_rows, n_cols, indptr, indices}; }
};

/// The transposed graph; within each of its rows the ids increase. Counting sort: O(nodes + edges), and a
/// write to a distant place for every edge, so it costs several plain passes over the edges.
template <class Index>
OwnedCsrGraph<Index> transpose(const CsrGraph<Index>& graph, Interrupt& interrupt) {
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  OwnedCsrGraph<Index> result{graph.n_cols, graph.n_rows, std::vector<Index>(at(graph.n_cols) + 2),
                              std::vector<Index>(at(graph.n_edges()))};
  // Counted two places on and summed, indptr[c + 1] is where row c begins; filling moves it to where row c
  // ends.
  std::vector<Index>& indptr = result.indptr;
  for (const Index col : graph.indices.first(at(graph.n_edges()))) ++indptr[at(col) + 2];
  for (std::size_t i = 2; i < indptr.size(); ++i) indptr[i] += indptr[i - 1];
  for (Index row = 0; row < graph.n_rows; ++row) {
    interrupt.poll(graph.row(row).size() + 1);
    for (const Index col : graph.row(row)) result.indices[at(indptr[at(col) + 1]++)] = row;
  }
  indptr.pop_back();
  return result;
}

}  // namespace hankelmatch
