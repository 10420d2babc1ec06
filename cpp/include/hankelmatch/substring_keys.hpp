// The places of a text in the order of the symbols that follow them: what counting substrings begins with.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/corpus.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/radix_sort.hpp>
#include <hankelmatch/tasks.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Bits that tell symbols 0 .. max_symbol and "past the end" (0) apart.
inline int bits_per_symbol(std::span<const std::int32_t> symbols) {
  std::int32_t top = 0;
  for (const std::int32_t s : symbols) top = std::max(top, s);
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(top) + 1U));
}

/// The symbols that follow a place, first symbol highest, zeros past the end of the sequence.
template <std::size_t Words>
using PackedKey = std::array<std::uint64_t, Words>;

/// How `width` symbols of `bits` bits lie in a key: as many in each word, in its low bits; the last word's
/// last ones may be unused.
template <std::size_t Words>
class KeyLayout {
 public:
  using Key = PackedKey<Words>;

  KeyLayout(int bits, int width)
      : bits_(bits), per_word_((width + static_cast<int>(Words) - 1) / static_cast<int>(Words)) {
    const int unused = per_word_ * static_cast<int>(Words) - width;
    tail_mask_ = unused * bits_ < 64 ? ~std::uint64_t{0} << (unused * bits_) : 0;
    const int used = bits_ * per_word_;
    for (int zeros = 0; zeros <= 64; ++zeros) {
      equal_symbols_[static_cast<std::size_t>(zeros)] =
          static_cast<std::uint8_t>(std::max(0, zeros - (64 - used)) / bits_);
      filled_[static_cast<std::size_t>(zeros)] =
          static_cast<std::uint8_t>(per_word_ - std::min(zeros, used) / bits_);
    }
  }

  /// Whether keys of `width` symbols fit.
  static bool fits(int bits, std::size_t width) {
    return (width + Words - 1) / Words * static_cast<std::size_t>(bits) <= 64;
  }

  int bits_per_word() const { return bits_ * per_word_; }

  void push_front(Key& key, std::int32_t symbol) const {
    const int top = bits_ * (per_word_ - 1);
    if constexpr (Words > 1) {
      const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
      for (std::size_t w = Words; --w > 0;) key[w] = (key[w] >> bits_) | (key[w - 1] & mask) << top;
      key[Words - 1] &= tail_mask_;
    }
    key[0] = (key[0] >> bits_) | (static_cast<std::uint64_t>(symbol) + 1) << top;
  }

  std::size_t length(const Key& key) const {
    std::size_t w = Words - 1;
    while (w > 0 && key[w] == 0) --w;
    return w * static_cast<std::size_t>(per_word_) +
           filled_[static_cast<std::size_t>(std::countr_zero(key[w]))];
  }

  /// How many symbols two different keys share from the front; for equal ones at least their length.
  std::size_t common(const Key& a, const Key& b) const {
    std::size_t w = 0;
    while (w + 1 < Words && a[w] == b[w]) ++w;
    return w * static_cast<std::size_t>(per_word_) +
           equal_symbols_[static_cast<std::size_t>(std::countl_zero(a[w] ^ b[w]))];
  }

  std::int32_t symbol(const Key& key, std::size_t d) const {
    const auto per_word = static_cast<std::size_t>(per_word_);
    const std::size_t w = Words == 1 || d < per_word ? 0 : d / per_word;
    const int shift = bits_ * (per_word_ - 1 - static_cast<int>(d - w * per_word));
    return static_cast<std::int32_t>((key[w] >> shift & ((std::uint64_t{1} << bits_) - 1)) - 1);
  }

 private:
  int bits_;
  int per_word_;
  std::uint64_t tail_mask_;
  std::array<std::uint8_t, 65> equal_symbols_;  ///< by leading zero bits of two words' difference
  std::array<std::uint8_t, 65> filled_;         ///< by trailing zero bits of a word
};

/// Calls visit(key) for every place of the text in [begin, end) where a substring can begin, from the last to
/// the first. Substrings never span a symbol -1 or the end of a sequence.
template <std::size_t Words, class Visit>
void for_each_key(const CorpusView& corpus, const KeyLayout<Words>& layout, std::size_t width,
                  std::size_t begin, std::size_t end, const Visit& visit) {
  const auto above =
      std::lower_bound(corpus.offsets.begin(), corpus.offsets.end(), static_cast<std::int64_t>(end));
  for (auto i = static_cast<std::size_t>(above - corpus.offsets.begin()); i-- > 0;) {
    const auto first = std::max(begin, static_cast<std::size_t>(corpus.offsets[i]));
    const auto stop = static_cast<std::size_t>(corpus.offsets[i + 1]);
    PackedKey<Words> key{};
    for (std::size_t p = std::min(stop, end + width - 1); p-- > first;) {
      const std::int32_t s = corpus.symbols[p];
      if (s < 0) {
        key = {};
        continue;
      }
      layout.push_front(key, s);
      if (p < end) visit(key);
    }
    if (first == begin) break;
  }
}

/// Sorted substrings of at most `width` symbols, one for every place of the text, each packed in a few words:
/// the fast road.
///
/// Keys go straight from the text into the group of their first bits (one counting pass), and every group is
/// sorted where it lies, in the cache as a rule, least significant digit first. Memory: a key for each
/// symbol, and on every thread a second copy of the largest group it meets; the groups are of 12 bits, so on
/// a text in few symbols or with one long repeat that may be another key for each symbol.
template <std::size_t Words>
class PackedStrings {
 public:
  PackedStrings(const CorpusView& corpus, int bits, std::size_t width, const Interrupt& interrupt)
      : layout_(bits, static_cast<int>(width)),
        digit_bits_(std::min({kGroupBits, layout_.bits_per_word(),
                              static_cast<int>(std::bit_width(corpus.symbols.size())) + 1})),
        keys_(corpus.symbols.size()) {
    const std::vector<std::size_t> group_begin = scatter(corpus, width, interrupt);
    sort_groups(group_begin, interrupt);
  }

  std::size_t size() const { return size_; }
  std::size_t length(std::size_t i) const { return layout_.length(keys_[i]); }
  std::size_t common(std::size_t i, std::size_t j) const { return layout_.common(keys_[i], keys_[j]); }
  std::int32_t symbol(std::size_t i, std::size_t d) const { return layout_.symbol(keys_[i], d); }

 private:
  using Key = PackedKey<Words>;
  static constexpr int kGroupBits = 12;
  static constexpr std::size_t kChunk = std::size_t{1} << 21;

  std::size_t group(const Key& key) const {
    return static_cast<std::size_t>(key[0] >> (layout_.bits_per_word() - digit_bits_));
  }

  /// Puts all keys into their groups and returns where each group begins.
  std::vector<std::size_t> scatter(const CorpusView& corpus, std::size_t width, const Interrupt& interrupt) {
    const std::size_t n = corpus.symbols.size();
    const std::size_t n_workers = workers_for(n);
    const std::size_t n_chunks = std::max(n_workers, (n + kChunk - 1) / kChunk);
    const auto for_each_in_chunk = [&](std::size_t c, const auto& visit) {
      for_each_key(corpus, layout_, width, n * c / n_chunks, n * (c + 1) / n_chunks, visit);
    };
    const std::size_t n_groups = std::size_t{1} << digit_bits_;
    std::vector<std::vector<std::size_t>> places(n_chunks, std::vector<std::size_t>(n_groups, 0));
    for_each_task(n_chunks, n_workers, interrupt, [&](std::size_t c, std::size_t) {
      for_each_in_chunk(c, [&, counts = places[c].data()](const Key& key) { ++counts[group(key)]; });
    });
    std::vector<std::size_t> group_begin(n_groups + 1, 0);
    for (std::size_t g = 0; g < n_groups; ++g) {
      std::size_t place = group_begin[g];
      for (auto& counts : places) place += std::exchange(counts[g], place);
      group_begin[g + 1] = place;
    }
    size_ = group_begin.back();
    for_each_task(n_chunks, n_workers, interrupt, [&](std::size_t c, std::size_t) {
      for_each_in_chunk(c,
                        [&, place = places[c].data()](const Key& key) { keys_[place[group(key)]++] = key; });
    });
    return group_begin;
  }

  void sort_groups(const std::vector<std::size_t>& group_begin, const Interrupt& interrupt) {
    const std::size_t n_workers = workers_for(size_);
    const std::size_t n_groups = group_begin.size() - 1;
    const std::size_t per_task = std::max<std::size_t>(1, n_groups / 256);
    std::vector<Buffer<Key>> scratch(n_workers);
    for_each_task((n_groups + per_task - 1) / per_task, n_workers, interrupt,
                  [&](std::size_t t, std::size_t worker) {
                    for (std::size_t g = t * per_task; g < std::min(n_groups, (t + 1) * per_task); ++g)
                      sort_group(keys_.span().subspan(group_begin[g], group_begin[g + 1] - group_begin[g]),
                                 scratch[worker]);
                  });
  }

  void sort_group(std::span<Key> keys, Buffer<Key>& scratch) const {
    constexpr std::size_t kFew = 96;  // below, comparing costs less than clearing and adding up histograms
    if (keys.size() < kFew) {
      std::sort(keys.begin(), keys.end());
      return;
    }
    if (scratch.size() < keys.size()) {
      scratch = Buffer<Key>();
      scratch = Buffer<Key>(keys.size());
    }
    if (keys.size() < (std::size_t{1} << 14)) {
      sort_by_digits<8>(keys, scratch.span().first(keys.size()));
    } else {
      sort_by_digits<11>(keys, scratch.span().first(keys.size()));
    }
  }

  template <int kDigit>
  void sort_by_digits(std::span<Key> keys, std::span<Key> scratch) const {
    std::span<Key> from = keys, to = scratch;
    for (std::size_t w = Words; w-- > 0;) {
      const int bits = layout_.bits_per_word() - (w == 0 ? digit_bits_ : 0);
      for (int shift = 0; shift < bits; shift += kDigit) {
        if (scatter_by_digit<kDigit>(from, to, [=](const Key& key) { return key[w] >> shift; }))
          std::swap(from, to);
      }
    }
    if (from.data() != keys.data()) std::copy(from.begin(), from.end(), keys.begin());
  }

  template <int kDigit, class Shifted>
  static bool scatter_by_digit(std::span<const Key> from, std::span<Key> to, const Shifted& shifted) {
    constexpr std::size_t kMask = (std::size_t{1} << kDigit) - 1;
    std::array<std::size_t, kMask + 1> places{};
    for (const Key& key : from) ++places[shifted(key) & kMask];
    if (places[shifted(from[0]) & kMask] == from.size()) return false;
    std::size_t place = 0;
    for (std::size_t& count : places) place += std::exchange(count, place);
    for (const Key& key : from) to[places[shifted(key) & kMask]++] = key;
    return true;
  }

  KeyLayout<Words> layout_;
  int digit_bits_;
  Buffer<Key> keys_;
  std::size_t size_ = 0;
};

/// The same by the places themselves: the general road, for any alphabet and any length. Sorts them by one
/// word of symbols after another, the last word first. Memory: 40 bytes for each symbol, 16 of them once it
/// is sorted.
class PlacedStrings {
 public:
  PlacedStrings(const CorpusView& corpus, int bits, std::size_t max_length, Interrupt& interrupt)
      : symbols_(corpus.symbols), reach_(corpus.symbols.size()) {
    const std::size_t n = fill_reach(corpus, max_length);
    Buffer<Record> records(n);
    Buffer<Record> scratch(n);
    const auto sorted = sorted_places(records.span(), scratch.span(), bits, interrupt);
    places_.reserve(n);
    for (const Record& record : sorted) places_.push_back(record.place);
  }

  std::size_t size() const { return places_.size(); }
  std::size_t length(std::size_t i) const { return reach_[places_[i]]; }
  std::int32_t symbol(std::size_t i, std::size_t d) const { return symbols_[places_[i] + d]; }
  std::size_t common(std::size_t i, std::size_t j) const {
    const std::size_t a = places_[i], b = places_[j];
    const std::size_t most = std::min(reach_[a], reach_[b]);
    std::size_t common = 0;
    while (common < most && symbols_[a + common] == symbols_[b + common]) ++common;
    return common;
  }

 private:
  struct Record {
    std::uint64_t key;
    std::size_t place;
  };

  /// reach_[p]: how many symbols, at most max_length, a string that begins at p has; 0 where none may begin.
  std::size_t fill_reach(const CorpusView& corpus, std::size_t max_length) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < corpus.n_sequences(); ++i) {
      std::size_t reach = 0;
      const auto begin = static_cast<std::size_t>(corpus.offsets[i]);
      for (auto p = static_cast<std::size_t>(corpus.offsets[i + 1]); p-- > begin;) {
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
    for (std::size_t p = 0; p < reach_.size(); ++p)
      if (reach_[p] > 0) records[next++] = {0, p};
    const auto width = static_cast<std::size_t>(64 / bits);
    const std::size_t longest = reach_.empty() ? 0 : *std::max_element(reach_.begin(), reach_.end());
    for (std::size_t word = (longest + width - 1) / width; word-- > 0;) {
      for (Record& r : records) {
        r.key = packed(r.place, word * width, width, bits);
        interrupt.poll(width);
      }
      const auto sorted = radix_sort(
          records, scratch, bits * static_cast<int>(width), [](const Record& r) { return r.key; },
          &interrupt);
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
