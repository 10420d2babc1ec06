// The heaviest of all maximum matchings, or of all matchings, with the dual variables that prove it.
//
// Why nothing here needs dummy columns or a weight so large that it stands for "first of all as many edges as
// possible": let C be a vertex cover with as many nodes as a maximum matching has edges (Konig). Every
// maximum matching has exactly one edge at every node of C, and at no edge both ends in C. So the edges
// within C can be left out, and what remains falls into two problems that share no node: rows of C with
// columns outside, and columns of C with rows outside. In each, all nodes of C must be matched and the others
// need not be: an assignment as small as the matching, however large the graph, and sure to exist. Where its
// rows are short, all edges are read (full_assignment.hpp); where they are long, the cheapest first
// (assignment.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/assignment.hpp>
#include <hankelmatch/at.hpp>
#include <hankelmatch/cheapest_edges.hpp>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/full_assignment.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/match.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/vertex_cover.hpp>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

/// A matching with numbers that show that none of its size is heavier:
/// - all row_dual and col_dual are >= 0, and 0 where unmatched;
/// - row_dual[r] + col_dual[c] + cardinality_dual >= weight of every edge (r, c), and equal for those
/// matched. Proof: a matching of that size weighs at most the sum of the left sides over its edges, and so at
/// most size * cardinality_dual plus all row and column duals, which is what this one weighs. With
/// cardinality_dual = 0 the same holds for matchings of any size.
template <class Index>
struct WeightedMatching {
  Matching<Index> matching;
  std::vector<double> row_dual;
  std::vector<double> col_dual;
  double cardinality_dual = 0;
};

/// One byte for each row or column: whether it is meant.
using Flags = std::vector<unsigned char>;

/// A graph in compressed row form with a weight for every entry of `indices`. Where an edge is repeated the
/// heaviest counts. Weights must be finite.
template <class Index>
struct WeightedCsrGraph {
  CsrGraph<Index> graph;
  std::span<const double> weights;

  std::size_t n_edges() const { return at(graph.n_edges()); }

  /// Calls visit(row, col, weight) for the edges of all rows for which wanted(row).
  template <class Wanted, class Visit>
  void for_each_edge(const Wanted& wanted, const Visit& visit) const {
    for (Index row = 0; row < graph.n_rows; ++row) {
      if (!wanted(row)) continue;
      const auto begin = at(graph.indptr[at(row)]);
      const auto end = at(graph.indptr[at(row) + 1]);
      for (std::size_t i = begin; i < end; ++i) visit(row, graph.indices[i], weights[i]);
    }
  }
};

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

/// One of the two assignment problems: which nodes must be matched, numbered from 0, and the arrays of both
/// sides in the result.
template <class Index>
struct CoverHalf {
  // Where rows are long, most are settled by the cheapest few of their edges.
  static constexpr std::size_t kKeep = 48;
  static constexpr std::size_t kLongRows = 128;

  std::vector<Index> members;
  std::vector<Index> number;  // of each node of their side among the members
  Mates<Index>& member_mate;
  Mates<Index>& other_mate;
  std::vector<double>& member_dual;
  std::vector<double>& other_dual;

  CoverHalf(const Flags& in_cover, Mates<Index>& member_mates, Mates<Index>& other_mates,
            std::vector<double>& member_duals, std::vector<double>& other_duals)
      : number(in_cover.size()),
        member_mate(member_mates),
        other_mate(other_mates),
        member_dual(member_duals),
        other_dual(other_duals) {
    for (std::size_t i = 0; i < in_cover.size(); ++i) {
      number[i] = static_cast<Index>(members.size());
      if (in_cover[i] != 0) members.push_back(static_cast<Index>(i));
    }
  }

  /// `for_each_edge(visit)` calls visit(member's number, cost, other node); `n_edges` is an upper bound of
  /// their number.
  template <class ForEachEdge>
  void solve(ForEachEdge for_each_edge, std::size_t n_edges, std::size_t n_others, Interrupt& interrupt) {
    if (members.empty()) return;
    const bool square = n_others == members.size();
    const auto n_members = static_cast<Index>(members.size());
    const auto n_cols = static_cast<Index>(other_mate.size());
    if (square || has_short_rows(n_edges)) {
      const CollectedEdges<Index> all(n_members, n_cols, for_each_edge);
      return finish(FullAssignment<Index>(all.graph(), all.weights, square, interrupt));
    }
    CheapestEdges<Index, ForEachEdge> edges(n_members, std::move(for_each_edge), kKeep);
    finish(Assignment<Index, decltype(edges)>(edges, n_cols, interrupt));
  }

  bool has_short_rows(std::size_t n_edges) const { return n_edges < kLongRows * members.size(); }

  template <class Problem>
  void finish(Problem assignment) {
    if (!assignment.solve()) throw std::logic_error("weighted matching: the cover is not a minimum one");
    record(assignment);
  }

  // Duals are negated prices. Those of the nodes outside the cover must not be negative; they can only be
  // where all of these nodes are matched, and there an amount may be moved from one side to the other.
  template <class Solved>
  void record(const Solved& assignment) {
    double shift = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
      shift = std::max(shift, assignment.price_of(assignment.col_of(static_cast<Index>(i))));
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto member = at(members[i]);
      const Index other = assignment.col_of(static_cast<Index>(i));
      member_mate[member] = other;
      other_mate[at(other)] = members[i];
      member_dual[member] = -assignment.potential_of(static_cast<Index>(i)) - shift;
      other_dual[at(other)] = shift - assignment.price_of(other);
    }
  }
};

/// Lets the duals of the two halves prove the whole: the largest amount for a single edge that keeps the
/// cover's duals, once lowered by it, at 0 or above, and the edges within the cover feasible.
template <class Index>
void price_cardinality(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover,
                       WeightedMatching<Index>& result) {
  double price = std::numeric_limits<double>::infinity();
  const auto lower = [&](const Flags& in_cover, const std::vector<double>& dual) {
    for (std::size_t i = 0; i < dual.size(); ++i) {
      if (in_cover[i] != 0) price = std::min(price, dual[i]);
    }
  };
  lower(cover.rows, result.row_dual);
  lower(cover.cols, result.col_dual);
  if (price == std::numeric_limits<double>::infinity()) return;
  if (std::ranges::find(cover.cols, 1) != cover.cols.end()) {
    edges.for_each_edge([&](Index row) { return cover.rows[at(row)] != 0; },
                        [&](Index row, Index col, double weight) {
                          if (cover.cols[at(col)] == 0) return;
                          price =
                              std::min(price, result.row_dual[at(row)] + result.col_dual[at(col)] - weight);
                        });
  }
  for (std::size_t i = 0; i < cover.rows.size(); ++i) result.row_dual[i] -= cover.rows[i] != 0 ? price : 0.0;
  for (std::size_t i = 0; i < cover.cols.size(); ++i) result.col_dual[i] -= cover.cols[i] != 0 ? price : 0.0;
  result.cardinality_dual = price;
}

template <class Index>
WeightedMatching<Index> no_edges(std::size_t n_rows, std::size_t n_cols) {
  return {Matching<Index>(static_cast<Index>(n_rows), static_cast<Index>(n_cols)),
          std::vector<double>(n_rows, 0.0), std::vector<double>(n_cols, 0.0), 0.0};
}

/// The halves share no node, so each has its own thread where there is enough to do.
template <class Index>
WeightedMatching<Index> heaviest_with_cover(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover,
                                            Interrupt& interrupt) {
  constexpr std::size_t kWorthAThread = std::size_t{1} << 16;
  WeightedMatching<Index> result = no_edges<Index>(cover.rows.size(), cover.cols.size());
  Mates<Index>& row_mate = result.matching.row_mate;
  Mates<Index>& col_mate = result.matching.col_mate;
  CoverHalf<Index> rows(cover.rows, row_mate, col_mate, result.row_dual, result.col_dual);
  CoverHalf<Index> cols(cover.cols, col_mate, row_mate, result.col_dual, result.row_dual);
  result.matching.size = static_cast<Index>(rows.members.size() + cols.members.size());
  const bool square = row_mate.size() == col_mate.size();
  if (rows.members.size() == row_mate.size() && cols.members.empty() &&
      (square || rows.has_short_rows(edges.n_edges()))) {  // nothing is left out: no copy is needed
    rows.finish(FullAssignment<Index>(edges.graph, edges.weights, square, interrupt));
    return result;
  }
  const auto solve_rows = [&](Interrupt& own) {
    rows.solve(
        [&](const auto& visit) {
          edges.for_each_edge([&](Index row) { return cover.rows[at(row)] != 0; },
                              [&](Index row, Index col, double weight) {
                                if (cover.cols[at(col)] == 0) visit(rows.number[at(row)], -weight, col);
                              });
        },
        edges.n_edges(), cover.cols.size() - cols.members.size(), own);
  };
  const auto solve_cols = [&](Interrupt& own) {
    cols.solve(
        [&](const auto& visit) {
          edges.for_each_edge([&](Index row) { return cover.rows[at(row)] == 0; },
                              [&](Index row, Index col, double weight) {
                                if (cover.cols[at(col)] != 0) visit(cols.number[at(col)], -weight, row);
                              });
        },
        edges.n_edges(), cover.rows.size() - rows.members.size(), own);
  };
  if (edges.n_edges() < kWorthAThread || rows.members.empty() || cols.members.empty()) {
    solve_rows(interrupt);
    solve_cols(interrupt);
  } else {
    run_both(interrupt, solve_rows, solve_cols);
  }
  return result;
}

}  // namespace detail

/// The heaviest of all maximum matchings, starting from any one maximum matching of the same graph. Cost:
/// FullAssignment's or Assignment's on the edges with one end in a minimum vertex cover, and a few passes
/// over all edges.
template <class Index>
WeightedMatching<Index> heaviest_maximum_matching(const WeightedCsrGraph<Index>& edges,
                                                  const Matching<Index>& maximum, Interrupt interrupt = {}) {
  const detail::CoverFlags cover = detail::minimum_cover_flags(edges.graph, maximum, interrupt);
  WeightedMatching<Index> result = detail::heaviest_with_cover(edges, cover, interrupt);
  detail::price_cardinality(edges, cover, result);
  return result;
}

/// The heaviest of all matchings, whatever their size; edges of weight <= 0 are never used. Each row of the
/// smaller side may also be assigned to nothing, at cost 0: one more edge for each.
template <class Index>
WeightedMatching<Index> heaviest_matching(const WeightedCsrGraph<Index>& edges, Interrupt interrupt = {}) {
  const Index n_rows = edges.graph.n_rows;
  const Index n_cols = edges.graph.n_cols;
  WeightedMatching<Index> result = detail::no_edges<Index>(at(n_rows), at(n_cols));
  const bool by_row = n_rows <= n_cols;
  const Index n_small = std::min(n_rows, n_cols);
  const Index n_large = std::max(n_rows, n_cols);
  if (n_large > std::numeric_limits<Index>::max() - n_small)
    throw std::length_error("graph: rows and columns together are too many for the index type");
  const auto for_each_edge = [&](const auto& visit) {
    edges.for_each_edge([](Index) { return true; },
                        [&](Index row, Index col, double weight) {
                          if (weight > 0) visit(by_row ? row : col, -weight, by_row ? col : row);
                        });
    for (Index i = 0; i < n_small; ++i) visit(i, 0.0, n_large + i);
  };
  const CollectedEdges<Index> all(n_small, n_large + n_small, for_each_edge);
  FullAssignment<Index> assignment(all.graph(), all.weights, false, interrupt);
  assignment.solve();
  for (Index i = 0; i < n_small; ++i) {
    const Index other = assignment.col_of(i);
    if (other >= n_large) continue;  // left alone: its dual is 0, and may be, since it is never above
    result.matching.join(by_row ? i : other, by_row ? other : i);
    (by_row ? result.row_dual : result.col_dual)[at(i)] = std::max(0.0, -assignment.potential_of(i));
    (by_row ? result.col_dual : result.row_dual)[at(other)] = -assignment.price_of(other);
  }
  return result;
}

namespace detail {

/// The heaviest of all perfect matchings of a square graph; false, and no result, if there is none.
template <class Index>
bool heaviest_perfect_matching(const WeightedCsrGraph<Index>& edges, Interrupt& interrupt,
                               WeightedMatching<Index>& result) {
  FullAssignment<Index> assignment(edges.graph, edges.weights, true, interrupt);
  if (!assignment.solve()) return false;
  const Index n = edges.graph.n_rows;
  result = no_edges<Index>(at(n), at(n));
  for (Index row = 0; row < n; ++row) {
    const Index col = assignment.col_of(row);
    result.matching.join(row, col);
    result.row_dual[at(row)] = -assignment.potential_of(row);
    result.col_dual[at(row)] = -assignment.price_of(row);
  }
  // What all duals of a side have in common goes to that of the cardinality.
  for (std::vector<double>* duals : {&result.row_dual, &result.col_dual}) {
    const double least = *std::ranges::min_element(*duals);
    for (double& dual : *duals) dual -= least;
    result.cardinality_dual += least;
  }
  return true;
}

/// Whether a graph looks as if it had a perfect matching.
template <class Index>
bool may_be_perfect(const CsrGraph<Index>& graph) {
  if (graph.n_rows != graph.n_cols || graph.n_rows == 0) return false;
  return std::ranges::adjacent_find(graph.indptr) == graph.indptr.end();  // no row is empty
}

}  // namespace detail

/// A maximum matching by any method, then the heaviest one; or the heaviest matching of any size.
template <class Index>
WeightedMatching<Index> maximum_weight_matching(const WeightedCsrGraph<Index>& edges,
                                                bool maximum_cardinality, Interrupt interrupt = {}) {
  constexpr std::size_t kSmall = std::size_t{1} << 15;
  if (!maximum_cardinality) return heaviest_matching(edges, std::move(interrupt));
  WeightedMatching<Index> perfect;
  // Nearly all square matrices have a perfect matching; for a small one it is not worth the time to look
  // first.
  const bool may_be_perfect = detail::may_be_perfect(edges.graph);
  const bool small = edges.n_edges() < kSmall;
  if (may_be_perfect && small && detail::heaviest_perfect_matching(edges, interrupt, perfect)) return perfect;
  const Matching<Index> maximum = match(edges.graph, "auto", {}, interrupt);
  if (may_be_perfect && maximum.size == edges.graph.n_rows &&
      detail::heaviest_perfect_matching(edges, interrupt, perfect))
    return perfect;
  return heaviest_maximum_matching(edges, maximum, std::move(interrupt));
}

/// Whether a matching and its duals keep what WeightedMatching promises, up to `tolerance` times the largest
/// weight or dual in size. O(nodes + edges).
template <class Index>
bool is_optimal(const WeightedCsrGraph<Index>& edges, const WeightedMatching<Index>& claim,
                double tolerance) {
  const Matching<Index>& matching = claim.matching;
  if (!is_valid(edges.graph, matching)) return false;
  double scale = std::abs(claim.cardinality_dual);
  for (const double w : edges.weights.first(edges.n_edges())) scale = std::max(scale, std::abs(w));
  for (const double d : claim.row_dual) scale = std::max(scale, std::abs(d));
  for (const double d : claim.col_dual) scale = std::max(scale, std::abs(d));
  const double slack = tolerance * scale;

  const auto duals_hold = [&](const std::vector<double>& dual, const Mates<Index>& mate) {
    for (std::size_t i = 0; i < dual.size(); ++i) {
      if (!(dual[i] >= -slack) || (mate[i] == kUnmatched && dual[i] > slack)) return false;
    }
    return true;
  };
  if (claim.row_dual.size() != matching.row_mate.size() ||
      claim.col_dual.size() != matching.col_mate.size() || !duals_hold(claim.row_dual, matching.row_mate) ||
      !duals_hold(claim.col_dual, matching.col_mate))
    return false;

  bool feasible = true;
  Index n_tight = 0;
  Index last_tight_row = kUnmatched;  // of a repeated edge one may be tight only
  edges.for_each_edge([](Index) { return true; },
                      [&](Index row, Index col, double weight) {
                        const double reduced = claim.row_dual[at(row)] + claim.col_dual[at(col)] +
                                               claim.cardinality_dual - weight;
                        feasible &= reduced >= -slack;
                        if (matching.row_mate[at(row)] != col || reduced > slack || last_tight_row == row)
                          return;
                        last_tight_row = row;
                        ++n_tight;
                      });
  return feasible && n_tight == matching.size;
}

}  // namespace hankelmatch
