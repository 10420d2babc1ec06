// Two searches for augmenting paths that take turns: which one is better differs from graph to graph.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/graph/csr.hpp>
#include <hankelmatch/matching/breadth_first.hpp>
#include <hankelmatch/matching/look_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/matching/pothen_fan.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Which search has the first round; kBreadthAlone: and all others.
enum class FirstRound : std::uint8_t { kDepth, kBreadth, kBreadthAlone };

/// When searches are given up: after two rounds in a row at whose speed it would all take more passes over
/// the edges; or, at once, where more rows are left for each free column.
struct SearchLimits {
  /// Shuffled tori take 5 to 11 passes, intervals 11, nested intervals 4; groups low to high would take
  /// hundreds (benchmarks.matching).
  static constexpr double kMostPasses = 32;
  double most_passes = kMostPasses;
  std::size_t most_rows_a_col = std::numeric_limits<std::size_t>::max();
};

/// Rounds of breadth-first searches (BreadthFirstRounds) and of fair depth-first searches (PothenFan). The
/// next round falls to the search whose last one reduced the free rows faster: breadth is better on roads,
/// chains of cliques, intervals and random graphs; depth on tori of three dimensions, and on meshes and
/// nested intervals in their natural order (benchmarks.matching).
template <class Index>
class SearchInTurns {
 public:
  /// Columns in `closed` are known to be on no augmenting path; `from_last_edge`: see PothenFan.
  SearchInTurns(const CsrGraph<Index>& graph, LookAhead<Index>& look_ahead, Matching<Index>& matching,
                Bitset closed, FirstRound first, bool from_last_edge, Interrupt& interrupt)
      : n_few_(at(graph.n_rows) / kPartFew + 1),
        edges_of_a_pass_(static_cast<double>(graph.n_edges()) + static_cast<double>(graph.n_rows)),
        may_look_farther_(first != FirstRound::kDepth && edges_of_a_pass_ > kVeryLarge &&
                          graph.n_edges() / kManyEdges >= graph.n_rows),
        is_breadth_alone_(first == FirstRound::kBreadthAlone ||
                          (first == FirstRound::kBreadth && edges_of_a_pass_ > kBeyondCaches)),
        in_depth_(first == FirstRound::kDepth),
        look_ahead_(look_ahead),
        interrupt_(interrupt),
        closed_(std::move(closed)),
        breadth_{BreadthFirstRounds<Index>(graph, look_ahead, matching, closed_, interrupt), 1, slow()},
        depth_{PothenFan<Index>(graph, look_ahead, matching, closed_, interrupt, from_last_edge),
               edges_of_a_pass_ > kLarge ? kPriceOfDepth : kPriceInCache, slow()} {
    look_ahead.leave_out(closed_);
  }

  SearchInTurns(const SearchInTurns&) = delete;
  SearchInTurns& operator=(const SearchInTurns&) = delete;

  /// Searches from these free rows until none of them has a path any more. False if it gives up.
  bool run(std::vector<Index> rows, const SearchLimits& limits) {
    if (may_look_farther_ && rows.size() >= 2 * n_few_) search_but_few(rows);
    for (int n_slow = 0; !rows.empty() && n_slow < 2;) {
      const double expected = in_depth_ ? search_all(depth_, rows) : search_all(breadth_, rows);
      const double left = logarithm(rows);
      if (in_depth_ ? breadth_.is_better_than(depth_, left) : depth_.is_better_than(breadth_, left))
        in_depth_ = !in_depth_;
      if (!breadth_.is_tried && n_passes_ < kLittle * depth_.price) in_depth_ = false;
      n_slow = expected > limits.most_passes ? n_slow + 1 : 0;
      // The last columns of random graphs have no edges, and a search in vain for these reads the whole
      // graph: degree 15 ^T of 1,000,000 rows takes half of the time (benchmarks.matching --slopes).
      if (!rows.empty() && !look_ahead_.has_free_col_with_edges()) return true;
      if (rows.size() / limits.most_rows_a_col > look_ahead_.n_free()) return false;
    }
    return rows.empty();
  }

 private:
  // A search that has not been tried is tried when the speed of the other one falls, from one round to the
  // next, to less than three quarters, and below that at which the free rows fall to a quarter in one pass
  // over the edges, if more than two such passes are left. While it rises, as on intervals and butterflies,
  // the other one is tried in vain; so it is on meshes and ropes, shuffled, where the speed falls to 1.4, but
  // not on tori of three dimensions, where it falls to 1.2 (benchmarks.matching).
  static constexpr double kFall = 0.75;
  static constexpr double kSlow = 1.3;
  static constexpr double kLong = 2;
  // So small a part of a pass, over all rounds, says nothing of the few rows that it leaves; from these the
  // shortest paths are tried next (rajat01: two of 187 rows took three quarters of the time in depth).
  static constexpr double kLittle = 1.0 / 48;
  // An edge followed in depth takes as long as eight or more in breadth, where memory is read ahead
  // (benchmarks.matching, meshes, tori and ropes, shuffled).
  static constexpr double kPriceOfDepth = 8;
  // Of graphs with less than so many edges and rows, which stay in the caches, it takes as long as three, and
  // is worth a trial sooner: intervals, butterflies and meshes of 10,000 to 40,000 rows would take 1.3 to 2
  // times as long (benchmarks.matching --quick).
  static constexpr double kLarge = 400'000;
  static constexpr double kPriceInCache = 3;
  static constexpr double kSlowInCache = 2;

  // Of graphs beyond the caches, each step in depth waits for memory two or three times, one after the other,
  // unless rows lie near one another: an edge takes as long as 12 to 34 in breadth, so depth is not tried.
  // Shuffled meshes of 300,000 and 1,000,000 rows take .7 and .55 of the time that they take with it, tori of
  // two dimensions 1.0 and .67, of three .9 and 1.0, chains of cliques 1.0 and .8; tori of three dimensions
  // and 100,000 rows 1.35 (benchmarks.matching).
  static constexpr double kBeyondCaches = 1'500'000;

  // The last rows of large random graphs, so few, take half of the time of all searches if rows have many
  // edges, and little if the look-ahead goes farther for them: of degree 15 and 20 and 1,000,000 rows .5 to
  // .8 of the time in all (hypercubes 1.04; at 100,000 rows 1.0), and no less with a half or twice as many
  // rows. Where searches meet in the round before, as on chains of cliques, it is of no use
  // (benchmarks.matching).
  static constexpr std::size_t kPartFew = 4096;
  static constexpr Index kManyEdges = 8;
  static constexpr double kVeryLarge = 3'000'000;
  static_assert(kVeryLarge > kBeyondCaches);  // a look-ahead that goes farther is not for searches in depth
  static constexpr std::size_t kPartMet = 4;

  double slow() const {
    if (is_breadth_alone_) return 0;
    return edges_of_a_pass_ > kLarge ? kSlow : kSlowInCache;
  }

  template <class Rounds>
  struct Search {
    Rounds rounds;
    double price;      // of an edge
    double slow;       // the speed below which the other search may be tried
    double speed = 0;  // the logarithm of the factor by which a pass over the edges reduces the free rows
    double speed_before = 0;
    bool is_tried = false;

    /// Whether the next round is for this search, after a round of the other one. `left`: the logarithm of
    /// the free rows.
    template <class Other>
    bool is_better_than(const Search<Other>& last, double left) const {
      if (is_tried) return speed > last.speed;
      return last.speed < slow && last.speed < kFall * last.speed_before && last.speed * kLong < left;
    }
  };

  /// A round without the last few rows. If nearly all others are done with, and few columns are free, the
  /// look-ahead goes farther for these.
  void search_but_few(std::vector<Index>& rows) {
    const std::vector<Index> few(rows.end() - static_cast<std::ptrdiff_t>(n_few_), rows.end());
    rows.resize(rows.size() - n_few_);
    search_all(breadth_, rows);
    if (rows.size() < n_few_ / kPartMet && look_ahead_.n_free() < 2 * n_few_)
      look_ahead_.look_farther(interrupt_);
    rows.insert(rows.end(), few.begin(), few.end());
  }

  static double logarithm(const std::vector<Index>& rows) {
    return std::log(static_cast<double>(rows.size()) + 1);
  }

  /// A round. Returns the passes that have been made and are to be expected, all together.
  template <class Rounds>
  double search_all(Search<Rounds>& search, std::vector<Index>& rows) {
    const double before = logarithm(rows);
    const std::uint64_t work_before = search.rounds.work();
    search.rounds.search_all(rows);
    const double n_passes =
        search.price * static_cast<double>(search.rounds.work() - work_before) / edges_of_a_pass_;
    n_passes_ += n_passes;
    search.is_tried = true;
    search.speed_before = std::exchange(search.speed, (before - logarithm(rows)) / n_passes);
    return n_passes_ + logarithm(rows) / search.speed;
  }

  const std::size_t n_few_;
  const double edges_of_a_pass_;
  const bool may_look_farther_;  // the look-ahead, for the last few rows
  const bool is_breadth_alone_;
  bool in_depth_;  // the next round
  LookAhead<Index>& look_ahead_;
  Interrupt& interrupt_;
  double n_passes_ = 0;
  Bitset closed_;
  Search<BreadthFirstRounds<Index>> breadth_;
  Search<PothenFan<Index>> depth_;
};

}  // namespace hankelmatch
