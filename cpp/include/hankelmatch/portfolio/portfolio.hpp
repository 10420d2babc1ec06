// The choice of method for the graph at hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/graph/locality.hpp>
#include <hankelmatch/graph/transpose.hpp>
#include <hankelmatch/matching/depth_first.hpp>
#include <hankelmatch/matching/greedy.hpp>
#include <hankelmatch/matching/karp_sipser.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/push_relabel.hpp>
#include <hankelmatch/portfolio/row_by_row.hpp>
#include <hankelmatch/portfolio/search_in_turns.hpp>
#include <hankelmatch/portfolio/shape.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

/// The methods of the portfolio on one graph and its matching; see match_automatically.
template <class Index>
class Portfolio {
 public:
  /// `may_clear`: the matching may be begun again from nothing, as Karp and Sipser's rule does.
  /// `most_passes`: when searches are given up; see SearchLimits.
  Portfolio(const CsrGraph<Index>& graph, TransposeOnDemand<Index>& transpose, Matching<Index>& matching,
            bool may_clear, Interrupt& interrupt, double most_passes = SearchLimits::kMostPasses)
      : graph_(graph),
        transpose_(transpose),
        matching_(matching),
        interrupt_(interrupt),
        most_passes_(most_passes),
        rule_is_open_(may_clear) {}

  /// Makes the matching maximum.
  void run() {
    std::vector<Index> failed;
    RowRange<Index> rows = rows_in_order();
    // Where rows have many edges, the greedy start takes four fifths of their time (long rows); where they
    // have few, a fifth longer (wide).
    if (!is_wide() || has_long_rows()) {
      rows = start_greedily(failed);
      if (failed.empty() || is_perfect()) return;
    }
    bool is_hard = true;
    if (const std::uint64_t work = work_row_by_row(rows); work > 0) {
      if (search_row_by_row(graph_, matching_, rows_in_order(), is_wide(), work, interrupt_)) return;
    } else {
      is_hard = fails_early(rows) && !start_again(rows, failed);
    }
    if (is_hard) {
      rows = rows_in_order();
      failed.clear();
      if (rule_is_open_ && match_hard(rows, failed)) return;
    }
    match_greedily(graph_, matching_, rows, start_, at(graph_.n_rows), failed, interrupt_);
    if (failed.empty() || is_perfect()) return;
    if (n_more_rows() > 0 && !is_hard) {
      search_from_each(graph_, matching_, failed, pass() / kPartTall, interrupt_);
      if (is_perfect()) return;
    }
    if (!search_in_turns(graph_, std::move(failed), Bitset(at(graph_.n_cols)))) finish_lost_search();
  }

  /// Karp and Sipser's rule, from nothing, on the whole graph as far as it is forced, unless there is room
  /// for all columns; the rest by its choices, if so many pairs are forced, or by rarest columns; then what
  /// is lacking. False, and the matching is any, if none is forced: another start is as good then, unless
  /// rows have few edges.
  bool match_by_rule(std::size_t least_forced) {
    rule_is_open_ = false;
    bool is_used = true;
    with_karp_sipser(graph_, transpose_, interrupt_, [&](auto& rule) {
      if (has_room(rule.n_cols_with_edges(), row_degrees().n_with_edges, rule.n_singles()) &&
          match_cols_into_room())
        return;
      rule.match_forced(least_forced);
      const bool by_choices = rule.n_pairs() >= least_forced;
      is_used = by_choices || rule.n_pairs() > 0 || graph_.n_edges() / kFewEdgesARow < graph_.n_rows;
      if (is_used) complete_rule(rule, by_choices);
    });
    return is_used;
  }

 private:
  // So many rows that fail soon show that rows have little choice, or wait for the same few columns: one in
  // 6,000, for small graphs too are to fail soon (benchmarks.matching --quick); 64 at most. With 16, random
  // graphs of degree 15 and 1,000,000 rows fail soon, and take 3.5 times as long; with 166, groups low to
  // high do not, and take 1.5 times as long.
  static constexpr std::size_t kFewFailures = 64;
  static constexpr std::size_t kFewestFailures = 2;
  static constexpr std::size_t kRowsAFailure = 6000;
  // "Soon" is before half of the rows: groups low to high, which the rule solves, fail after .43 of them;
  // random graphs of degree 15, hypercubes and chains of cliques, shuffled, after .58, .67 and .75
  // (benchmarks.matching).
  static constexpr Index kSoon = 2;
  // Of random graphs of degree 4 the rule matches 19 in a hundred rows without a choice, and its choices are
  // the fastest way on: to take the rarest columns and search takes 1.1 to 1.7 times as long. Of degree 5 it
  // matches 8, of degree 8 0.6, of shuffled intervals 1.4; there the latter take .6 to .7 of the time,
  // but 1.0 where more rows than columns are left over (benchmarks.matching).
  static constexpr std::size_t kManyForced = 12;
  // Where rows have fewer edges, they are the better start also where nothing is forced: butterflies and
  // regular graphs of degree 3 take .75 to .95 of the time; tori, with 4, .8 to 1.2 (benchmarks.matching).
  static constexpr Index kFewEdgesARow = 4;
  // So many more rows than columns are searched from before a transpose is made: with no more than a tenth,
  // intervals and random graphs of degree 8 take .7 to .9 of the time; with twice as many and more, random
  // graphs would read the whole graph for most of them (benchmarks.matching).
  static constexpr std::size_t kFewMore = 4;
  // And so many rows may be left for each free column, before the search goes on from the columns: random
  // graphs of degree 5 ^T, where 60 rows would search in vain, take .8 of the time (benchmarks.matching).
  static constexpr std::size_t kManyRowsACol = 8;
  // Where rows have more, counting the edges of the columns takes too long, and no family that the rule
  // solves has so many (benchmarks.matching).
  static constexpr Index kManyEdgesARow = 16;

  // Nodes without edges aside, groups have one column in 180 more than rows, or the other way round, and
  // rings of blocks one in 55. Searches from the side that has fewer take a third of the rule's time: they
  // find one of these until the end. With twice as many on the other side, a greedy start from there leaves
  // next to none (benchmarks.matching).
  static constexpr Index kMuchRoom = 256;
  // Not where the rule matches more than half: with a fiftieth of the rows or columns left out, one node in
  // 10 of triangles and of crowded graphs has a single edge, and one in 7 of random graphs of degree 3; of
  // rings of blocks one in 25, of groups and random graphs of degree 5 one in 40. Nor on paths and random
  // graphs of degree 2, which have fewer than 5 edges for 2 rows (benchmarks.matching).
  static constexpr std::size_t kManySinglesInRoom = 16;
  // Groups take up to 1.1 passes over the edges, roads 2.1; hilo, which the rule solves, would take ten
  // (benchmarks.matching).
  static constexpr double kPassesIntoRoom = 3;
  // The part of a pass over the edges that depth-first searches may take where rows have a choice: random
  // graphs of degree 3 with a seventh fewer rows than columns take .3, hilo with a twelfth .48.
  static constexpr std::uint64_t kPartWide = 2;
  // And where a greedy start leaves a few columns, and all the rows that are too many: on bands, ladders and
  // meshes in order with a fiftieth fewer columns, one of these is near each column (all of this:
  // benchmarks.matching --left-out).
  static constexpr std::uint64_t kPartTall = 8;
  // Of the rows of roads, one in 10 has a single edge, of districts and their neighbours one in 27 (ct2010),
  // and their cycles are short: searches take .4 to .7 of the rule's time. Random graphs of degree 2 to 5
  // have as many such rows, but no short cycles, and bands and hilo short cycles, but no such rows; the rule
  // is best for these (benchmarks.matching).
  static constexpr Index kManySingles = 32;
  static constexpr Index kLarge = 1 << 13;  // on less, looking for cycles shows (--quick)

  std::size_t few_failures() const {
    return std::clamp(at(graph_.n_rows) / kRowsAFailure, kFewestFailures, kFewFailures);
  }
  Index size_limit() const { return std::min(graph_.n_rows, graph_.n_cols); }
  bool is_wide() const { return detail::is_wide(graph_.n_rows, graph_.n_cols, graph_.n_edges()); }
  bool is_perfect() const { return matching_.size == size_limit(); }
  std::size_t n_more_rows() const { return at(std::max(graph_.n_rows - graph_.n_cols, Index{0})); }
  std::uint64_t pass() const { return at(graph_.n_edges()) + at(graph_.n_rows); }
  const RowDegrees<Index>& row_degrees() {
    if (!row_degrees_) row_degrees_.emplace(graph_);
    return *row_degrees_;
  }
  bool has_long_rows() const { return graph_.n_edges() / kManyEdgesARow >= graph_.n_rows; }

  RowRange<Index> rows_in_order() const {
    if (later_rows_are_sparser(graph_)) return {graph_.n_rows - 1, -1, -1};
    return {0, graph_.n_rows, 1};
  }

  /// From nothing, if the portfolio began so, until a few rows have failed; returns those that are left.
  RowRange<Index> start_greedily(std::vector<Index>& failed) {
    if (start_ == GreedyStart::kLast) matching_.clear();
    failed.clear();
    return match_greedily(graph_, matching_, rows_in_order(), start_, few_failures(), failed, interrupt_);
  }

  /// For rows that fail early: from the other end; or, where there are more rows than columns, on, since
  /// as many must fail. Whether few rows fail, or few columns stay free.
  bool start_again(RowRange<Index>& rows, std::vector<Index>& failed) {
    if (n_more_rows() >= few_failures()) {
      const std::size_t most_failed = n_more_rows() + few_failures();
      rows = match_greedily(graph_, matching_, rows, start_, most_failed, failed, interrupt_);
      return rows.empty();
    }
    start_ = GreedyStart::kLast;
    rows = start_greedily(failed);
    return !fails_early(rows);
  }

  /// For rows that fail early from either end, or row by row. Whether all is done; else these rows are left,
  /// and these have failed.
  bool match_hard(RowRange<Index>& rows, std::vector<Index>& failed) {
    if (!has_long_rows()) return match_otherwise();
    // On hypercubes in the order of the bits, three times as many rows fail from either end
    // (hypercube 18, shuffled: .12 of the rows for .03, and searches take three times as long); on nested
    // intervals and stairs, shuffled, all rows are matched so (a tenth of the time; benchmarks.matching).
    matching_.clear();
    failed = match_sparse_rows_first(graph_, matching_, interrupt_);
    rows = {};
    return false;
  }

  /// The same where rows have few edges. False if nothing is better than to go on from any matching.
  bool match_otherwise() {
    const RowDegrees<Index>& rows = row_degrees();
    if (has_room(rows.n_with_edges, graph_.n_cols, at(rows.n_single))) {
      LaterRows<Index> later(graph_, interrupt_);
      const Index n_cols = graph_.n_cols - later.n_cols_of(0);
      if (has_room(rows.n_with_edges, n_cols, at(rows.n_single + later.n_cols_of(1))) &&
          match_into_room(graph_, std::move(later)))
        return true;
    }
    if (has_room(graph_.n_cols, rows.n_with_edges, at(rows.n_single)) && match_cols_into_room()) return true;
    if (graph_.n_rows > kLarge && rows.n_single > graph_.n_rows / kManySingles && has_short_cycles(graph_)) {
      matching_.clear();
      start_ = GreedyStart::kFirst;
      first_round_ = FirstRound::kBreadth;
      const LaterRows<Index> later(graph_, interrupt_);
      auto free_rows = match_rarest_cols(graph_, matching_, rows_in_order(), later, interrupt_);
      if (!search_in_turns(graph_, std::move(free_rows), Bitset(at(graph_.n_cols)))) finish_lost_search();
      return true;
    }
    return match_by_rule(at(size_limit()) / kManyForced);
  }

  /// Whether so many nodes with edges, on one side and on the other, leave the last of these a choice, and
  /// so many nodes with a single edge, on both, do not make the rule better.
  bool has_room(Index n_here, Index n_there, std::size_t n_singles) const {
    return !is_room_tried_ && n_there - n_here > size_limit() / kMuchRoom && n_there / 2 < n_here &&
           n_singles < (at(n_here) + at(n_there)) / kManySinglesInRoom &&
           graph_.n_edges() / 5 * 2 >= graph_.n_rows;
  }

  /// By rarest columns, from nothing, and by searches, from the side with fewer nodes that have edges: the
  /// rows of this graph. `later`: as it was made. Whether all is done.
  bool match_into_room(const CsrGraph<Index>& graph, LaterRows<Index> later) {
    is_room_tried_ = true;
    matching_.clear();
    first_round_ = FirstRound::kBreadthAlone;
    auto free_rows = match_rarest_cols(graph, matching_, {0, graph.n_rows, 1}, std::move(later), interrupt_);
    const bool is_done = search_in_turns(graph, std::move(free_rows), Bitset(at(graph.n_cols)),
                                         {.most_passes = kPassesIntoRoom});
    first_round_.reset();
    return is_done;
  }

  /// The same from the columns.
  bool match_cols_into_room() {
    const RowDegrees<Index>& rows = row_degrees();
    const RowDegrees<Index> cols(transpose_.view());
    if (!has_room(cols.n_with_edges, rows.n_with_edges, at(rows.n_single + cols.n_single))) return false;
    matching_ = transposed(std::move(matching_));
    const CsrGraph<Index> columns = transpose_.view();
    const LaterRows<Index> later(graph_.n_rows, [&](Index row) { return graph_.row(row).size(); });
    const bool is_done = match_into_room(columns, later);
    matching_ = transposed(std::move(matching_));
    return is_done;
  }

  /// Makes the matching what the rule has matched, and then maximum.
  template <class Rule>
  void complete_rule(Rule& rule, bool by_choices) {
    start_ = GreedyStart::kFirst;
    if (rule.is_perfect()) return rule.write(matching_);
    const Bitset rows = rule.rows_left();
    const Bitset cols = rule.cols_left();
    if (by_choices) rule.match_rest(is_local(graph_));
    rule.write(matching_);
    if (!by_choices) {
      const LaterRows<Index> later(graph_.n_cols, [&](Index col) { return rule.n_rows_left(col); });
      match_rarest_cols(graph_, matching_, rows_in_order(), later, interrupt_);
      if (rule.n_pairs() > 0) first_round_ = FirstRound::kBreadthAlone;
    }
    complete(rows, cols);
  }

  bool fails_early(const RowRange<Index>& rows_left) const {
    return rule_is_open_ && rows_left.size() > graph_.n_rows / kSoon;
  }

  /// The work that depth-first searches row by row are worth, where they are the best known: with many more
  /// columns than rows they end soon; where many rows wait for few columns most are short or a dead end, and
  /// all later ones pass by the dead ends.
  std::uint64_t work_row_by_row(const RowRange<Index>& rows_left) {
    if (is_wide()) return has_long_rows() && fails_early(rows_left) ? 0 : pass() / kPartWide;
    if (row_degrees().are_skewed) return pass();
    return row_degrees().n_with_edges < graph_.n_cols / 2 ? pass() / kPartWide : 0;
  }

  /// Makes the matching maximum. All that it lacks is among these rows and columns.
  void complete(const Bitset& rows, const Bitset& cols) {
    std::vector<Index> free_rows = free_nodes(matching_.row_mate, rows);
    std::vector<Index> free_cols = free_nodes(matching_.col_mate, cols);
    if (free_rows.empty() || free_cols.empty()) return;
    // Each search that fails may reach the whole graph: those from the side with fewer free nodes seldom do.
    const auto are_cols_fewer = [&] {
      const std::size_t few = transpose_.is_made() ? 0 : free_cols.size() / kFewMore;
      return free_cols.size() + few < free_rows.size();
    };
    if (!are_cols_fewer()) {
      if (search_in_turns(graph_, std::move(free_rows), complement(cols), {.most_rows_a_col = kManyRowsACol}))
        return;
      free_rows = free_nodes(matching_.row_mate, rows);
      free_cols = free_nodes(matching_.col_mate, cols);
      if (!are_cols_fewer()) return push_relabel(graph_, transpose_.view());
    }
    matching_ = transposed(std::move(matching_));
    if (!search_in_turns(transpose_.view(), std::move(free_cols), complement(rows)))
      push_relabel(transpose_.view(), graph_);
    matching_ = transposed(std::move(matching_));
  }

  /// From these free rows, but not by way of the columns in `closed`; whether all is done.
  bool search_in_turns(const CsrGraph<Index>& graph, std::vector<Index> free_rows, Bitset closed,
                       SearchLimits limits = {}) {
    limits.most_passes = std::min(limits.most_passes, most_passes_);
    LookAhead<Index> look_ahead(graph, matching_);
    SearchInTurns<Index> search(graph, look_ahead, matching_, std::move(closed), first_round(graph),
                                start_ != GreedyStart::kLast, interrupt_);
    return search.run(std::move(free_rows), limits);
  }

  /// If it is not known yet: depth where rows that follow one another have columns near one another.
  FirstRound first_round(const CsrGraph<Index>& graph) const {
    if (first_round_) return *first_round_;
    return is_local(graph) ? FirstRound::kDepth : FirstRound::kBreadth;
  }

  void push_relabel(const CsrGraph<Index>& graph, const CsrGraph<Index>& transpose) {
    PushRelabel<Index>(graph, transpose, matching_, interrupt_).run();
  }

  void finish_lost_search() {
    if (rule_is_open_ && !has_long_rows()) {
      match_by_rule(0);
    } else {
      push_relabel(graph_, transpose_.view());
    }
  }

  static Bitset complement(const Bitset& ids) {
    Bitset result(ids.size(), true);
    result.remove(ids);
    return result;
  }

  static std::vector<Index> free_nodes(const Mates<Index>& mates, const Bitset& ids) {
    Bitset free = Bitset::where(mates.size(), [&](std::size_t id) { return mates[id] == kUnmatched; });
    free.remove(complement(ids));
    std::vector<Index> result;
    free.for_each([&](std::size_t id) { result.push_back(static_cast<Index>(id)); });
    return result;
  }

  const CsrGraph<Index> graph_;
  TransposeOnDemand<Index>& transpose_;
  Matching<Index>& matching_;
  Interrupt& interrupt_;
  const double most_passes_;
  GreedyStart start_ = GreedyStart::kFirst;
  // Of searches in turns after rarest columns, wherever the columns lie: for the last rows of random graphs
  // of degree 5 that lack a few, without rounds in depth they take .4 of the time; on roads and the like
  // breadth is first, but a process of chemistry takes half of the time with rounds in depth (bayer10 ^T;
  // benchmarks.matching).
  std::optional<FirstRound> first_round_;
  std::optional<RowDegrees<Index>> row_degrees_;  // once they are needed
  bool is_room_tried_ = false;
  bool rule_is_open_;  // not tried yet, and nothing would be lost: the rule starts from nothing
};

/// For graphs with clearly more rows than columns: as soon as the greedy start has matched all columns,
/// nothing is left to do; else the transposed graph is easier, where rows have a choice.
template <class Index>
void match_tall(const CsrGraph<Index>& graph, Matching<Index>& matching, Interrupt& interrupt,
                double most_passes) {
  constexpr std::size_t kSomeFailures = 64;
  const bool may_clear = matching.size == 0;
  std::vector<Index> failed;
  RowRange<Index> rows{0, graph.n_rows, 1};
  while (!rows.empty() && matching.size < graph.n_cols) {
    failed.clear();
    rows = match_greedily(graph, matching, rows, GreedyStart::kFirst, kSomeFailures, failed, interrupt);
  }
  if (matching.size == graph.n_cols) return;
  TransposeOnDemand<Index> wide(graph, interrupt);
  TransposeOnDemand<Index> tall(wide.view(), interrupt);
  matching = transposed(std::move(matching));
  Portfolio<Index>(wide.view(), tall, matching, may_clear, interrupt, most_passes).run();
  matching = transposed(std::move(matching));
}

}  // namespace detail

/// A maximum matching, by the method that suits the graph; cheap measurements and the yield of each step
/// decide:
///
///     greedy start: rows take their first free column ------ none fails ------------------------> done
///      |  a few rows have failed
///      +-- few rows have most edges, or half have none: depth-first searches, row by row --------> done
///      +-- within the first half of the rows: once more, rows take their last free column; or on,
///      |   as long as no more fail than there are more rows than columns
///      |    +-- again so, and rows have many edges: the shortest ones first --> searches in turns -> done
///      |    +-- again so, and one side has more nodes with edges, few of which have but one:
///      |    |   rarest columns for the other side --> searches in breadth from it ---------------> done
///      |    +-- again so, and there are short cycles and dead ends:
///      |    |   rarest columns --> searches in turns ---------------------------------------------> done
///      |    +-- again so: Karp and Sipser's rule, as far as it is forced
///      |         +-- it matches 1 in 12: the rest of the rule --+-- searches in turns, from the
///      |         +-- fewer: rows take their rarest column ------+   side with fewer free nodes --> done
///      |         +-- none, of 4 edges a row or more: the rest of
///      |             the greedy start --> searches in turns -------------------------------------> done
///      +-- else: the rest of the greedy start --> searches in turns ------------------------------> done
///
///     rows with edges to columns that stay free: depth-first searches, row by row, after a greedy
///     start if rows have many edges -------------------------------------------------------------> done
///     searches that get lost: row by row or in breadth, the next of these methods; in turns, the
///     whole rule, if it has not been tried --> push-relabel -------------------------------------> done
///
/// Graphs with clearly more rows than columns are searched from their columns. What each method is for:
/// - the greedy start: matrices with a nonzero diagonal, dense matrices;
/// - rarest columns (match_rarest_cols): a start that leaves a third to a half of the rows, before searches
///   on groups, roads, intervals, ropes and random graphs;
/// - depth-first searches row by row (DepthFirstSearch): power laws, Hankel graphs, wide matrices;
/// - Karp and Sipser's rule (KarpSipser): chains, bands, hidden triangles, random graphs of low degree; and
///   to know which side has the nodes that stay free; without a transpose as long as little is forced;
/// - searches in turns (SearchInTurns): meshes, roads, cliques, intervals, groups, random graphs of higher
///   degree;
/// - push-relabel (PushRelabel): where searches get lost; no known family defeats it.
///
/// O(nodes * edges) in the worst case; on all families measured, from 10^4 to 10^6 nodes, near O(edges).
/// With an `initial` matching (see starting_matching) the rule is left out: it starts from nothing.
/// `most_passes`: when searches in turns are lost; see SearchLimits.
template <class Index>
Matching<Index> match_automatically(const CsrGraph<Index>& graph, const Matching<Index>& initial = {},
                                    Interrupt& interrupt = no_interrupt(),
                                    double most_passes = SearchLimits::kMostPasses) {
  Matching<Index> matching = starting_matching(graph, initial, interrupt);
  if (detail::is_wide(graph.n_cols, graph.n_rows, graph.n_edges()) &&
      !detail::RowDegrees<Index>(graph).are_skewed) {
    detail::match_tall(graph, matching, interrupt, most_passes);
  } else {
    TransposeOnDemand<Index> transpose(graph, interrupt);
    const bool may_clear = matching.size == 0;
    detail::Portfolio<Index>(graph, transpose, matching, may_clear, interrupt, most_passes).run();
  }
  return matching;
}

}  // namespace hankelmatch
