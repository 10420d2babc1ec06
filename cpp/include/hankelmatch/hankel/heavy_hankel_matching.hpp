// A maximum matching of a text's prefix-suffix graph that prefers heavy edges, without a list of edges.
#pragma once

#include <cmath>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {
namespace detail {

/// The hook of hankel_matching that lets the short nodes of one side prefer their heaviest longest strings:
/// those whose values are largest in size. The deepest short nodes choose from all of these. A shorter node
/// chooses from the heaviest strings of the nodes one symbol longer.
template <class Rows>
class HeavierMates {
 public:
  using Id = typename Rows::index_type;

  /// `values`: one for each longest string.
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

  /// Matches each of the deepest short nodes by its heaviest string, if the other end is free.
  void before_search() {
    rows_.for_each_deepest_cut([&](Id row, Id string) { heaviest_[at(row)].see(weight(string), string); });
    for (Id row = rows_.first_deepest(); row < rows_.n_rows; ++row) {
      if (heaviest_[at(row)].string == kUnmatched) continue;
      const Id col = rows_.column_of(row, heaviest_[at(row)].string);
      if (col_mate_[at(col)] != kUnmatched) continue;
      row_mate_[at(row)] = col;
      col_mate_[at(col)] = row;
    }
  }

  /// Each matched node, the deepest first, moves to the heaviest string of its choice that has its other end
  /// free by then, if that is heavier than the string it has.
  void after_search() {
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

  /// For a node whose heaviest string does not have its other end free.
  void choose(Id row) {
    double most = kNone;
    const auto consider = [&](double other, Id string) {
      if (other > most && join(row, string)) most = other;
    };
    if (row < rows_.first_deepest()) {
      const Id present = rows_.string_between(row, row_mate_[at(row)]);
      if (present != kUnmatched) most = weight(present);
      for (Id r = longer_[at(row)]; r != kUnmatched; r = sibling_[at(r)])
        consider(heaviest_[at(r)].weight, heaviest_[at(r)].string);
      return;
    }
    const Id second = heaviest_[at(row)].second;
    if (second == kUnmatched || join(row, second)) return;
    const Id end = rows_.begin(row) + rows_.n_full(row);
    interrupt_.poll(static_cast<std::uint64_t>(rows_.n_full(row)));
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

  /// Matches the ends of a string if the other one is free; true also if they are mates already.
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
  std::vector<Id> longer_;   // for each row, the first of the rows one symbol longer,
  std::vector<Id> sibling_;  // and for each of these the next one
};

}  // namespace detail

/// A maximum matching of all strings of a trie that prefers heavy edges. The deepest short nodes begin with
/// their heaviest longest strings, where these do not collide; hankel_matching makes that maximum; then all
/// short nodes, one after another, move to heavier longest strings whose other end is free. Shorter strings
/// are heavier, but matchings with many of them give blocks of lower numeric rank, which predict worse.
/// `values`: one for each node; the weight of a string is the size of its value. Cost beside hankel_matching:
/// at most two looks at each longest string. n_edges_seen is that of hankel_matching.
template <class Id>
[[nodiscard]] HankelMatching<Id> heavy_hankel_matching(const SplitGraph<Id>& split,
                                                       std::span<const double> values,
                                                       Interrupt& interrupt = no_interrupt()) {
  const auto of_full = values.subspan(at(split.longest_strings().first));
  const auto make_hook = [&](const auto& rows, Mates<Id>& row_mate, Mates<Id>& col_mate, Interrupt& own) {
    return detail::HeavierMates(rows, of_full, row_mate, col_mate, own);
  };
  return hankel_matching(split, interrupt, make_hook);
}

}  // namespace hankelmatch
