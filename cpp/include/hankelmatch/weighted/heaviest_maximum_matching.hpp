// The heaviest of all maximum matchings.
//
// Why nothing here needs dummy columns or a weight so large that it stands for "first of all as many edges as
// possible": let C be a vertex cover with as many nodes as a maximum matching has edges (Konig). Every
// maximum matching has exactly one edge at every node of C, and at no edge both ends in C. So the edges
// within C can be left out, and what remains falls into two problems that share no node: rows of C with
// columns outside, and columns of C with rows outside. In each, all nodes of C must be matched and the others
// need not be: an assignment as small as the matching, however large the graph, and sure to exist
// (assignment/full_assignment.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/assignment/full_assignment.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/vertex_cover.hpp>
#include <hankelmatch/weighted/certificate.hpp>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// One of the two assignment problems: which nodes must be matched, numbered from 0, and the arrays of both
/// sides in the result.
template <class Index>
struct CoverHalf {
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

  /// `for_each_edge(visit)` calls visit(member's number, other node, weight), the same each time.
  template <class ForEachEdge>
  void solve(const ForEachEdge& for_each_edge, std::size_t n_others, Interrupt& interrupt) {
    if (members.empty()) return;
    const auto n_members = static_cast<Index>(members.size());
    const auto edges = collect_edges<Index>(n_members, static_cast<Index>(other_mate.size()), for_each_edge);
    solve(edges.weighted_view(), n_others, interrupt);
  }

  /// The rows of `edges` are the members, its columns all nodes of the other side.
  void solve(const WeightedCsrGraph<Index>& edges, std::size_t n_others, Interrupt& interrupt) {
    FullAssignment<Index> assignment(edges.graph, edges.weights, n_others == members.size(), interrupt);
    if (!assignment.solve()) throw std::logic_error("weighted matching: the cover is not a minimum one");
    record(assignment);
  }

  // Duals are negated prices. Those of the nodes outside the cover must not be negative; they can only be
  // where all of these nodes are matched, and there an amount may be moved from one side to the other.
  void record(const FullAssignment<Index>& assignment) {
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

/// For WeightedCsrGraph::for_each_edge: rows are wanted if their flag is this.
inline auto rows_where(const Flags& flags, bool flag) {
  return [&flags, flag](auto row) { return (flags[at(row)] != 0) == flag; };
}

/// Lets the duals of the two halves prove the whole: the largest amount for a single edge that keeps the
/// cover's duals, once lowered by it, at 0 or above, and the edges within the cover feasible.
template <class Index>
void price_cardinality(const WeightedCsrGraph<Index>& edges, const CoverFlags& cover,
                       WeightedMatching<Index>& result, Interrupt& interrupt) {
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
    edges.for_each_edge(interrupt, rows_where(cover.rows, true), [&](Index row, Index col, double weight) {
      if (cover.cols[at(col)] == 0) return;
      price = std::min(price, result.row_dual[at(row)] + result.col_dual[at(col)] - weight);
    });
  }
  for (std::size_t i = 0; i < cover.rows.size(); ++i) result.row_dual[i] -= cover.rows[i] != 0 ? price : 0.0;
  for (std::size_t i = 0; i < cover.cols.size(); ++i) result.col_dual[i] -= cover.cols[i] != 0 ? price : 0.0;
  result.cardinality_dual = price;
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
  if (rows.members.size() == row_mate.size() && cols.members.empty()) {  // nothing is left out
    rows.solve(edges, col_mate.size(), interrupt);
    return result;
  }
  const auto solve_rows = [&](Interrupt& own) {
    rows.solve(
        [&](const auto& visit) {
          edges.for_each_edge(own, rows_where(cover.rows, true), [&](Index row, Index col, double weight) {
            if (cover.cols[at(col)] == 0) visit(rows.number[at(row)], col, weight);
          });
        },
        cover.cols.size() - cols.members.size(), own);
  };
  const auto solve_cols = [&](Interrupt& own) {
    cols.solve(
        [&](const auto& visit) {
          edges.for_each_edge(own, rows_where(cover.rows, false), [&](Index row, Index col, double weight) {
            if (cover.cols[at(col)] != 0) visit(cols.number[at(col)], row, weight);
          });
        },
        cover.rows.size() - rows.members.size(), own);
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
/// FullAssignment's on the edges with one end in a minimum vertex cover, and a few passes over all edges.
template <class Index>
WeightedMatching<Index> heaviest_maximum_matching(const WeightedCsrGraph<Index>& edges,
                                                  const Matching<Index>& maximum,
                                                  Interrupt& interrupt = no_interrupt()) {
  const detail::CoverFlags cover = detail::minimum_cover_flags(edges.graph, maximum, interrupt);
  WeightedMatching<Index> result = detail::heaviest_with_cover(edges, cover, interrupt);
  detail::price_cardinality(edges, cover, result, interrupt);
  return result;
}

}  // namespace hankelmatch
