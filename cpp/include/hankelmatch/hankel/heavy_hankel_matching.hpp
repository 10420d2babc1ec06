// A maximum matching of a prefix-suffix graph that prefers heavy edges, from its trie: the list of edges is
// never made.
#pragma once

#include <cmath>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/short_long_split.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {
namespace detail {

/// Makes the short nodes of a half prefer their heavy strings, great in size, among those of length T. The
/// longest short nodes choose from all of these, a shorter one from the heaviest strings of those that are
/// one symbol longer.
template <class Rows>
class HeavierMates {
 public:
  using Id = typename Rows::index_type;

  /// `values`: of the strings of length T.
  HeavierMates(const Rows& rows, std::span<const double> values, Mates<Id>& row_mate, Mates<Id>& col_mate,
               Interrupt& interrupt)
      : rows_(rows),
        values_(values),
        row_mate_(row_mate),
        col_mate_(col_mate),
        interrupt_(interrupt),
        heaviest_(at(rows.n_rows)),
        longer_(at(rows.n_rows), kUnmatched),
        sibling_(at(rows.n_rows), kUnmatched) {}

  /// Matches each of the longest short nodes by its heaviest string, if the other end is free.
  void start() {
    rows_.for_each_middle_cut([&](Id row, Id string) { heaviest_[at(row)].see(weight(string), string); });
    for (Id row = rows_.first_middle(); row < rows_.n_rows; ++row) {
      if (heaviest_[at(row)].string == kUnmatched) continue;
      const Id col = rows_.column_of(row, heaviest_[at(row)].string);
      if (col_mate_[at(col)] != kUnmatched) continue;
      row_mate_[at(row)] = col;
      col_mate_[at(col)] = row;
    }
  }

  /// Lets each node that has a mate, the longest first, move to the heaviest string that it chooses from and
  /// that has its other end free by then, if that is heavier than the one it has.
  void improve() {
    for (Id row = rows_.n_rows; row-- > 0;) {
      const Heaviest& heaviest = heaviest_[at(row)];
      if (heaviest.string == kUnmatched) continue;
      if (row_mate_[at(row)] != kUnmatched && !join(row, heaviest.string)) choose(row);
      if (row > 0) hand_on(row, rows_.shorter(row));
    }
  }

 private:
  static constexpr double kNone = -1.0;  // less than any size

  /// The two heaviest strings of a node.
  struct Heaviest {
    double weight = kNone;
    double second_weight = kNone;
    Id string = kUnmatched;
    Id second = kUnmatched;

    void see(double other, Id other_string) {
      if (other <= second_weight) return;
      if (other > weight) {
        std::swap(other, weight);
        std::swap(other_string, string);
      }
      second_weight = other;
      second = other_string;
    }
  };

  double weight(Id string) const { return std::abs(values_[at(string)]); }

  /// Of a node whose heaviest string has no free end.
  void choose(Id row) {
    double most = kNone;
    const auto consider = [&](double other, Id string) {
      if (other > most && join(row, string)) most = other;
    };
    if (row < rows_.first_middle()) {
      const Id present = rows_.string_between(row, row_mate_[at(row)]);
      if (present != kUnmatched) most = weight(present);
      for (Id r = longer_[at(row)]; r != kUnmatched; r = sibling_[at(r)])
        consider(heaviest_[at(r)].weight, heaviest_[at(r)].string);
      return;
    }
    const Id second = heaviest_[at(row)].second;
    if (second == kUnmatched || join(row, second)) return;
    const Id end = rows_.begin(row) + rows_.n_longest(row);
    interrupt_.poll(static_cast<std::uint64_t>(rows_.n_longest(row)));
    for (Id place = rows_.begin(row); place < end; ++place) {
      const Id string = rows_.string_at(place);
      consider(weight(string), string);
    }
  }

  void hand_on(Id row, Id shorter) {
    sibling_[at(row)] = longer_[at(shorter)];
    longer_[at(shorter)] = row;
    heaviest_[at(shorter)].see(heaviest_[at(row)].weight, heaviest_[at(row)].string);
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
  std::span<const double> values_;
  Mates<Id>& row_mate_;
  Mates<Id>& col_mate_;
  Interrupt& interrupt_;
  std::vector<Heaviest> heaviest_;
  std::vector<Id> longer_;   // of each row the first of those one symbol longer, and
  std::vector<Id> sibling_;  // the next of these
};

}  // namespace detail

/// A maximum matching of all strings of a trie that prefers heavy edges: the longest short nodes start with
/// their heaviest strings of length T, as far as these agree; hankel_matching makes that maximum; then all
/// short nodes, one after another, move to heavier ones whose other end is free. Shorter strings are heavier,
/// but the blocks of matchings that have many of them are of lower numeric rank, and predict worse.
/// `values`: one for each node; a weight is the size of one. Cost beside hankel_matching: two looks at most
/// at the strings of length T. The edges seen are those of hankel_matching.
template <class Id>
HankelMatching<Id> heavy_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> values,
                                         Interrupt& interrupt = no_interrupt()) {
  const auto of_longest = values.subspan(at(halves.middle().first_string));
  const auto prefer = [&](const auto& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& own,
                          const auto& search) {
    detail::HeavierMates heavier(rows, of_longest, row_mate, col_mate, own);
    heavier.start();
    search();
    heavier.improve();
  };
  return hankel_matching(halves, interrupt, prefer);
}

}  // namespace hankelmatch
