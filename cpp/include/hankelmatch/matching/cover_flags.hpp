// A minimum vertex cover as the searches for heavy matchings ask for it: is this node in it?
#pragma once

#include <algorithm>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <vector>

namespace hankelmatch {

/// One byte for each row or column: whether it is meant.
using Flags = std::vector<unsigned char>;

namespace detail {

/// Which nodes are in a vertex cover, one byte each.
struct CoverFlags {
  Flags rows;
  Flags cols;
};

/// The flags of a minimum cover. Where all rows or all columns are matched they are one, and no search is
/// needed.
template <class Index>
CoverFlags minimum_cover_flags(const CsrGraph<Index>& graph, const Matching<Index>& maximum,
                               const Interrupt& interrupt) {
  CoverFlags flags{Flags(at(graph.n_rows), 0), Flags(at(graph.n_cols), 0)};
  if (maximum.size == graph.n_rows) {
    std::ranges::fill(flags.rows, static_cast<unsigned char>(1));
  } else if (maximum.size == graph.n_cols) {
    std::ranges::fill(flags.cols, static_cast<unsigned char>(1));
  } else {
    const VertexCover<Index> cover = minimum_vertex_cover(graph, maximum, interrupt);
    for (const Index row : cover.rows) flags.rows[at(row)] = 1;
    for (const Index col : cover.cols) flags.cols[at(col)] = 1;
  }
  return flags;
}

}  // namespace detail

}  // namespace hankelmatch
