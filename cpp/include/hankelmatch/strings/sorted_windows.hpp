// The places of a text in the order of the symbols that follow them: the first step of counting substrings.
//
// Each class here holds one string for every place where a substring can begin, as `size()` sorted keys:
// key(i), length(key), symbol(key, d), common(key, key) = the length of the common prefix of two different
// strings, and for_each_run(first, last, visit), which calls visit(i, j, key) for all runs i .. j - 1 of
// equal strings. Neighbouring runs may be equal too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/radix_sort.hpp>
#include <hankelmatch/strings/bucket_sort.hpp>
#include <hankelmatch/strings/packed_key.hpp>
#include <hankelmatch/text/corpus.hpp>
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

/// The places themselves, for any alphabet and any length. A key is a place. Sorts by one word of symbols
/// after another, the last word first. Memory: 48 bytes for each symbol, 16 of them once sorted.
class PlacedStrings {
 public:
  using Key = std::size_t;

  static bool fits(const CorpusView&, int, std::size_t) { return true; }

  PlacedStrings(const CorpusView& corpus, int bits, std::size_t max_length, Interrupt& interrupt)
      : symbols_(corpus.symbols), reach_(corpus.symbols.size()) {
    const std::size_t n = fill_reach(corpus, max_length, interrupt);
    Buffer<Record> records(n);
    Buffer<Record> scratch(n);
    const auto sorted = sorted_places(records.span(), scratch.span(), bits, interrupt);
    places_.reserve(n);
    for (const Record& record : sorted) {
      interrupt.poll();
      places_.push_back(record.place);
    }
  }

  std::size_t size() const { return places_.size(); }
  std::size_t key(std::size_t i) const { return places_[i]; }
  std::size_t length(std::size_t key) const { return reach_[key]; }
  std::int32_t symbol(std::size_t key, std::size_t d) const { return symbols_[key + d]; }
  std::size_t common(std::size_t a, std::size_t b) const {
    const std::size_t end = std::min(reach_[a], reach_[b]);
    std::size_t common = 0;
    while (common < end && symbols_[a + common] == symbols_[b + common]) ++common;
    return common;
  }
  template <class Visit>
  void for_each_run(std::size_t first, std::size_t last, const Visit& visit) const {
    for (std::size_t i = first; i < last; ++i) visit(i, i + 1, places_[i]);
  }

 private:
  struct Record {
    std::uint64_t key;
    std::size_t place;
  };

  /// reach_[p]: the length, at most max_length, of the string that begins at p; 0 if none may begin there.
  std::size_t fill_reach(const CorpusView& corpus, std::size_t max_length, Interrupt& interrupt) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < corpus.n_sequences(); ++i) {
      std::size_t reach = 0;
      const auto begin = static_cast<std::size_t>(corpus.offsets[i]);
      for (auto p = static_cast<std::size_t>(corpus.offsets[i + 1]); p-- > begin;) {
        interrupt.poll();
        reach = symbols_[p] < 0 ? 0 : std::min(reach + 1, max_length);
        reach_[p] = reach;
        n += reach > 0 ? 1 : 0;
      }
    }
    return n;
  }

  std::span<Record> sorted_places(std::span<Record> records, std::span<Record> scratch, int bits,
                                  Interrupt& interrupt) const {
    std::size_t next = 0;
    for (std::size_t p = 0; p < reach_.size(); ++p) {
      interrupt.poll();
      if (reach_[p] > 0) records[next++] = {0, p};
    }
    const auto width = static_cast<std::size_t>(64 / bits);
    const std::size_t max_length = reach_.empty() ? 0 : *std::max_element(reach_.begin(), reach_.end());
    for (std::size_t word = (max_length + width - 1) / width; word-- > 0;) {
      for (Record& r : records) {
        r.key = packed(r.place, word * width, width, bits);
        interrupt.poll(width);
      }
      const auto sorted = radix_sort(
          records, scratch, bits * static_cast<int>(width), [](const Record& r) { return r.key; }, interrupt);
      if (sorted.data() != records.data()) std::swap(records, scratch);
    }
    return records;
  }

  std::uint64_t packed(std::size_t place, std::size_t skip, std::size_t width, int bits) const {
    std::uint64_t key = 0;
    for (std::size_t d = skip; d < skip + width; ++d)
      key = key << bits | (d < reach_[place] ? static_cast<std::uint64_t>(symbols_[place + d]) + 1 : 0);
    return key;
  }

  std::span<const std::int32_t> symbols_;
  std::vector<std::size_t> reach_;
  std::vector<std::size_t> places_;
};

}  // namespace hankelmatch::detail
