// The suffixes of a text's sequences in the order of their first symbols, for windows of any length.
//
// Prefix doubling (Manber and Myers, 1993; only groups that are not yet in order are sorted again, as by
// Larsson and Sadakane, 2007): suffixes that are in order by h symbols are put in order by 2h, for what
// follows the first h is a suffix too, whose place is known. Common prefixes of neighbours in time linear in
// the text (Kasai et al., 2001), here of groups of suffixes that share their first h symbols.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/radix_sort.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// The places where a substring can begin, in groups: the suffixes of a group share at least their first
/// `depth` symbols, or are equal; those of different groups differ in their first `depth` or more symbols.
/// A suffix ends with its sequence, or before the symbol -1.
///
/// Cost: one radix sort by the first 64 bits of symbols, then at most log2(depth) rounds over the groups that
/// are not yet in order. Memory while it sorts: about 60 bytes for each symbol.
class SortedSuffixes {
 public:
  SortedSuffixes(const CorpusView& corpus, int bits, std::size_t depth, Interrupt& interrupt)
      : corpus_(corpus), left_(corpus.symbols.size()) {
    const std::size_t n = fill_left(interrupt);
    records_ = Buffer<Record>(n);
    scratch_ = Buffer<Record>(n);
    places_.reserve(n);
    rank_.reserve(left_.size());
    for (const std::size_t left : left_) rank_.push_back(left > 0 ? 1 : 0);
    is_first_ = Bitset(n + 1);
    const auto width = static_cast<std::size_t>(64 / bits);
    sort_by_first_symbols(bits, width, interrupt);
    std::vector<std::size_t> unsorted = rank_groups({0}, width, interrupt);
    for (std::size_t sorted = width; sorted < depth && !unsorted.empty(); sorted *= 2) {
      for (const std::size_t begin : unsorted) sort_group(begin, sorted, interrupt);
      unsorted = rank_groups(unsorted, 2 * sorted, interrupt);
    }
    records_ = Buffer<Record>();
    scratch_ = Buffer<Record>();
  }

  std::size_t size() const { return places_.size(); }
  std::size_t place(std::size_t i) const { return places_[i]; }
  /// Number of symbols of the i-th suffix.
  std::size_t length(std::size_t i) const { return left_[places_[i]]; }
  /// Whether the i-th suffix is the first of its group.
  bool is_first(std::size_t i) const { return is_first_.test(i); }

  /// For the first suffix of every group but the first group, how many symbols it shares with the group
  /// before; else 0.
  ///
  /// If a suffix of one group shares c > 0 symbols with one of the group before, and both lose their first
  /// symbol, they share c - 1 and are still in different groups, in the same order. So what follows a suffix
  /// shares at least c - 1 symbols with the group before its own, and comparisons go on from there. They move
  /// forward at most twice through each sequence.
  std::vector<std::size_t> common_with_group_before(Interrupt& interrupt) const {
    std::vector<std::size_t> common(size());
    std::size_t known = 0;
    for (std::size_t p = 0; p < left_.size(); ++p) {
      interrupt.poll();
      if (left_[p] == 0) continue;
      const std::size_t begin = rank_[p] - 1;
      if (begin == 0) {
        known = 0;
      } else if (common[begin] > 0) {
        known = common[begin];
      } else {
        const std::size_t other = places_[begin - 1];
        const std::size_t end = std::min(left_[p], left_[other]);
        const std::size_t from = known;
        while (known < end && corpus_.symbols[p + known] == corpus_.symbols[other + known]) ++known;
        interrupt.poll(known - from);
        common[begin] = known;
      }
      const bool goes_on = left_[p] > 1;
      known = goes_on && known > 0 ? known - 1 : 0;
    }
    return common;
  }

 private:
  struct Record {
    std::uint64_t key;
    std::size_t place;
  };

  std::size_t fill_left(Interrupt& interrupt) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < corpus_.n_sequences(); ++i) {
      std::size_t left = 0;
      const auto begin = static_cast<std::size_t>(corpus_.offsets[i]);
      for (auto p = static_cast<std::size_t>(corpus_.offsets[i + 1]); p-- > begin;) {
        interrupt.poll();
        left = corpus_.symbols[p] < 0 ? 0 : left + 1;
        left_[p] = left;
        n += left > 0 ? 1 : 0;
      }
    }
    return n;
  }

  void sort_by_first_symbols(int bits, std::size_t width, Interrupt& interrupt) {
    std::size_t next = 0;
    for (std::size_t p = 0; p < left_.size(); ++p) {
      interrupt.poll(width);
      if (left_[p] > 0) records_[next++] = {packed(p, bits, width), p};
    }
    const auto sorted = radix_sort(
        records_.span(), scratch_.span(), bits * static_cast<int>(width),
        [](const Record& r) { return r.key; }, interrupt);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      interrupt.poll();
      if (i == 0 || sorted[i].key != sorted[i - 1].key) is_first_.set(i);
      places_.push_back(sorted[i].place);
    }
    is_first_.set(sorted.size());
  }

  std::uint64_t packed(std::size_t place, int bits, std::size_t width) const {
    std::uint64_t key = 0;
    for (std::size_t d = 0; d < width; ++d)
      key = key << bits | (d < left_[place] ? static_cast<std::uint64_t>(corpus_.symbols[place + d]) + 1 : 0);
    return key;
  }

  /// Sorts a group of suffixes that share `sorted` symbols by what follows these, and marks where it splits.
  void sort_group(std::size_t begin, std::size_t sorted, Interrupt& interrupt) {
    constexpr std::size_t kMinToCount = 1024;  // below, comparisons cost less than to clear and sum counts
    const std::size_t n = is_first_.find_next(begin + 1) - begin;
    const std::span<Record> records = records_.span().first(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t p = places_[begin + i];
      records[i] = {sorted < left_[p] ? rank_[p + sorted] : 0, p};
      interrupt.poll();
    }
    std::span<const Record> in_order = records;
    if (n < kMinToCount) {
      std::sort(records.begin(), records.end(),
                [](const Record& a, const Record& b) { return a.key < b.key; });
    } else {
      in_order = radix_sort(
          records, scratch_.span().first(n), static_cast<int>(std::bit_width(size())),
          [](const Record& r) { return r.key; }, interrupt);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && in_order[i].key != in_order[i - 1].key) is_first_.set(begin + i);
      places_[begin + i] = in_order[i].place;
    }
    interrupt.poll(n);
  }

  /// Ranks the suffixes of groups that have been split; returns the parts that are not in order yet, although
  /// their suffixes go on after `sorted` symbols. A group at `begin` is where the rank still is 1 + begin.
  std::vector<std::size_t> rank_groups(const std::vector<std::size_t>& begins, std::size_t sorted,
                                       Interrupt& interrupt) {
    std::vector<std::size_t> unsorted;
    for (const std::size_t begin : begins) {
      for (std::size_t first = begin; first < size() && rank_[places_[first]] == begin + 1;) {
        const std::size_t end = is_first_.find_next(first + 1);
        for (std::size_t i = first; i < end; ++i) rank_[places_[i]] = first + 1;
        interrupt.poll(end - first);
        if (end - first > 1 && length(first) >= sorted) unsorted.push_back(first);
        first = end;
      }
    }
    return unsorted;
  }

  CorpusView corpus_;
  std::vector<std::size_t> left_;    ///< by place: symbols up to the end of its sequence, or the next -1
  std::vector<std::size_t> places_;  ///< in order
  std::vector<std::size_t> rank_;    ///< by place: 1 + where its group begins in places_
  Bitset is_first_;                  ///< where a group begins in places_; and the end
  Buffer<Record> records_, scratch_;
};

}  // namespace hankelmatch::detail
