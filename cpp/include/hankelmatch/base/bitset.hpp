// A set of small integers, one bit each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/prefetch.hpp>
#include <span>
#include <vector>

namespace hankelmatch {

/// Each of the numbers 0 .. size() - 1 is in the set or not. Unlike std::vector<bool>, it finds members a
/// word at a time. A set over a million numbers takes 125 kB, so it stays in the cache, where an array of
/// bytes would not. Arguments must be below size(), except for find_next.
class Bitset {
 public:
  Bitset() = default;
  explicit Bitset(std::size_t size, bool value = false)
      : size_(size), words_((size + kBits - 1) / kBits, value ? ~Word{0} : Word{0}) {
    const std::size_t used = size % kBits;
    if (value && used != 0)
      words_.back() = bit(used) - 1;  // no bits beyond the end, so that whole words can be counted
  }

  /// The numbers below `size` for which holds(i) is true.
  template <class Predicate>
  static Bitset where(std::size_t size, const Predicate& holds) {
    Bitset result(size);
    result.set_where(0, size, holds);
    return result;
  }

  /// Adds the numbers first .. last - 1 for which holds(i) is true, a word at a time.
  template <class Predicate>
  void set_where(std::size_t first, std::size_t last, const Predicate& holds) {
    for (std::size_t i = first; i < last;) {
      const std::size_t end = std::min(last, (i / kBits + 1) * kBits);
      Word word = 0;
      for (; i < end; ++i) word |= Word{holds(i)} << (i % kBits);
      words_[(end - 1) / kBits] |= word;
    }
  }

  std::size_t size() const { return size_; }
  bool test(std::size_t i) const { return (shifted(i) & 1) != 0; }

  /// Whether all of these numbers are members, and whether some are; without a branch for each.
  template <class Id, std::size_t kSize>
  bool has_all(std::span<const Id, kSize> ids) const {
    Word all = 1;
    for (const Id id : ids) all &= shifted(static_cast<std::size_t>(id));
    return all != 0;
  }
  template <class Id, std::size_t kSize>
  bool has_any(std::span<const Id, kSize> ids) const {
    Word any = 0;
    for (const Id id : ids) any |= shifted(static_cast<std::size_t>(id));
    return (any & 1) != 0;
  }

  void prefetch(std::size_t i) const { hankelmatch::prefetch(&words_[i / kBits]); }
  void set(std::size_t i) { words_[i / kBits] |= bit(i); }
  void reset(std::size_t i) { words_[i / kBits] &= ~bit(i); }

  /// Adds or removes the members of another set of numbers below size().
  void add(const Bitset& members) {
    for (std::size_t w = 0; w < members.words_.size(); ++w) words_[w] |= members.words_[w];
  }
  void remove(const Bitset& members) {
    for (std::size_t w = 0; w < members.words_.size(); ++w) words_[w] &= ~members.words_[w];
  }

  /// Removes every number; costs size() / 64.
  void clear() { words_.assign(words_.size(), Word{0}); }

  /// The smallest member that is at least `from`, or size() if there is none.
  std::size_t find_next(std::size_t from) const { return find_next(from, size_); }

  /// The smallest member i with from <= i < to, or `to` if there is none.
  std::size_t find_next(std::size_t from, std::size_t to) const {
    if (from >= to) return to;
    std::size_t w = from / kBits;
    Word word = words_[w] & ~(bit(from) - 1);
    for (const std::size_t last = (to - 1) / kBits; word == 0 && w < last;) word = words_[++w];
    return word == 0 ? to : std::min(to, w * kBits + static_cast<std::size_t>(std::countr_zero(word)));
  }

  /// Calls visit(i) for all members first <= i < last, in ascending order.
  template <class Visit>
  void for_each(std::size_t first, std::size_t last, const Visit& visit) const {
    for (std::size_t i = find_next(first, last); i < last; i = find_next(i + 1, last)) visit(i);
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for_each(0, size_, visit);
  }

  /// The number of members; costs size() / 64.
  std::size_t count() const {
    std::size_t n = 0;
    for (const Word word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kBits = 64;
  static constexpr Word bit(std::size_t i) { return Word{1} << (i % kBits); }
  Word shifted(std::size_t i) const { return words_[i / kBits] >> (i % kBits); }  // i is the lowest bit

  std::size_t size_ = 0;
  std::vector<Word> words_;
};

}  // namespace hankelmatch
