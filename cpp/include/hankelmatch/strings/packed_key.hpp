// The symbols that follow each place of a text, packed in a few words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <span>

namespace hankelmatch::detail {

/// The number of bits for a symbol plus one; 0 stands for "past the end".
inline int bits_per_symbol(std::span<const std::int32_t> symbols) {
  std::uint32_t bits = 0;  // of all symbols together: the highest bit is that of the largest
  for (const std::int32_t s : symbols) bits |= static_cast<std::uint32_t>(s) + 1U;
  return std::max(1, static_cast<int>(std::bit_width(bits)));
}

/// The symbols that follow a place, first symbol highest, zeros past the end of the sequence.
template <std::size_t Words>
using PackedKey = std::array<std::uint64_t, Words>;

/// The places of `width` symbols of `bits` bits each in a key: an equal number in each word, in its low bits;
/// the last places of the last word may be unused.
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

  /// Whether `width` symbols fit.
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

  /// The length of the common prefix of two different keys; for equal keys at least their length.
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
/// the first. No substring goes past a symbol -1 or the end of a sequence.
template <std::size_t Words, class Visit>
void for_each_key(const CorpusView& corpus, const KeyLayout<Words>& layout, std::size_t width,
                  std::size_t begin, std::size_t end, Visit visit) {
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

/// The keys of a text in chunks, for several threads.
template <std::size_t Words>
class KeyChunks {
 public:
  using Key = PackedKey<Words>;

  KeyChunks(const CorpusView& corpus, const KeyLayout<Words>& layout, std::size_t width)
      : corpus_(corpus),
        layout_(layout),
        width_(width),
        n_workers_(workers_for(corpus.symbols.size())),
        n_chunks_(n_workers_ * std::max<std::size_t>(1, corpus.symbols.size() / (kChunk * n_workers_))) {}

  std::size_t size() const { return n_chunks_; }

  /// For every chunk c, on some thread: calls visit(key) for every key of the chunk, always in the same
  /// order; visit = make_visit(c).
  template <class MakeVisit>
  void for_each(Interrupt& interrupt, const MakeVisit& make_visit) const {
    const std::size_t n = corpus_.symbols.size();
    for_each_task(n_chunks_, n_workers_, interrupt, [&](std::size_t c, std::size_t) {
      for_each_key(corpus_, layout_, width_, n * c / n_chunks_, n * (c + 1) / n_chunks_, make_visit(c));
    });
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;  ///< a few milliseconds

  CorpusView corpus_;
  KeyLayout<Words> layout_;
  std::size_t width_;
  std::size_t n_workers_;
  std::size_t n_chunks_;
};

}  // namespace hankelmatch::detail
