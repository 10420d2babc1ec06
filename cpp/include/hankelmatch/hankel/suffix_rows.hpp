// Short suffixes as rows, their long prefixes as columns: the other side of a text's prefix-suffix graph (see
// hankel/hankel_matching.hpp).
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// The longest strings in the order of their last symbols: those that end in a short suffix are an interval.
template <class Id>
struct SuffixOrder {
  std::vector<Interval<Id>> intervals;  ///< for each short suffix, the places of its longest strings
  std::vector<Id> strings;              ///< the longest strings, counted from 0, by place

  SuffixOrder(const LongestStrings<Id>& full, Interrupt& interrupt) {
    if (full.suffix_bound > 0) order_strings(full, interrupt);
  }

 private:
  /// Orders the short suffixes of each length by their reversed strings, so that those with the same end are
  /// consecutive; then the longest strings by the places of their deepest short suffixes. A suffix without
  /// its first symbol is the parent of the reversed string, so each length is grouped by the places of the
  /// length before.
  void order_strings(const LongestStrings<Id>& full, Interrupt& interrupt) {
    const Trie<Id>& trie = full.trie;
    const auto& level_begin = trie.level_begin;
    std::vector<Id> place(at(full.n_short_suffixes()), 0);
    // begins[k][i]: where the suffixes one symbol longer than the i-th of length k begin
    std::vector<std::vector<Id>> begins;
    std::vector<Id> group_of;
    for (std::size_t length = 1; length < full.suffix_bound; ++length) {
      group_of.clear();
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s)
        group_of.push_back(place[at(trie.suffix[at(s)])]);
      Groups<Id> groups(group_of, at(level_begin[length] - level_begin[length - 1]), interrupt);
      for (std::size_t i = 0; i < group_of.size(); ++i)
        place[at(level_begin[length] + groups.order[i])] = static_cast<Id>(i);
      begins.push_back(std::move(groups.begin));
    }
    interrupt.check();
    NodeArray<Id> place_of(full.size());
    for_each_range(0, full.size(), interrupt, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) place_of[k] = place[at(trie.suffix[at(full.long_suffix[k])])];
    });
    Groups<Id> by_end(place_of, at(full.n_short_suffixes() - full.first_deepest_suffix()), interrupt);
    strings = std::move(by_end.order);
    begins.push_back(std::move(by_end.begin));
    for (std::size_t length = 0; length < full.suffix_bound; ++length) {
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s) {
        Interval<Id> of_s{place[at(s)], place[at(s)] + 1};
        for (std::size_t k = length; k < begins.size(); ++k)
          of_s = {begins[k][at(of_s.begin)], begins[k][at(of_s.end)]};
        intervals.push_back(of_s);
      }
    }
  }
};

/// The short suffixes, each with its long prefixes. Only a suffix that has used up its longest strings needs
/// shorter ones; `complete` finds these.
///
/// A cursor into the list of a suffix is a place in the order or, above its end, in the list of further
/// prefixes.
template <class Id>
class SuffixRows {
 public:
  using index_type = Id;
  Id n_rows = 0;
  Id n_cols = 0;

  SuffixRows(const LongestStrings<Id>& full, const SuffixOrder<Id>& order)
      : n_rows(full.n_short_suffixes()),
        n_cols(static_cast<Id>(full.trie.n_nodes())),
        full_(full),
        trie_(full.trie),
        order_(order),
        first_deepest_(full.first_deepest_suffix()),
        completed_(at(first_deepest_)),
        further_(at(first_deepest_), Interval<Id>{0, 0}) {}

  Id begin(Id s) const { return order_.intervals[at(s)].begin; }
  Id n_full(Id s) const { return order_.intervals[at(s)].size(); }
  void prefetch_row(Id s) const { prefetch(&order_.intervals[at(s)]); }
  /// The reads that lead to the prefix of the first longest string, if there is one.
  ReadChain<Id> read_chain(Id s) const {
    if (n_full(s) == 0) return {};
    const Id* const number = order_.strings.data() + begin(s);
    if (s >= first_deepest_) return {0, number, full_.long_prefix.data(), 2};
    const Id string = full_.first + *number;
    return {string, trie_.parent.data() + string, trie_.parent.data(), trie_.length(s)};
  }

  /// The next known prefix of a suffix for which wanted(prefix) is true, or kUnmatched after the last one.
  template <class Wanted>
  Id find(Id s, Id& cursor, const Wanted& wanted) const {
    for (const Id end = order_.intervals[at(s)].end; cursor < end;) {
      const Id prefix = column_of(s, order_.strings[at(cursor++)]);
      if (wanted(prefix)) return prefix;
    }
    if (s >= first_deepest_) return kUnmatched;  // it has longest strings only
    const auto above = static_cast<Id>(order_.strings.size()) + 1;
    if (cursor < above) cursor = above + further_[at(s)].begin;
    while (cursor - above < further_[at(s)].end) {
      const Id prefix = further_prefixes_[at(cursor++ - above)];
      if (wanted(prefix)) return prefix;
    }
    return kUnmatched;
  }

  /// Adds the prefixes that the lists of some suffixes lack; false if all lists were complete.
  bool complete(const Bitset& suffixes, Interrupt& interrupt) {
    Bitset incomplete(at(first_deepest_));
    suffixes.for_each(0, incomplete.size(), [&](std::size_t s) {
      if (!completed_.test(s)) incomplete.set(s);
    });
    if (incomplete.count() == 0) return false;
    std::vector<Id> ends;
    std::vector<Id> prefixes;
    for_each_string_ending_in(trie_, incomplete, interrupt, [&](Id string, Id suffix, std::size_t rest) {
      if (rest < full_.prefix_bound) return;
      ends.push_back(suffix);
      prefixes.push_back(shorter_prefix(trie_, string, trie_.length(suffix)));
    });
    require_countable(order_.strings.size() + further_prefixes_.size() + ends.size());
    const Groups<Id> by_end(ends, at(first_deepest_), interrupt);
    incomplete.for_each([&](std::size_t s) {
      completed_.set(s);
      further_[s].begin = static_cast<Id>(further_prefixes_.size());
      for (Id k = by_end.begin[s + 1]; k-- > by_end.begin[s];)  // the longest first
        further_prefixes_.push_back(prefixes[at(by_end.order[at(k)])]);
      further_[s].end = static_cast<Id>(further_prefixes_.size());
    });
    return true;
  }

  /// Throws overflow_error if Id cannot count as many places of the lists: there may be more than nodes.
  static void require_countable(std::size_t n_places) {
    if (std::cmp_greater_equal(n_places, std::numeric_limits<Id>::max()))
      throw std::overflow_error("graph: its edges are too many for the ids; count substrings with wide ids");
  }

  // The cuts of longest strings, counted from 0, before these suffixes.

  Id first_deepest() const { return first_deepest_; }
  /// The suffix without its first symbol.
  Id shorter(Id s) const { return trie_.suffix[at(s)]; }
  Id string_at(Id place) const { return order_.strings[at(place)]; }
  /// The prefix that precedes suffix s in a longest string.
  Id column_of(Id s, Id string) const {
    if (s >= first_deepest_) return full_.long_prefix[at(string)];
    return shorter_prefix(trie_, full_.first + string, trie_.length(s));
  }
  Id string_between(Id s, Id prefix) const { return full_.joined(prefix, s); }
  /// Calls visit(s, string) for every longest string and its deepest short suffix s.
  template <class Visit>
  void for_each_deepest_cut(const Visit& visit) const {
    if (n_rows == 0) return;
    for (std::size_t string = 0; string < full_.size(); ++string)
      visit(shorter(full_.long_suffix[string]), static_cast<Id>(string));
  }

 private:
  const LongestStrings<Id>& full_;
  const Trie<Id>& trie_;
  const SuffixOrder<Id>& order_;
  Id first_deepest_;
  Bitset completed_;
  std::vector<Interval<Id>> further_;  // for each suffix below first_deepest_, places in further_prefixes_
  std::vector<Id> further_prefixes_;
};

}  // namespace hankelmatch::detail
