// Depth-first searches from one row after the other, for graphs on which most of them are short.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/greedy.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <vector>

namespace hankelmatch {

/// Foresees how much work all rows take from how many rows the last half of the work so far was for.
template <class Index>
class WorkForecast {
 public:
  /// `first_look`: the work after which it begins.
  WorkForecast(Index n_rows, std::uint64_t first_look) : n_left_(n_rows), next_look_(first_look) {}

  /// Whether all will take more than `most_work`, after so much work and with so many rows left.
  bool exceeds(std::uint64_t most_work, std::uint64_t work, Index n_left) {
    if (work <= next_look_) return false;
    const auto rows = static_cast<double>(n_left_ - n_left);
    const auto step = static_cast<double>(work - work_);
    n_left_ = n_left;
    work_ = work;
    next_look_ = 2 * work;
    return (static_cast<double>(most_work) - static_cast<double>(work)) * rows <
           static_cast<double>(n_left) * step;
  }

 private:
  Index n_left_;
  std::uint64_t next_look_;
  std::uint64_t work_ = 0;  // at the last look
};

/// Searches from the free rows of a range, one after the other. If rows `have_choice`, those that come next
/// and have a free column are matched first. Gives up, with false, after `most_work`, in edges, or once rows
/// that have a choice seem to take more in all: where searches get lost, each is as long as the graph is
/// large.
template <class Index>
bool search_row_by_row(const CsrGraph<Index>& graph, Matching<Index>& matching, RowRange<Index> rows,
                       bool have_choice, std::uint64_t most_work, Interrupt& interrupt) {
  // The work after which it first looks ahead: nested intervals with a twelfth fewer rows than columns are
  // given up then, crowded graphs and triangles, shuffled, with a seventh fewer, after two or four times
  // that.
  constexpr std::uint64_t kPartOfFirstLook = 8;
  const Index most_pairs = std::min(graph.n_rows, graph.n_cols);
  DepthFirstSearch search(graph, matching, interrupt);
  if (graph.n_rows > graph.n_cols) {  // most rows stay free: none should search before others have taken
    for (Index row = 0; row < graph.n_rows && matching.size < most_pairs; ++row)
      row = search.match_free_neighbours(row, graph.n_rows, 1);
  }
  WorkForecast<Index> forecast(graph.n_rows, most_work / kPartOfFirstLook);
  while (!rows.empty() && matching.size < most_pairs) {
    if (have_choice) rows.next = search.match_free_neighbours(rows.next, rows.end, rows.step);
    if (rows.empty()) break;
    const bool has_failed = !matching.has_row(rows.next) && !search.match_row(rows.next);
    rows.next += rows.step;
    if (search.work() > most_work) return false;
    if (have_choice && forecast.exceeds(most_work, search.work(), rows.size())) return false;
    if (has_failed) rows.next = search.next_with_a_way(rows.next, rows.end, rows.step);
  }
  return true;
}

/// Searches from these free rows, one after the other, for so much work or until no column is free; leaves
/// those that stay free.
template <class Index>
void search_from_each(const CsrGraph<Index>& graph, Matching<Index>& matching, std::vector<Index>& rows,
                      std::uint64_t most_work, Interrupt& interrupt) {
  DepthFirstSearch search(graph, matching, interrupt);
  for (auto row = rows.begin(); row != rows.end() && matching.size < graph.n_cols; ++row) {
    if (search.work() > most_work) break;
    search.match_row(*row);
  }
  std::erase_if(rows, [&](Index row) { return matching.has_row(row); });
}

}  // namespace hankelmatch
