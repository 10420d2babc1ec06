// The places of a text in the order of the symbols that follow them: the first step of counting substrings.
//
// Each class here holds one string for every place where a substring can begin, as `size()` sorted keys:
// key(i), length(key), symbol(key, d), common(before, key) = the length of the common prefix of neighbours,
// and for_each_run(first, last, visit), which calls visit(i, j, key) for all runs i .. j - 1 of
// equal strings. Neighbouring runs may be equal too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/strings/bucket_sort.hpp>
#include <hankelmatch/strings/packed_key.hpp>
#include <hankelmatch/strings/sorted_suffixes.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Substrings of at most `width` symbols, each packed in a few words: the fast way.
///
/// Keys go straight from the text into the group of their first bits; then every group is sorted in place, as
/// a rule in the cache. For keys of one word a Record of 4 or 8 bytes keeps only the bits that differ in a
/// group. Memory: a record for each symbol, and for every thread a second copy of the largest group that it
/// sorts; for a text with few symbols or one long repeat that may be another record for each symbol.
template <std::size_t Words, class Record = PackedKey<Words>>
class PackedStrings {
 public:
  using Key = PackedKey<Words>;

  /// Whether strings of `width` symbols fit in Records.
  static bool fits(const CorpusView& corpus, int bits, std::size_t width) {
    if (!KeyLayout<Words>::fits(bits, width)) return false;
    const KeyLayout<Words> layout(bits, static_cast<int>(width));
    return kWhole || layout.bits_per_word() - group_bits(corpus, layout) <= kRecordBits;
  }

  PackedStrings(const CorpusView& corpus, int bits, std::size_t width, Interrupt& interrupt)
      : layout_(bits, static_cast<int>(width)),
        low_bits_(layout_.bits_per_word() - group_bits(corpus, layout_)) {
    const auto group = [low_bits = low_bits_](const Key& key) {
      return static_cast<std::size_t>(key[0] >> low_bits);
    };
    const auto split = [group](const Key& key) { return std::pair(group(key), record(key)); };
    groups_ = into_groups<Record>(KeyChunks<Words>(corpus, layout_, width),
                                  std::size_t{1} << group_bits(corpus, layout_), interrupt, group, split);
    std::array<int, Words> sorted_bits;
    sorted_bits.fill(layout_.bits_per_word());
    sorted_bits[0] = low_bits_;
    sort_groups(groups_, sorted_bits, interrupt, [](const Record& r, std::size_t w) { return word(r, w); });
  }

  std::size_t size() const { return groups_.size(); }
  Key key(std::size_t i) const { return whole(groups_.group_of(i), groups_.records[i]); }
  std::size_t length(const Key& key) const { return layout_.length(key); }
  std::size_t common(const Key& a, const Key& b) const { return layout_.common(a, b); }
  std::int32_t symbol(const Key& key, std::size_t d) const { return layout_.symbol(key, d); }
  template <class Visit>
  void for_each_run(std::size_t first, std::size_t last, const Visit& visit) const {
    groups_.for_each_run(first, last, [&](std::size_t i, std::size_t j, std::size_t g) {
      visit(i, j, whole(g, groups_.records[i]));
    });
  }

 private:
  static constexpr bool kWhole = std::is_same_v<Record, Key>;
  static constexpr int kRecordBits = 8 * static_cast<int>(sizeof(Record));
  static constexpr int kGroupBits = 12;
  static_assert(kWhole ? Words > 1 : Words == 1 && std::is_unsigned_v<Record>);

  static int group_bits(const CorpusView& corpus, const KeyLayout<Words>& layout) {
    return std::min(
        {kGroupBits, layout.bits_per_word(), static_cast<int>(std::bit_width(corpus.symbols.size())) + 1});
  }
  static Record record(const Key& key) {
    if constexpr (kWhole) {
      return key;
    } else {
      return static_cast<Record>(key[0]);  // the group has the bits above low_bits_
    }
  }
  static std::uint64_t word(const Record& record, std::size_t w) {
    if constexpr (kWhole) {
      return record[w];
    } else {
      return record;
    }
  }
  Key whole(std::size_t group, const Record& record) const {
    if constexpr (kWhole) {
      return record;
    } else {
      return {static_cast<std::uint64_t>(group) << low_bits_ |
              (record & ((std::uint64_t{1} << low_bits_) - 1))};
    }
  }

  KeyLayout<Words> layout_;
  int low_bits_;
  GroupedRecords<Record> groups_;
};

/// For every place the best of the last `width` values up to it, by a queue of those that can still be best.
template <class Better>
std::vector<std::size_t> best_of_last(const std::vector<std::size_t>& values, std::size_t width,
                                      const Better& better, Interrupt& interrupt) {
  std::vector<std::size_t> best, queue;
  best.reserve(values.size());
  std::size_t head = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    interrupt.poll();
    while (queue.size() > head && !better(values[queue.back()], values[i])) queue.pop_back();
    queue.push_back(i);
    if (queue[head] + width <= i) ++head;
    best.push_back(values[queue[head]]);
  }
  return best;
}

/// The places themselves, for any alphabet and any length. A key is the number of a string in the order; only
/// the first of equal ones is visited. Memory: see SortedSuffixes; once sorted, 24 bytes for each symbol.
class PlacedStrings {
 public:
  using Key = std::size_t;

  static bool fits(const CorpusView&, int, std::size_t) { return true; }

  PlacedStrings(const CorpusView& corpus, int bits, std::size_t max_length, Interrupt& interrupt)
      : symbols_(corpus.symbols) {
    const SortedSuffixes order(corpus, bits, max_length, interrupt);
    common_ = order.common_with_group_before(interrupt);
    places_.reserve(order.size());
    length_.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      interrupt.poll();
      places_.push_back(order.place(i));
      length_.push_back(std::min(order.length(i), max_length));
      if (!order.is_first(i)) common_[i] = kAll;
    }
  }

  /// Cuts every string where it has become rarer than min_count, so that a walk of the frequent strings takes
  /// no longer than their number.
  void cut_rare(std::size_t min_count, Interrupt& interrupt) {
    if (min_count < 2 || size() == 0) return;
    // A string is as frequent where a run of min_count neighbours, it among them, has it in common.
    std::vector<std::size_t> shared;
    shared.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) shared.push_back(i == 0 ? 0 : common(i - 1, i));
    auto of_runs = best_of_last(shared, min_count - 1, std::less<>(), interrupt);  // that end at a place
    std::ranges::reverse(of_runs);
    length_ = best_of_last(of_runs, min_count, std::greater<>(), interrupt);
    std::ranges::reverse(length_);
  }

  std::size_t size() const { return places_.size(); }
  std::size_t key(std::size_t i) const { return i; }
  std::size_t length(std::size_t key) const { return length_[key]; }
  std::int32_t symbol(std::size_t key, std::size_t d) const { return symbols_[places_[key] + d]; }
  /// Of neighbours.
  std::size_t common(std::size_t before, std::size_t key) const {
    return std::min({common_[key], length_[before], length_[key]});
  }
  template <class Visit>
  void for_each_run(std::size_t first, std::size_t last, const Visit& visit) const {
    for (std::size_t i = first; i < last;) {
      std::size_t j = i + 1;
      while (j < last && common_[j] == kAll) ++j;
      visit(i, j, i);
      i = j;
    }
  }

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::span<const std::int32_t> symbols_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> common_;  ///< with the string before; kAll if both are equal
  std::vector<std::size_t> length_;
};

}  // namespace hankelmatch::detail
