// Whether rows that lie near one another in memory have columns that do.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>

namespace hankelmatch {

/// Whether rows that follow one another have columns near one another, as in matrices in a natural order;
/// judged by some of them. Everything is near in small graphs.
template <class Index>
bool is_local(const CsrGraph<Index>& graph) {
  constexpr Index kSample = 256;
  constexpr Index kLarge = 1 << 14;
  if (graph.n_rows < kLarge) return true;
  Index n_far = 0;
  for (Index i = 0; i < kSample; ++i) {
    const Index row = graph.n_rows / kSample * i;
    const auto here = graph.row(row);
    const auto next = graph.row(row + 1);
    if (here.empty() || next.empty()) continue;
    // Not the first columns: of rows in ascending order these are all small.
    const Index col = here[at(i) % here.size()];
    const Index next_col = next[7 * at(i) % next.size()];
    n_far += std::abs(col - next_col) > graph.n_cols / 16 ? 1 : 0;
  }
  return n_far < kSample / 4;
}

}  // namespace hankelmatch
