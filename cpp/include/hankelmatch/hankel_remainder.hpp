// What the two halves of a text's prefix-suffix graph (see hankel_matching.hpp) can only match together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/groups.hpp>
#include <hankelmatch/hopcroft_karp.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/renumbering.hpp>
#include <hankelmatch/vertex_cover.hpp>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// A part of a graph with a list of its edges, which no pair of the matching leaves: some rows and columns
/// with their mates.
template <class Id>
class Remainder {
 public:
  using Index = std::int64_t;  // it may have more edges than the graph has nodes

  Remainder(const Bitset& rows, const Bitset& cols) : rows_(rows), cols_(cols) {}

  void add_edge(Id row, Id col) {
    edge_rows_.push_back(static_cast<Index>(rows_.number(row)));
    edge_cols_.push_back(static_cast<Index>(cols_.number(col)));
  }
  std::size_t n_edges() const { return edge_rows_.size(); }

  /// Makes the matching maximum in this part.
  void match(Matching<Id>& matching, Interrupt& interrupt) {
    Groups<Index> by_row(edge_rows_, rows_.size());
    graph_ = {
        static_cast<Index>(rows_.size()), static_cast<Index>(cols_.size()), std::move(by_row.begin), {}};
    graph_.indices.reserve(n_edges());
    for (const Index edge : by_row.order) graph_.indices.push_back(edge_cols_[at(edge)]);
    found_ = hopcroft_karp(graph_.view(), part_of(matching), interrupt);
    write_to(matching, found_);
  }

  /// Adds to two sets a vertex cover of this part, as large as the matching in it was made.
  void cover(Bitset& rows, Bitset& cols, Interrupt& interrupt) const {
    const VertexCover<Index> cover = minimum_vertex_cover(graph_.view(), found_, interrupt);
    for (const Index row : cover.rows) rows.set(at(rows_.node(at(row))));
    for (const Index col : cover.cols) cols.set(at(cols_.node(at(col))));
  }

 private:
  Matching<Index> part_of(const Matching<Id>& matching) const {
    Matching<Index> part(static_cast<Index>(rows_.size()), static_cast<Index>(cols_.size()));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Id col = matching.row_mate[at(rows_.node(row))];
      if (col != kUnmatched) part.join(static_cast<Index>(row), static_cast<Index>(cols_.number(col)));
    }
    return part;
  }

  /// Only grows what is matched: a row or column that has a mate keeps one.
  void write_to(Matching<Id>& matching, const Matching<Index>& part) const {
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (part.row_mate[row] != kUnmatched)
        matching.rejoin(rows_.node(row), cols_.node(at(part.row_mate[row])));
  }

  Renumbering<Id> rows_;
  Renumbering<Id> cols_;
  std::vector<Index> edge_rows_;
  std::vector<Index> edge_cols_;
  OwnedCsrGraph<Index> graph_;
  Matching<Index> found_;
};

}  // namespace hankelmatch::detail
