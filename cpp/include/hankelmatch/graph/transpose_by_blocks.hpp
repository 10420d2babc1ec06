// The transpose of a graph beyond the caches whose rows are in no order, by blocks of columns.
//
// The first pass of a radix sort, by the leading bits of the column, and one counting sort for each block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/locality.hpp>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// Writes the row of every edge to the part of `indices` for its block of columns, in order, and then each
/// block's rows to their columns, all of which fits in the second cache: half of the time of one counting
/// sort, whose every write goes to a distant place. Memory besides: two bytes an edge, and one block.
template <class Index>
class TransposeByBlocks {
 public:
  /// Whether it takes less time than a counting sort; twice as long where rows are in order.
  static bool is_faster(const CsrGraph<Index>& graph) {
    return graph.n_edges() >= kManyEdges && graph.n_cols >= kManyCols && !is_local(graph);
  }

  /// Fills `indices`, one place for every edge, and the first n_cols + 1 places of `indptr`.
  TransposeByBlocks(const CsrGraph<Index>& graph, std::span<Index> indptr, std::span<Index> indices,
                    Interrupt& interrupt)
      : graph_(graph),
        indptr_(indptr),
        indices_(indices),
        interrupt_(interrupt),
        shift_(std::clamp(n_bits(graph.n_cols), kBlockBits, kBlockBits + kMostLocalBits) - kBlockBits),
        cols_in_block_(at(graph.n_edges())) {}

  void run() {
    const std::vector<std::size_t> begins = sort_by_block();
    std::size_t n_most = 0;
    for (std::size_t b = 0; b + 1 < begins.size(); ++b) n_most = std::max(n_most, begins[b + 1] - begins[b]);
    rows_ = Buffer<Index>(n_most);
    places_.resize(std::size_t{1} << shift_);
    for (std::size_t b = 0; b + 1 < begins.size(); ++b) sort_block(b, begins[b], begins[b + 1]);
    indptr_[at(graph_.n_cols)] = graph_.n_edges();
  }

 private:
  // With fewer edges, or columns, a counting sort stays in the caches (benchmarks.matching, shuffled meshes
  // and tori of three dimensions: from 300,000 rows on .9 to 1.1 of the time, at 100,000 1.2).
  static constexpr Index kManyEdges = Index{1} << 21;
  static constexpr Index kManyCols = Index{1} << 16;
  // 128 to 256 blocks: with 32, those of 1,000,000 rows of 10 edges leave the second cache (hilo).
  static constexpr std::size_t kBlockBits = 8;
  static constexpr std::size_t kMostLocalBits = 16;

  static std::size_t n_bits(Index n) { return static_cast<std::size_t>(std::bit_width(at(n))); }
  std::size_t block_of(Index col) const { return at(col) >> shift_; }

  /// Returns where each block begins, and the end of the last one.
  std::vector<std::size_t> sort_by_block() {
    const std::span<const Index> cols = graph_.indices.first(at(graph_.n_edges()));
    std::vector<std::size_t> begins(block_of(graph_.n_cols - 1) + 2);
    for_each_stretch(cols.size(), interrupt_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++begins[block_of(cols[i]) + 1];
    });
    for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    std::size_t i = 0;
    for (Index row = 0; row < graph_.n_rows; ++row) {
      const std::size_t end = at(graph_.indptr[at(row) + 1]);
      interrupt_.poll(end - i + 1);
      for (; i < end; ++i) {
        const std::size_t place = next[block_of(cols[i])]++;
        indices_[place] = row;
        cols_in_block_[place] = static_cast<std::uint16_t>(at(cols[i]) - (block_of(cols[i]) << shift_));
      }
    }
    return begins;
  }

  void sort_block(std::size_t block, std::size_t begin, std::size_t end) {
    const std::span<const std::uint16_t> cols = cols_in_block_.span().subspan(begin, end - begin);
    const std::size_t first_col = block << shift_;
    const std::span<Index> begins =
        indptr_.subspan(first_col, std::min(places_.size(), at(graph_.n_cols) - first_col));
    std::ranges::fill(places_, Index{0});
    for (const std::uint16_t col : cols) ++places_[col];
    Index next = static_cast<Index>(begin);
    for (std::size_t col = 0; col < begins.size(); ++col) {
      begins[col] = next;
      next += places_[col];
      places_[col] = begins[col];
    }
    std::ranges::copy(indices_.subspan(begin, cols.size()), rows_.span().begin());
    for (std::size_t i = 0; i < cols.size(); ++i) indices_[at(places_[cols[i]]++)] = rows_[i];
    interrupt_.poll(2 * cols.size() + begins.size());
  }

  const CsrGraph<Index> graph_;
  const std::span<Index> indptr_;
  const std::span<Index> indices_;
  Interrupt& interrupt_;
  const std::size_t shift_;              // of a column's id, to its block
  Buffer<std::uint16_t> cols_in_block_;  // of the edges in the order of their blocks, less the first there
  Buffer<Index> rows_;                   // of the edges of a block
  std::vector<Index> places_;            // of the next edges of the columns of a block
};

}  // namespace hankelmatch::detail
