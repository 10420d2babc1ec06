// The choice of method: cheap search first, then what leaves few rows free, and what cannot go wrong last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/karp_sipser.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/pothen_fan.hpp>
#include <hankelmatch/matching/push_relabel.hpp>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// Whether the later half of the rows has clearly fewer edges, as on Hankel graphs. Rows with few edges had
/// better be matched first, while others still have a choice.
template <class Index>
bool later_rows_are_sparser(const CsrGraph<Index>& graph) {
  constexpr Index kFewRows = 64;
  if (graph.n_rows < kFewRows) return false;
  return graph.n_edges() / 3 * 2 < graph.indptr[at(graph.n_rows / 2)];
}

/// Whether a few rows, of four times the mean degree or more, have most of the edges, as in power laws and
/// Hankel graphs.
template <class Index>
bool is_skewed(const CsrGraph<Index>& graph) {
  if (graph.n_rows == 0) return false;
  const auto many = std::max<std::int64_t>(graph.n_edges() / graph.n_rows, 1) * 4;
  Index n_edges = 0;
  for (Index row = 0; row < graph.n_rows; ++row) {
    const Index degree = graph.indptr[at(row) + 1] - graph.indptr[at(row)];
    n_edges += degree >= many ? degree : 0;
  }
  return n_edges > graph.n_edges() / 2;
}

/// Whether there clearly are more columns than rows.
template <class Index>
bool is_wide(Index n_rows, Index n_cols) {
  return n_cols - n_cols / 16 > n_rows;
}

/// The work allowed to depth-first searches, in edges, once they have passed rows with a number of them.
///
/// Skewed graphs have many rows for few columns: most searches are short or a dead end, and the others are
/// worth as much work as a pass over the graph. With many more columns than rows, or many edges a row, rows
/// have a choice and searches end soon: an eighth of the edges passed. On the rest they take next to nothing,
/// since rows find a free column at once all the time, or soon more than Karp and Sipser's rule.
template <class Index>
class SearchBudget {
 public:
  explicit SearchBudget(const CsrGraph<Index>& graph)
      : skewed_(is_skewed(graph)),
        share_(is_wide(graph.n_rows, graph.n_cols) || graph.n_edges() / 16 > graph.n_rows ? 8 : 1024),
        size_(static_cast<std::uint64_t>(graph.n_edges()) + at(graph.n_rows)) {}

  bool skewed() const { return skewed_; }
  std::uint64_t after(Index n_edges_passed) const {
    constexpr std::uint64_t kSmall = 256;
    return kSmall + (skewed_ ? size_ : static_cast<std::uint64_t>(n_edges_passed) / share_);
  }

 private:
  bool skewed_;
  std::uint64_t share_;
  std::uint64_t size_;
};

/// Depth-first searches until their work exceeds the budget; whether the matching is maximum.
template <class Index>
bool search_within_budget(const CsrGraph<Index>& graph, Matching<Index>& matching, Interrupt& interrupt) {
  const Index size_limit = std::min(graph.n_rows, graph.n_cols);
  const SearchBudget<Index> budget(graph);
  DepthFirstSearch search(graph, matching, interrupt);
  if (graph.n_rows > graph.n_cols) {  // most rows stay free: none should search before all others have taken
    Index row = search.match_free_neighbours(0, graph.n_rows, 1);
    while (row < graph.n_rows && matching.size < size_limit)
      row = search.match_free_neighbours(row + 1, graph.n_rows, 1);
    if (!budget.skewed() && is_wide(graph.n_cols, graph.n_rows)) return matching.size == size_limit;
  }
  const bool backwards = later_rows_are_sparser(graph);
  const Index end = backwards ? -1 : graph.n_rows;
  const Index step = backwards ? -1 : 1;
  for (Index row = backwards ? graph.n_rows - 1 : 0; row != end && matching.size < size_limit; row += step) {
    if (!budget.skewed()) row = search.match_free_neighbours(row, end, step);
    if (row == end || matching.size == size_limit) break;
    if (matching.has_row(row)) continue;
    if (row + step == end && search.work() == 0) {
      // All others found a free column at once: the first of their list, so this one had better begin with
      // the last. On meshes in their natural order it is there soon, and the other way only after all rows.
      const Bitset none(at(graph.n_cols));
      PothenFan<Index>(graph, matching, none, interrupt, false).run({row}, 0);
      return true;
    }
    search.match_row(row);
    const Index passed = backwards ? graph.n_edges() - graph.begin(row) : graph.begin(row);
    if (matching.size < size_limit && search.work() > budget.after(passed)) return false;
  }
  return true;
}

template <class Index>
std::vector<Index> free_rows(const Matching<Index>& matching, const Bitset& rows) {
  std::vector<Index> result;
  rows.for_each([&](std::size_t row) {
    if (matching.row_mate[row] == kUnmatched) result.push_back(static_cast<Index>(row));
  });
  return result;
}

/// Makes a matching maximum that lacks few edges. `rows` and `cols`: the part of the graph that it lacks them
/// in. Fair searches first, whose rounds end once they have looked at `budget` edges; where they do not get
/// lost they take less than half the time of push-relabel.
template <class Index>
void complete(const CsrGraph<Index>& graph, TransposeOnDemand<Index>& transpose, Matching<Index>& matching,
              const Bitset& rows, const Bitset& cols, std::uint64_t budget, Interrupt& interrupt) {
  const auto search = [&](const CsrGraph<Index>& g, Matching<Index>& m, std::vector<Index> from,
                          const Bitset& to) {
    const Bitset avoided = Bitset::where(to.size(), [&](std::size_t i) { return !to.test(i); });
    return PothenFan<Index>(g, m, avoided, interrupt).run(std::move(from), budget);
  };
  std::vector<Index> roots = free_rows(matching, rows);
  // Searches that fail are in vain: those from the side with fewer free nodes fail less often.
  const std::size_t n_free_cols = cols.count() - (rows.count() - roots.size());
  if (roots.empty() || n_free_cols == 0) return;
  if (roots.size() <= n_free_cols) {
    if (search(graph, matching, std::move(roots), cols)) return;
    PushRelabel<Index>(graph, transpose.view(), matching, interrupt).run();
    return;
  }
  matching = transposed(std::move(matching));
  if (!search(transpose.view(), matching, free_rows(matching, cols), rows))
    PushRelabel<Index>(transpose.view(), graph, matching, interrupt).run();
  matching = transposed(std::move(matching));
}

/// Karp and Sipser's rule on the whole graph, then what it lacks; see `complete` for the budget.
template <class Index>
void match_by_rule(const CsrGraph<Index>& graph, TransposeOnDemand<Index>& transpose,
                   Matching<Index>& matching, std::uint64_t budget, Interrupt& interrupt) {
  with_karp_sipser(graph, transpose, interrupt, [&](auto& rule) {
    rule.match_forced();
    if (rule.is_perfect()) return rule.write(matching);
    const Bitset rows = rule.rows_left();
    const Bitset cols = rule.cols_left();
    rule.match_rest();
    rule.write(matching);
    complete(graph, transpose, matching, rows, cols, budget, interrupt);
  });
}

}  // namespace detail

/// A maximum matching, fast on every kind of graph known to be hard for some method:
/// 1. Depth-first searches. Where the first few columns looked at are free or a dead end, as in power laws,
///    Hankel graphs, wide matrices or matrices with a nonzero diagonal, the look-ahead does most of the work.
///    Tall matrices are searched from their columns.
/// 2. Where they do not end soon they may get lost for good, and are given up. Karp and Sipser's rule then
///    solves chains, bands, hidden triangles, random graphs of low degree, and leaves few edges to be found
///    on others.
/// 3. Fair searches find those, only in the part of the graph that the rule had to make choices in.
/// 4. Where they get lost push-relabel ends it; no known family defeats that.
///
/// O(nodes * edges) in the worst case; on all families measured, from 10^4 to 10^6 nodes, near O(edges).
/// With an `initial` matching (see starting_matching) step 2 is left out: it starts from nothing.
template <class Index>
Matching<Index> match_automatically(const CsrGraph<Index>& graph, const Matching<Index>& initial = {},
                                    Interrupt& interrupt = no_interrupt()) {
  Matching<Index> matching = starting_matching(graph, initial);
  const bool from_nothing = matching.size == 0;
  if (detail::search_within_budget(graph, matching, interrupt)) return matching;
  TransposeOnDemand<Index> transpose(graph, interrupt);
  if (detail::is_wide(graph.n_cols, graph.n_rows)) {
    matching = transposed(std::move(matching));
    const bool is_maximum = detail::search_within_budget(transpose.view(), matching, interrupt);
    matching = transposed(std::move(matching));
    if (is_maximum) return matching;
  }
  const std::uint64_t budget = 8 * (static_cast<std::uint64_t>(graph.n_edges()) + at(graph.n_rows));
  if (from_nothing) {
    detail::match_by_rule(graph, transpose, matching, budget, interrupt);
  } else {
    const Bitset rows(at(graph.n_rows), true);
    const Bitset cols(at(graph.n_cols), true);
    detail::complete(graph, transpose, matching, rows, cols, budget, interrupt);
  }
  return matching;
}

}  // namespace hankelmatch
