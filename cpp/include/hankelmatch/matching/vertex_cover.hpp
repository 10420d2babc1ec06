// The certificate of a maximum matching: a vertex cover of the same size.
//
// Konig, "Grafok es matrixok", Matematikai es Fizikai Lapok 38 (1931). Every edge of a matching needs a node
// of its own in any vertex cover, so a cover as large as a matching proves both optimal.
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Rows and columns that cover every edge; both ascend.
template <class Index>
struct VertexCover {
  std::vector<Index> rows;
  std::vector<Index> cols;
  std::size_t size() const { return rows.size() + cols.size(); }
};

/// The nodes that alternating paths from the free rows reach: along any edge to a column, from a column to
/// its mate only.
struct AlternatingReach {
  Bitset rows;
  Bitset cols;
  bool free_col = false;  // an augmenting path exists; the search stopped there
};

/// Breadth-first in O(nodes + edges).
template <class Index>
AlternatingReach alternating_reach(const CsrGraph<Index>& graph, const Matching<Index>& matching,
                                   Interrupt& interrupt = no_interrupt()) {
  AlternatingReach reach{Bitset(at(graph.n_rows)), Bitset(at(graph.n_cols))};
  std::vector<Index> queue;
  const auto visit = [&](Index row) {
    reach.rows.set(at(row));
    queue.push_back(row);
  };
  for (Index row = 0; row < graph.n_rows; ++row) {
    if (!matching.has_row(row)) visit(row);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto neighbours = graph.row(queue[i]);
    interrupt.poll(neighbours.size() + 1);
    for (const Index col : neighbours) {
      if (reach.cols.test(at(col))) continue;
      reach.cols.set(at(col));
      if (!matching.has_col(col)) {
        reach.free_col = true;
        return reach;
      }
      visit(matching.col_mate[at(col)]);
    }
  }
  return reach;
}

/// Whether a valid matching is maximum: no augmenting path starts in a free row (Berge 1957). O(nodes +
/// edges).
template <class Index>
[[nodiscard]] bool is_maximum(const CsrGraph<Index>& graph, const Matching<Index>& matching,
                              Interrupt& interrupt = no_interrupt()) {
  return !alternating_reach(graph, matching, interrupt).free_col;
}

/// The cover of a valid maximum matching: the rows that no alternating path from a free row reaches, and the
/// columns that such a path reaches. It has the size of the matching. Throws invalid_argument if the matching
/// is not maximum. O(nodes + edges).
template <class Index>
[[nodiscard]] VertexCover<Index> minimum_vertex_cover(const CsrGraph<Index>& graph,
                                                      const Matching<Index>& matching,
                                                      Interrupt& interrupt = no_interrupt()) {
  const AlternatingReach reach = alternating_reach(graph, matching, interrupt);
  if (reach.free_col)
    throw std::invalid_argument("matching: it is not maximum, so it has no vertex cover of its size");
  VertexCover<Index> cover;
  for (Index row = 0; row < graph.n_rows; ++row) {
    if (!reach.rows.test(at(row))) cover.rows.push_back(row);
  }
  reach.cols.for_each([&](std::size_t col) { cover.cols.push_back(static_cast<Index>(col)); });
  return cover;
}

/// Whether every edge has an end in the cover. O(nodes + edges).
template <class Index>
[[nodiscard]] bool is_vertex_cover(const CsrGraph<Index>& graph, const VertexCover<Index>& cover) {
  Bitset rows(at(graph.n_rows));
  Bitset cols(at(graph.n_cols));
  for (const Index row : cover.rows) rows.set(at(row));
  for (const Index col : cover.cols) cols.set(at(col));
  for (Index row = 0; row < graph.n_rows; ++row) {
    if (rows.test(at(row))) continue;
    for (const Index col : graph.row(row)) {
      if (!cols.test(at(col))) return false;
    }
  }
  return true;
}

/// One byte for each row or column: 1 for the nodes of a set.
using Flags = std::vector<unsigned char>;

namespace detail {

/// Which nodes are in a vertex cover, one byte each.
struct CoverFlags {
  Flags rows;
  Flags cols;
};

/// The flags of a minimum cover. If all rows or all columns are matched, they are the cover, without a
/// search.
template <class Index>
CoverFlags minimum_cover_flags(const CsrGraph<Index>& graph, const Matching<Index>& maximum,
                               Interrupt& interrupt) {
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
