// A maximum matching of a prefix-suffix graph that prefers heavy edges, from its trie: the list of edges is
// never made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hankelmatch/at.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/hankel_matching.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {
namespace detail {

/// Makes the short nodes of a half prefer their heavy strings among those of length T. The longest short
/// nodes choose among all of these, a shorter one among the heaviest strings of those that are one symbol
/// longer.
template <class Rows>
class HeavierMates {
 public:
  using Id = typename Rows::index_type;

  /// `weights`: of the strings of length T.
  HeavierMates(const Rows& rows, std::span<const double> weights, Mates<Id>& row_mate, Mates<Id>& col_mate,
               Interrupt& interrupt)
      : rows_(rows),
        weights_(weights),
        row_mate_(row_mate),
        col_mate_(col_mate),
        interrupt_(interrupt),
        heaviest_(at(rows.n_rows), Candidate{kNone, kUnmatched}),
        longer_(at(rows.n_rows), kUnmatched),
        sibling_(at(rows.n_rows), kUnmatched) {}

  /// Matches each of the longest short nodes by its heaviest string, if the other end is free. Those with few
  /// strings choose first, as in the search that is to follow.
  void start() {
    rows_.for_each_middle_cut(
        [&](Id row, Id string) { heaviest_[at(row)].improve(weights_[at(string)], string); });
    for (const Id row : by_number_of_strings<Id>(rows_)) {
      if (heaviest_[at(row)].string == kUnmatched) continue;
      const Id col = rows_.column_of(row, heaviest_[at(row)].string);
      if (col_mate_[at(col)] != kUnmatched) continue;
      row_mate_[at(row)] = col;
      col_mate_[at(col)] = row;
    }
  }

  /// Gives each node that has a mate, the longest first, the heaviest of its strings whose other end is free
  /// or its own.
  void improve() {
    for (Id row = rows_.n_rows; row-- > 0;) {
      if (heaviest_[at(row)].string == kUnmatched) continue;
      if (row_mate_[at(row)] != kUnmatched) choose(row);
      if (row > 0) hand_on(row, rows_.shorter(row));
    }
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  struct Candidate {
    double weight;
    Id string;

    void improve(double other, Id other_string) {
      if (other > weight) *this = {other, other_string};
    }
  };

  void choose(Id row) {
    if (join(row, heaviest_[at(row)].string)) return;
    double weight = kNone;
    const auto consider = [&](double other, Id string) {
      if (other > weight && join(row, string)) weight = other;
    };
    if (row < rows_.first_middle()) {
      for (Id r = longer_[at(row)]; r != kUnmatched; r = sibling_[at(r)])
        consider(heaviest_[at(r)].weight, heaviest_[at(r)].string);
      return;
    }
    const Id end = rows_.begin(row) + rows_.n_longest(row);
    interrupt_.poll(static_cast<std::uint64_t>(rows_.n_longest(row)));
    for (Id place = rows_.begin(row); place < end; ++place) {
      const Id string = rows_.string_at(place);
      consider(weights_[at(string)], string);
    }
  }

  void hand_on(Id row, Id shorter) {
    sibling_[at(row)] = longer_[at(shorter)];
    longer_[at(shorter)] = row;
    heaviest_[at(shorter)].improve(heaviest_[at(row)].weight, heaviest_[at(row)].string);
  }

  /// Makes the ends of a string mates if the other one is free or has this row already.
  bool join(Id row, Id string) {
    const Id col = rows_.column_of(row, string);
    Id& mate = col_mate_[at(col)];
    if (mate != kUnmatched) return mate == row;
    col_mate_[at(row_mate_[at(row)])] = kUnmatched;
    row_mate_[at(row)] = col;
    mate = row;
    return true;
  }

  const Rows& rows_;
  std::span<const double> weights_;
  Mates<Id>& row_mate_;
  Mates<Id>& col_mate_;
  Interrupt& interrupt_;
  std::vector<Candidate> heaviest_;
  std::vector<Id> longer_;   // of each row the first of those one symbol longer, and
  std::vector<Id> sibling_;  // the next of these
};

}  // namespace detail

/// A maximum matching of all strings of a trie that prefers heavy edges: short nodes start with their
/// heaviest strings of length T, as far as these agree; hankel_matching makes that maximum; then they take,
/// one after another, the heaviest of these strings that has its other end free. Shorter strings are heavier,
/// but the blocks of matchings that have many of them are of lower numeric rank, and predict worse.
/// `weights`: finite, one for each node. Cost beside hankel_matching: two looks at most at the strings of
/// length T.
template <class Id>
Matching<Id> heavy_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> weights,
                                   Interrupt interrupt = {}) {
  const auto of_longest = weights.subspan(at(halves.middle().first_string));
  const auto prefer = [&](const auto& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& own,
                          const auto& search) {
    detail::HeavierMates heavier(rows, of_longest, row_mate, col_mate, own);
    heavier.start();
    search();
    heavier.improve();
  };
  return hankel_matching(halves, std::move(interrupt), prefer).matching;
}

}  // namespace hankelmatch
