// The longest strings by their ends: what a trie lacks to tell the prefixes of a suffix.
#pragma once

#include <cstddef>
#include <hankelmatch/base/counting_sort.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/hankel/longest_strings.hpp>
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
    middle.for_each_range(interrupt, [&](std::size_t begin, std::size_t end) {
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

}  // namespace hankelmatch::detail
