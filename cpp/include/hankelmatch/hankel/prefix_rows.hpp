// Short prefixes as rows, their long suffixes as columns: one side of a text's prefix-suffix graph (see
// hankel/hankel_matching.hpp), read from the trie.
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <vector>

namespace hankelmatch::detail {

/// Prefixes shorter than some bound, each with its suffixes of at least some length, the longest first. All
/// strings of one length that begin with a prefix are an interval of the trie.
///
/// A cursor into the list of a prefix is the next longest string or, after those, the last string visited.
template <class Id>
class PrefixRows {
 public:
  using index_type = Id;
  Id n_rows = 0;
  Id n_cols = 0;

  PrefixRows(const LongestStrings<Id>& full, std::size_t prefix_bound, std::size_t min_suffix_length)
      : n_rows(full.trie.level_begin[prefix_bound]),
        n_cols(static_cast<Id>(full.trie.n_nodes())),
        full_(full),
        trie_(full.trie),
        min_suffix_length_(min_suffix_length),
        first_deepest_(full.first_deepest_prefix()),
        end_deepest_(full.n_short_prefixes()) {
    intervals_.reserve(at(n_rows));
    second_intervals_.reserve(at(std::min(n_rows, first_deepest_)));
    for (std::size_t length = 0; length < prefix_bound; ++length) {
      add_intervals(intervals_, length, full.max_length);
      if (trie_.level_begin[length] < first_deepest_)
        add_intervals(second_intervals_, length, full.max_length - 1);
    }
  }

  Id begin(Id p) const { return intervals_[at(p)].begin; }
  Id n_full(Id p) const { return intervals_[at(p)].size(); }
  void prefetch_row(Id p) const { prefetch(&intervals_[at(p)]); }
  /// The reads that lead to the suffix of the first longest string, if there is one.
  ReadChain<Id> read_chain(Id p) const {
    if (n_full(p) == 0) return {};
    const Id string = begin(p);
    if (is_deepest(p)) return {0, full_.long_suffix.data() + (string - full_.first), nullptr, 1};
    return {string, trie_.suffix.data() + string, trie_.suffix.data(), trie_.length(p)};
  }

  /// The next suffix of a prefix for which wanted(suffix) is true, or kUnmatched after the last one.
  template <class Wanted>
  Id find(Id p, Id& cursor, const Wanted& wanted) const {
    if (cursor >= full_.first) {
      const Id suffix = find_full(p, cursor, wanted);
      if (suffix != kUnmatched || has_full_only(p)) return suffix;
    }
    return cursor == kUnmatched ? Id{kUnmatched} : find_shorter(p, cursor, wanted);
  }

  /// Whether further suffixes were added to some rows: no, all lists are complete.
  bool complete(const Bitset& /*rows*/, Interrupt& /*interrupt*/) const { return false; }

  // The cuts of longest strings, counted from 0, after these prefixes.

  Id first_deepest() const { return first_deepest_; }
  /// The prefix without its last symbol.
  Id shorter(Id p) const { return trie_.parent[at(p)]; }
  Id string_at(Id place) const { return place - full_.first; }
  /// The suffix that follows prefix p in a longest string.
  Id column_of(Id p, Id string) const {
    if (is_deepest(p)) return full_.long_suffix[at(string)];
    return shorter_suffix(trie_, full_.first + string, trie_.length(p));
  }
  Id string_between(Id p, Id suffix) const { return full_.joined(p, suffix); }
  /// Calls visit(p, string) for every longest string and its deepest short prefix p.
  template <class Visit>
  void for_each_deepest_cut(const Visit& visit) const {
    for (Id p = first_deepest_; p < n_rows; ++p)
      for (Id place = begin(p); place < begin(p) + n_full(p); ++place) visit(p, string_at(place));
  }

 private:
  bool is_deepest(Id p) const { return p >= first_deepest_ && p < end_deepest_; }
  bool has_full_only(Id p) const { return is_deepest(p) && min_suffix_length_ == full_.suffix_bound; }

  /// Adds, for all prefixes of one length, the intervals of their strings on a level.
  void add_intervals(std::vector<Interval<Id>>& intervals, std::size_t length, std::size_t level) const {
    Id begin = trie_.level_begin[level];
    for (Id p = trie_.level_begin[length]; p < trie_.level_begin[length + 1]; ++p) {
      const Id end = first_descendant(trie_, p + 1, level - length);
      intervals.push_back({begin, end});
      begin = end;
    }
  }

  /// The strings of a prefix on a level below T.
  Interval<Id> strings_on(std::size_t level, Id p, std::size_t length) const {
    if (level + 1 == full_.max_length && p < first_deepest_) return second_intervals_[at(p)];
    return {first_descendant(trie_, p, level - length), first_descendant(trie_, p + 1, level - length)};
  }

  template <class Wanted>
  Id find_full(Id p, Id& cursor, const Wanted& wanted) const {
    const Id end = intervals_[at(p)].end;
    if (is_deepest(p)) {
      while (cursor < end) {
        const Id suffix = full_.long_suffix[at(cursor++ - full_.first)];
        if (wanted(suffix)) return suffix;
      }
      return kUnmatched;
    }
    const std::size_t length = trie_.length(p);
    while (cursor < end) {
      const Id suffix = shorter_suffix(trie_, cursor++, length);
      if (wanted(suffix)) return suffix;
    }
    return kUnmatched;
  }

  /// Looks at the strings shorter than T that follow the full ones, or the string visited last.
  template <class Wanted>
  Id find_shorter(Id p, Id& cursor, const Wanted& wanted) const {
    const std::size_t length = trie_.length(p);
    std::size_t level = full_.max_length;
    Interval<Id> strings{cursor, cursor};
    if (cursor < full_.first) {
      level = trie_.length(cursor);
      strings = {cursor + 1, strings_on(level, p, length).end};
    }
    for (;;) {
      for (; strings.begin < strings.end; ++strings.begin) {
        const Id suffix = shorter_suffix(trie_, strings.begin, length);
        if (!wanted(suffix)) continue;
        cursor = strings.begin;
        return suffix;
      }
      if (level-- <= length + min_suffix_length_) break;
      strings = strings_on(level, p, length);
    }
    cursor = kUnmatched;
    return kUnmatched;
  }

  const LongestStrings<Id>& full_;
  const Trie<Id>& trie_;
  std::size_t min_suffix_length_;
  Id first_deepest_;
  Id end_deepest_;
  std::vector<Interval<Id>> intervals_;         // for each prefix, its longest strings
  std::vector<Interval<Id>> second_intervals_;  // for each one below first_deepest_, those of length T - 1
};

}  // namespace hankelmatch::detail
