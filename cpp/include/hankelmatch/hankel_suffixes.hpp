// Short suffixes with their long prefixes, the other half of a text's prefix-suffix graph (see
// hankel_matching.hpp), told one after another from the trie.
#pragma once

#include <cstddef>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/hankel_prefixes.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/large_pages.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/prefetch.hpp>
#include <hankelmatch/trie.hpp>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Calls visit(string, suffix, length of the rest) for every string shorter than T that ends in a member of a
/// set of suffixes, once for each such suffix. Cost: one pass over the suffix links, and the chains of what
/// is found.
template <class Id, class Visit>
void for_each_string_ending_in(const Trie<Id>& trie, const Bitset& suffixes, Interrupt& interrupt,
                               const Visit& visit) {
  const auto is_member = [&](Id x) { return at(x) < suffixes.size() && suffixes.test(at(x)); };
  Bitset found(trie.n_nodes());
  for (std::size_t length = 0; length + 1 < trie.n_levels(); ++length) {
    interrupt.check();
    for (Id x = trie.level_begin[length]; x < trie.level_begin[length + 1]; ++x) {
      if (!is_member(x) && !(x > 0 && found.test(at(trie.suffix[at(x)])))) continue;
      found.set(at(x));
      Id suffix = x;
      for (std::size_t i = 0; i <= length; ++i, suffix = trie.suffix[at(suffix)])
        if (is_member(suffix)) visit(x, suffix, i);
    }
  }
}

/// The node without its last `n` symbols.
template <class Id>
Id shorter_prefix(const Trie<Id>& trie, Id node, std::size_t n) {
  for (; n > 0; --n) node = trie.parent[at(node)];
  return node;
}

/// Items 0 .. n - 1 by group, in order within a group: those of group g are order[begin[g]] .. order[begin[g
/// + 1] - 1].
template <class Id>
struct Groups {
  std::vector<Id> begin;
  std::vector<Id> order;

  Groups(const std::vector<Id>& group_of, std::size_t n_groups) : begin(n_groups + 2, 0) {
    reserve_large(order, group_of.size());
    order.resize(group_of.size());
    for (const Id g : group_of) ++begin[at(g) + 2];
    for (std::size_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
    for (std::size_t k = 0; k < group_of.size(); ++k)
      order[at(begin[at(group_of[k]) + 1]++)] = static_cast<Id>(k);
    begin.pop_back();
  }
};

/// The strings of length T in the order of their last symbols, so that those of a short suffix are an
/// interval of it.
template <class Id>
struct SuffixOrder {
  Id first_middle = 0;                ///< the first of the longest short suffixes
  std::vector<Interval<Id>> longest;  ///< of each short suffix the places of its strings of length T
  std::vector<Id> strings;            ///< strings of length T, numbered from 0, by place
  std::vector<Id> long_prefix;        ///< of each string of length T its first prefix_bound symbols

  SuffixOrder(const MiddleStrings<Id>& middle, Interrupt& interrupt) {
    if (middle.suffix_bound == 0) return;  // T = 0: no suffix is short
    first_middle = middle.trie.level_begin[middle.suffix_bound - 1];
    order_strings(middle, interrupt);
    interrupt.check();
    find_long_prefixes(middle);
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
    std::vector<std::vector<Id>>
        begins;  // [k][i]: where the suffixes one longer than the i-th of length k begin
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
    group_of.clear();
    reserve_large(group_of, middle.long_suffix.size());
    for (const Id suffix : middle.long_suffix) group_of.push_back(place[at(trie.suffix[at(suffix)])]);
    Groups<Id> by_end(group_of, at(level_begin[middle.suffix_bound] - first_middle));
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

  void find_long_prefixes(const MiddleStrings<Id>& middle) {
    const Trie<Id>& trie = middle.trie;
    const std::size_t length = middle.prefix_bound;
    reserve_large(long_prefix, strings.size());
    for (Id p = trie.level_begin[length]; p < trie.level_begin[length + 1]; ++p)
      long_prefix.resize(at(first_descendant(trie, p + 1, middle.longest - length) - middle.first_string), p);
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
    if (s >= order_.first_middle) return {0, number, order_.long_prefix.data(), 2};
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
    if (s >= order_.first_middle)
      return kUnmatched;  // all strings of the longest short suffixes have length T
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
    if (s >= order_.first_middle) return order_.long_prefix[at(string)];
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
    for (std::size_t s = wanted.find_next(0); s < at(order_.first_middle); s = wanted.find_next(s + 1))
      if (!completed_.test(s)) incomplete.set(s);
    if (incomplete.count() == 0) return false;
    std::vector<Id> suffixes;
    std::vector<Id> prefixes;
    for_each_string_ending_in(trie_, incomplete, interrupt, [&](Id string, Id suffix, std::size_t rest) {
      if (rest < middle_.prefix_bound) return;
      suffixes.push_back(suffix);
      prefixes.push_back(shorter_prefix(trie_, string, trie_.length(suffix)));
    });
    const Groups<Id> by_suffix(suffixes, at(order_.first_middle));
    for (std::size_t s = incomplete.find_next(0); s < incomplete.size(); s = incomplete.find_next(s + 1)) {
      completed_.set(s);
      further_[s].begin = static_cast<Id>(further_prefixes_.size());
      for (Id k = by_suffix.begin[s + 1]; k-- > by_suffix.begin[s];)  // the longest first
        further_prefixes_.push_back(prefixes[at(by_suffix.order[at(k)])]);
      further_[s].end = static_cast<Id>(further_prefixes_.size());
    }
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
