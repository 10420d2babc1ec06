// Short suffixes with their long prefixes, the other half of a text's prefix-suffix graph (see
// hankel/hankel_matching.hpp), told one after another from the trie.
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/hankel/reads_ahead.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// The strings of length T in the order of their last symbols, so that those of a short suffix are an
/// interval of it.
template <class Id>
struct SuffixOrder {
  Id first_middle = 0;                ///< the first of the longest short suffixes
  std::vector<Interval<Id>> longest;  ///< of each short suffix the places of its strings of length T
  std::vector<Id> strings;            ///< strings of length T, numbered from 0, by place

  SuffixOrder(const MiddleStrings<Id>& middle, Interrupt& interrupt) {
    if (middle.suffix_bound == 0) return;  // T = 0: no suffix is short
    first_middle = middle.trie.level_begin[middle.suffix_bound - 1];
    order_strings(middle, interrupt);
  }

 private:
  /// Orders the short suffixes of each length by their reversed strings, which puts those that end alike side
  /// by side, and then the strings of length T by the places of their longest short suffixes. Dropping the
  /// first symbol leads to the parent of the reversed string, so each length is grouped by the places of the
  /// one before.
  void order_strings(const MiddleStrings<Id>& middle, Interrupt& interrupt) {
    const Trie<Id>& trie = middle.trie;
    const auto& level_begin = trie.level_begin;
    std::vector<Id> place(at(level_begin[middle.suffix_bound]), 0);
    // begins[k][i]: where the suffixes one longer than the i-th of length k begin
    std::vector<std::vector<Id>> begins;
    std::vector<Id> group_of;
    for (std::size_t length = 1; length < middle.suffix_bound; ++length) {
      group_of.clear();
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s)
        group_of.push_back(place[at(trie.suffix[at(s)])]);
      Groups<Id> groups(group_of, at(level_begin[length] - level_begin[length - 1]));
      for (std::size_t i = 0; i < group_of.size(); ++i)
        place[at(level_begin[length] + groups.order[i])] = static_cast<Id>(i);
      begins.push_back(std::move(groups.begin));
    }
    interrupt.check();
    NodeArray<Id> place_of(middle.size());
    for_each_range(0, middle.size(), interrupt, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k)
        place_of[k] = place[at(trie.suffix[at(middle.long_suffix[k])])];
    });
    Groups<Id> by_end(place_of, at(level_begin[middle.suffix_bound] - first_middle));
    strings = std::move(by_end.order);
    begins.push_back(std::move(by_end.begin));
    for (std::size_t length = 0; length < middle.suffix_bound; ++length) {
      for (Id s = level_begin[length]; s < level_begin[length + 1]; ++s) {
        Interval<Id> of_s{place[at(s)], place[at(s)] + 1};
        for (std::size_t k = length; k < begins.size(); ++k)
          of_s = {begins[k][at(of_s.begin)], begins[k][at(of_s.end)]};
        longest.push_back(of_s);
      }
    }
  }
};

/// The short suffixes and, for each, its long prefixes. A suffix's strings shorter than T matter only to one
/// that has used up those of length T; they are looked for when `complete` asks.
///
/// A cursor into the list of a suffix is a place in the order or, above its end, in the list of further
/// prefixes.
template <class Id>
class SuffixRows {
 public:
  using index_type = Id;
  Id n_rows = 0;
  Id n_cols = 0;

  SuffixRows(const MiddleStrings<Id>& middle, const SuffixOrder<Id>& order)
      : n_rows(static_cast<Id>(order.longest.size())),
        n_cols(static_cast<Id>(middle.trie.n_nodes())),
        middle_(middle),
        trie_(middle.trie),
        order_(order),
        completed_(at(order.first_middle)),
        further_(at(order.first_middle), Interval<Id>{0, 0}) {}

  Id begin(Id s) const { return order_.longest[at(s)].begin; }
  void prefetch_row(Id s) const { prefetch(&order_.longest[at(s)]); }
  /// To the prefix of the first string of length T, if there is one.
  ReadsAhead<Id> reads_ahead(Id s) const {
    if (n_longest(s) == 0) return {};
    const Id* const number = order_.strings.data() + order_.longest[at(s)].begin;
    if (s >= order_.first_middle) return {0, number, middle_.long_prefix.data(), 2};
    const Id string = middle_.first_string + *number;
    return {string, trie_.parent.data() + string, trie_.parent.data(), trie_.length(s)};
  }
  Id n_longest(Id s) const { return order_.longest[at(s)].end - order_.longest[at(s)].begin; }

  /// The next long prefix of a suffix that is wanted, or kUnmatched after the last one that is known.
  template <class Wanted>
  Id find(Id s, Id& cursor, const Wanted& wanted) const {
    for (const Id end = order_.longest[at(s)].end; cursor < end;) {
      const Id prefix = column_of(s, order_.strings[at(cursor++)]);
      if (wanted(prefix)) return prefix;
    }
    if (s >= order_.first_middle) return kUnmatched;  // all its strings have length T
    const auto above = static_cast<Id>(order_.strings.size()) + 1;
    if (cursor < above) cursor = above + further_[at(s)].begin;
    while (cursor - above < further_[at(s)].end) {
      const Id prefix = further_prefixes_[at(cursor++ - above)];
      if (wanted(prefix)) return prefix;
    }
    return kUnmatched;
  }

  // The strings of length T, numbered from 0, as the cuts of these suffixes.

  Id first_middle() const { return order_.first_middle; }  ///< the first of the longest of these suffixes
  /// The suffix without its first symbol.
  Id shorter(Id s) const { return trie_.suffix[at(s)]; }
  Id string_at(Id place) const { return order_.strings[at(place)]; }
  /// The prefix that a string has before its suffix s.
  Id column_of(Id s, Id string) const {
    if (s >= order_.first_middle) return middle_.long_prefix[at(string)];
    return shorter_prefix(trie_, middle_.first_string + string, trie_.length(s));
  }
  /// The string of a suffix and a prefix, or kUnmatched if it is shorter.
  Id string_between(Id s, Id prefix) const {
    const Id node = joined(trie_, prefix, s);
    return node < middle_.first_string ? Id{kUnmatched} : node - middle_.first_string;
  }
  /// Calls visit(s, string) for every string; s is the longest of these suffixes that it has.
  template <class Visit>
  void for_each_middle_cut(const Visit& visit) const {
    if (n_rows == 0) return;
    for (std::size_t string = 0; string < middle_.long_suffix.size(); ++string)
      visit(shorter(middle_.long_suffix[string]), static_cast<Id>(string));
  }

  /// Finds what is missing in the lists of the given suffixes; false if nothing may be.
  bool complete(const Bitset& wanted, Interrupt& interrupt) {
    Bitset incomplete(at(order_.first_middle));
    wanted.for_each(0, incomplete.size(), [&](std::size_t s) {
      if (!completed_.test(s)) incomplete.set(s);
    });
    if (incomplete.count() == 0) return false;
    std::vector<Id> suffixes;
    std::vector<Id> prefixes;
    for_each_string_ending_in(trie_, incomplete, interrupt, [&](Id string, Id suffix, std::size_t rest) {
      if (rest < middle_.prefix_bound) return;
      suffixes.push_back(suffix);
      prefixes.push_back(shorter_prefix(trie_, string, trie_.length(suffix)));
    });
    const Groups<Id> by_suffix(suffixes, at(order_.first_middle));
    incomplete.for_each([&](std::size_t s) {
      completed_.set(s);
      further_[s].begin = static_cast<Id>(further_prefixes_.size());
      for (Id k = by_suffix.begin[s + 1]; k-- > by_suffix.begin[s];)  // the longest first
        further_prefixes_.push_back(prefixes[at(by_suffix.order[at(k)])]);
      further_[s].end = static_cast<Id>(further_prefixes_.size());
    });
    return true;
  }

 private:
  const MiddleStrings<Id>& middle_;
  const Trie<Id>& trie_;
  const SuffixOrder<Id>& order_;
  Bitset completed_;
  std::vector<Interval<Id>> further_;  // of each suffix below first_middle its places in further_prefixes_
  std::vector<Id> further_prefixes_;
};

}  // namespace hankelmatch::detail
