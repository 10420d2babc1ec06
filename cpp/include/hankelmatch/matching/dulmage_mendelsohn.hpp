// The block triangular form of a sparse matrix.
//
// Dulmage, Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10 (1958). Pothen, Fan, "Computing
// the block triangular form of a sparse matrix", ACM Trans. Math. Softw. 16 (1990). Tarjan, "Depth-first
// search and linear graph algorithms", SIAM J. Comput. 1 (1972): strong components.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Orders of rows and columns that make the matrix block upper triangular, as MATLAB's dmperm does:
///
///                 C0   C1   C2   C3
///            R0 | A00  A01  A02  A03 |   C0: free columns
///            R1 |           A12  A13 |   R3: free rows
///            R2 |                A23 |   A01, A12, A23: square, every place of
///            R3 |                A33 |   their diagonals a matched edge
///
/// (A00 A01) has more columns than rows, (A23; A33) more rows than columns; both may be empty. The square A12
/// is itself block upper triangular with irreducible diagonal blocks. These parts and blocks do not depend on
/// the matching.
///
/// R_i is row_order[row_parts[i] .. row_parts[i + 1]), C_i likewise. The diagonal blocks of the fine
/// decomposition are the wide part, if there is one; the irreducible blocks of the square part; the tall
/// part, if there is one. Block k has rows row_order[row_blocks[k] .. row_blocks[k + 1]) and columns
/// col_order[col_blocks[k] .. col_blocks[k + 1]).
template <class Index>
struct DulmageMendelsohn {
  std::vector<Index> row_order;
  std::vector<Index> col_order;
  std::array<Index, 5> row_parts{};
  std::array<Index, 5> col_parts{};
  std::vector<Index> row_blocks;
  std::vector<Index> col_blocks;
};

/// The strong components of the graph on `rows` in which each row points to the mates of its columns. O(nodes
/// + edges).
template <class Index>
class StrongComponents {
 public:
  StrongComponents(const CsrGraph<Index>& graph, const Matching<Index>& matching, const Bitset& rows,
                   Interrupt& interrupt)
      : graph_(graph),
        matching_(matching),
        rows_(rows),
        interrupt_(interrupt),
        visit_(at(graph.n_rows), kNotYet),
        lowest_(at(graph.n_rows)),
        is_open_(at(graph.n_rows)) {}

  /// The components one after the other, none pointing to a later one; `ends` gets the end of each.
  std::vector<Index> run(std::vector<Index>& ends) {
    rows_.for_each([&](std::size_t row) {
      if (visit_[row] == kNotYet) search(static_cast<Index>(row), ends);
    });
    return std::move(sorted_);
  }

 private:
  struct Frame {
    Index row;
    Index next;
  };
  static constexpr Index kNotYet = -1;
  void search(Index root, std::vector<Index>& ends) {
    enter(root);
    while (!path_.empty()) {
      Frame& top = path_.back();
      if (top.next == graph_.indptr[at(top.row) + 1]) {
        leave(ends);
        continue;
      }
      const Index target = matching_.col_mate[at(graph_.indices[at(top.next++)])];
      if (target == kUnmatched || !rows_.test(at(target))) continue;
      if (visit_[at(target)] == kNotYet) {
        enter(target);
      } else if (is_open_.test(at(target))) {
        lowest_[at(top.row)] = std::min(lowest_[at(top.row)], visit_[at(target)]);
      }
    }
  }

  void enter(Index row) {
    interrupt_.poll(graph_.row(row).size() + 1);
    visit_[at(row)] = lowest_[at(row)] = n_visits_++;
    is_open_.set(at(row));
    open_.push_back(row);
    path_.push_back({row, graph_.indptr[at(row)]});
  }

  // The row from which its component was entered closes it: it reaches nothing that was entered before.
  void leave(std::vector<Index>& ends) {
    const Index row = path_.back().row;
    path_.pop_back();
    if (!path_.empty()) {
      Index& parent_lowest = lowest_[at(path_.back().row)];
      parent_lowest = std::min(parent_lowest, lowest_[at(row)]);
    }
    if (lowest_[at(row)] != visit_[at(row)]) return;
    Index member = kNotYet;
    while (member != row) {
      member = open_.back();
      open_.pop_back();
      is_open_.reset(at(member));
      sorted_.push_back(member);
    }
    ends.push_back(static_cast<Index>(sorted_.size()));
  }

  const CsrGraph<Index> graph_;
  const Matching<Index>& matching_;
  const Bitset& rows_;
  Interrupt& interrupt_;
  std::vector<Index> visit_;   // the order of visits
  std::vector<Index> lowest_;  // the earliest visit to which the row is known to lead back
  Bitset is_open_;             // visited, component not complete
  std::vector<Index> open_;
  std::vector<Frame> path_;
  std::vector<Index> sorted_;
  Index n_visits_ = 0;
};

namespace detail {

/// The rows by part, ascending; those of the square part as a set.
template <class Index>
struct RowParts {
  std::vector<Index> wide;
  Bitset square;
  std::vector<Index> tall;
  std::vector<Index> free;
};

template <class Index>
RowParts<Index> row_parts(const CsrGraph<Index>& graph, const Matching<Index>& matching,
                          Interrupt& interrupt) {
  const AlternatingReach from_free_rows = alternating_reach(graph, matching, interrupt);
  const CsrMatrix<Index> columns = transpose(graph, interrupt);
  const AlternatingReach from_free_cols = alternating_reach(columns.view(), transposed(matching), interrupt);
  if (from_free_rows.free_col) throw std::invalid_argument("matching: it must be maximum");

  RowParts<Index> parts;
  parts.square = Bitset(at(graph.n_rows));
  for (Index row = 0; row < graph.n_rows; ++row) {
    const auto i = at(row);
    if (!matching.has_row(row)) {
      parts.free.push_back(row);
    } else if (from_free_rows.rows.test(i)) {
      parts.tall.push_back(row);
    } else if (from_free_cols.cols.test(i)) {
      parts.wide.push_back(row);
    } else {
      parts.square.set(i);
    }
  }
  return parts;
}

}  // namespace detail

/// The decomposition by a valid maximum matching. Throws invalid_argument if the matching is not
/// maximum. O(nodes + edges).
template <class Index>
[[nodiscard]] DulmageMendelsohn<Index> dulmage_mendelsohn(const CsrGraph<Index>& graph,
                                                          const Matching<Index>& matching,
                                                          Interrupt& interrupt = no_interrupt()) {
  const detail::RowParts<Index> parts = detail::row_parts(graph, matching, interrupt);
  std::vector<Index> component_ends;
  std::vector<Index> square =
      StrongComponents<Index>(graph, matching, parts.square, interrupt).run(component_ends);
  std::ranges::reverse(square);  // now no block points to an earlier one

  DulmageMendelsohn<Index> result;
  auto& [row_order, col_order, row_ends, col_ends, row_blocks, col_blocks] = result;
  for (Index col = 0; col < graph.n_cols; ++col) {
    if (!matching.has_col(col)) col_order.push_back(col);
  }
  const auto n_free_cols = static_cast<Index>(col_order.size());
  for (const auto* rows : {&parts.wide, &std::as_const(square), &parts.tall}) {
    row_order.insert(row_order.end(), rows->begin(), rows->end());
    for (const Index row : *rows) col_order.push_back(matching.row_mate[at(row)]);
  }
  row_order.insert(row_order.end(), parts.free.begin(), parts.free.end());

  const auto n_wide = static_cast<Index>(parts.wide.size());
  const auto n_wide_square = n_wide + static_cast<Index>(square.size());
  const auto n_matched = n_wide_square + static_cast<Index>(parts.tall.size());
  row_ends = {0, n_wide, n_wide_square, n_matched, graph.n_rows};
  col_ends = {0, n_free_cols, n_free_cols + n_wide, n_free_cols + n_wide_square, graph.n_cols};

  const auto end_block = [&](Index n_pairs) {
    result.row_blocks.push_back(n_pairs);
    result.col_blocks.push_back(n_free_cols + n_pairs);
  };
  row_blocks.push_back(0);
  col_blocks.push_back(0);
  if (n_free_cols > 0) end_block(n_wide);
  for (std::size_t k = component_ends.size(); k-- > 0;) {
    end_block(n_wide_square - (k == 0 ? 0 : component_ends[k - 1]));
  }
  if (!parts.free.empty()) {
    row_blocks.push_back(graph.n_rows);
    col_blocks.push_back(graph.n_cols);
  }
  return result;
}

}  // namespace hankelmatch
