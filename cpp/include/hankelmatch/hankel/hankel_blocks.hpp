// The Hankel matrices of a basis: H, and H_a for every symbol a, in one pass over the support.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/radix_sort.hpp>
#include <hankelmatch/graph/prefix_suffix_graph.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

/// The blocks of f over a basis (P, S), with rows and columns in the order of the basis.
///
/// Most symbols follow few prefixes, so H_a is stored by its nonzero rows only: the rows of all H_a, by a and
/// then by row, are the rows of one matrix, `transitions`. For symbol_begin[a] <= k < symbol_begin[a + 1],
/// row k of `transitions` is row transition_rows[k] of H_a.
template <class Index>
struct HankelBlocks {
  CsrMatrix<Index> h;                      ///< H(p, s) = f(ps)
  std::vector<double> h_prefix;            ///< f(p)
  std::vector<double> h_suffix;            ///< f(s)
  std::vector<std::int64_t> symbol_begin;  ///< n_symbols + 1
  std::vector<Index> transition_rows;
  CsrMatrix<Index> transitions;  ///< H_a(p, s) = f(p a s)
};

namespace detail {

template <class Index>
struct Entry {
  std::uint64_t row;  // row of H, or symbol * n_rows + row of H_a
  Index col;
  double value;
};

/// Sorts entries by row and, within a row, by column: first by column, since the sort is stable.
template <class Index>
void sort_entries(std::vector<Entry<Index>>& entries, std::uint64_t n_rows, std::uint64_t n_cols,
                  Interrupt& interrupt) {
  Buffer<Entry<Index>> buffer(entries.size());
  const auto bits = [](std::uint64_t n) { return static_cast<int>(std::bit_width(n)); };
  std::span<Entry<Index>> own(entries);
  auto sorted = radix_sort(
      own, buffer.span(), bits(n_cols),
      [](const Entry<Index>& e) { return static_cast<std::uint64_t>(e.col); }, interrupt);
  auto other = sorted.data() == own.data() ? buffer.span() : own;
  sorted = radix_sort(sorted, other, bits(n_rows), [](const Entry<Index>& e) { return e.row; }, interrupt);
  if (sorted.data() == own.data()) return;
  for_each_stretch(sorted.size(), interrupt, [&](std::size_t begin, std::size_t end) {
    std::ranges::copy(sorted.subspan(begin, end - begin), own.subspan(begin).begin());
  });
}

/// Lengthens an array of starting places to `size`: all further rows start at `count`.
template <class T>
void start_all(std::vector<T>& starts, std::size_t size, std::size_t count) {
  starts.resize(size, static_cast<T>(count));
}

/// Appends sorted entries to a matrix. Calls begin_row(row) before the first entry of each row.
template <class Index, class BeginRow>
void append_entries(CsrMatrix<Index>& matrix, const std::vector<Entry<Index>>& entries, Interrupt& interrupt,
                    const BeginRow& begin_row) {
  for (std::size_t k = 0; k < entries.size(); ++k) {
    interrupt.poll();
    if (k == 0 || entries[k].row != entries[k - 1].row) begin_row(entries[k].row);
    matrix.indices.push_back(entries[k].col);
    matrix.data.push_back(entries[k].value);
  }
}

template <class Index>
void fill_h(HankelBlocks<Index>& out, const std::vector<Entry<Index>>& sorted, std::size_t n_rows,
            Interrupt& interrupt) {
  out.h.indptr.assign(1, 0);
  append_entries(out.h, sorted, interrupt,
                 [&](std::uint64_t row) { start_all(out.h.indptr, row + 1, out.h.indices.size()); });
  start_all(out.h.indptr, n_rows + 1, out.h.indices.size());
}

template <class Index>
void fill_transitions(HankelBlocks<Index>& out, const std::vector<Entry<Index>>& sorted, std::size_t n_rows,
                      std::size_t n_symbols, Interrupt& interrupt) {
  auto& rows = out.transition_rows;
  auto& matrix = out.transitions;
  out.symbol_begin.assign(1, 0);
  append_entries(matrix, sorted, interrupt, [&](std::uint64_t row) {
    start_all(out.symbol_begin, row / n_rows + 1, rows.size());
    rows.push_back(static_cast<Index>(row % n_rows));
    matrix.indptr.push_back(static_cast<Index>(matrix.indices.size()));
  });
  start_all(out.symbol_begin, n_symbols + 1, rows.size());
  matrix.indptr.push_back(static_cast<Index>(matrix.indices.size()));
}

}  // namespace detail

/// The basis by the ids of the graph: the row of each prefix id and the column of each suffix id, or -1.
template <class Index>
struct BasisPlaces {
  std::span<const Index> row_of;
  std::span<const Index> col_of;
  std::size_t n_rows;
  std::size_t n_cols;
};

/// The blocks, from the values of f on the graph's support strings, in their order. Every cut x = ps of a
/// support string x gives an entry of H, every cut x = p a s an entry of H_a. Index must hold
/// count_edges(graph). Cost: O(edges of the graph), and to sort the entries found.
template <class Index, class Id>
[[nodiscard]] HankelBlocks<Index> hankel_blocks(const PrefixSuffixGraph<Id>& graph,
                                                std::span<const double> values,
                                                const BasisPlaces<Index>& basis, std::size_t n_symbols,
                                                Interrupt& interrupt) {
  HankelBlocks<Index> out;
  out.h_prefix.assign(basis.n_rows, 0.0);
  out.h_suffix.assign(basis.n_cols, 0.0);
  std::vector<detail::Entry<Index>> h;
  std::vector<detail::Entry<Index>> transitions;
  const auto row_of = [&](Id prefix) { return basis.row_of[at(prefix)]; };

  for_each_string(graph, interrupt, [&](const StringCuts<Id>& cuts) {
    const double value = values[cuts.index];
    const auto col = [&](std::size_t i) { return basis.col_of[at(cuts.suffixes[i])]; };
    if (const Index row = row_of(cuts.node); row >= 0) out.h_prefix[at(row)] = value;
    if (col(0) >= 0) out.h_suffix[at(col(0))] = value;
    std::int32_t next_symbol = -1;  // the symbol after the prefix; none after the whole string
    for_each_cut(graph, cuts, [&](Id prefix, std::size_t i) {
      if (const Index row = row_of(prefix); row >= 0) {
        const auto r = static_cast<std::uint64_t>(row);
        if (col(i) >= 0) h.push_back({r, col(i), value});
        if (next_symbol >= 0 && col(i + 1) >= 0)
          transitions.push_back(
              {static_cast<std::uint64_t>(next_symbol) * basis.n_rows + r, col(i + 1), value});
      }
      next_symbol = graph.prefixes->symbol[at(prefix)];
    });
  });

  detail::sort_entries(h, basis.n_rows, basis.n_cols, interrupt);
  detail::fill_h(out, h, basis.n_rows, interrupt);
  detail::sort_entries(transitions, n_symbols * basis.n_rows, basis.n_cols, interrupt);
  detail::fill_transitions(out, transitions, basis.n_rows, n_symbols, interrupt);
  return out;
}

}  // namespace hankelmatch
