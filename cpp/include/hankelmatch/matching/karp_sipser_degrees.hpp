// What Karp and Sipser's rule knows of every node: two ways to keep it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace hankelmatch::detail {

/// Of every node the number of neighbours left and, in one word, the ids of all of them: their exclusive or.
/// So the last one is known without looking for it; and of two, one of which is known, the other.
///
/// 32 bits a node, so that a graph of 100,000 rows and columns stays in the second cache, where walks along
/// chains, which wait for every node, take two thirds of the time. The ids take as many bits as they need and
/// the numbers the rest: not for nodes with more neighbours than that, see `fits` and `most`. Nodes taken out
/// of the graph have the sign bit, which no later loss can take away.
class PackedNodes {
 public:
  using Id = std::uint32_t;
  static constexpr std::size_t kWords = 1;  // of memory for a node

  explicit PackedNodes(std::span<Id> memory)
      : shift_(static_cast<std::size_t>(std::bit_width(memory.size()))), words_(memory) {
    std::ranges::fill(memory, Id{0});
  }

  /// Whether so many nodes can have some neighbours each.
  static bool fits(std::size_t size) { return size < (std::size_t{1} << kMostIdBits); }

  /// The largest number of neighbours that can be counted.
  std::size_t most() const { return (~Id{0} >> 1) >> shift_; }
  std::size_t count(std::size_t id) const { return words_[id] >> shift_; }
  Id ids(std::size_t id) const { return words_[id] & (one() - 1); }
  bool is_single(std::size_t id) const { return count(id) == 1; }
  /// Whether the node is in the graph and has neighbours left.
  bool is_left(std::size_t id) const {
    return static_cast<std::int32_t>(words_[id]) >= static_cast<std::int32_t>(one());
  }
  const void* address(std::size_t id) const { return &words_[id]; }

  void set(std::size_t id, std::size_t count, Id ids) {
    words_[id] = (static_cast<Id>(count) << shift_) | ids;
  }
  void add(std::size_t id, Id neighbour) { words_[id] = (words_[id] ^ neighbour) + one(); }
  void take_out(std::size_t id) { words_[id] = ~Id{0}; }
  /// Takes a neighbour away; whether one is left then.
  bool lose(std::size_t id, Id neighbour) {
    const Id word = (words_[id] ^ neighbour) - one();
    words_[id] = word;
    return word >> shift_ == 1;
  }

 private:
  static constexpr unsigned kMostIdBits = 25;

  Id one() const { return Id{1} << shift_; }

  std::size_t shift_;  // not of the words' type, so that it need not be read again after each word written
  std::span<Id> words_;
};

/// The same for graphs of any size.
template <class Index>
class WideNodes {
 public:
  using Id = std::make_unsigned_t<Index>;
  static constexpr std::size_t kWords = 2;

  explicit WideNodes(std::span<Id> memory) : words_(memory) { std::ranges::fill(memory, Id{0}); }

  std::size_t most() const { return static_cast<std::size_t>(std::numeric_limits<Index>::max()); }
  std::size_t count(std::size_t id) const { return words_[2 * id]; }
  Id ids(std::size_t id) const { return words_[2 * id + 1]; }
  bool is_single(std::size_t id) const { return count(id) == 1; }
  bool is_left(std::size_t id) const { return static_cast<Index>(count(id)) > 0; }
  const void* address(std::size_t id) const { return &words_[2 * id]; }

  void set(std::size_t id, std::size_t count, Id ids) {
    words_[2 * id] = static_cast<Id>(count);
    words_[2 * id + 1] = ids;
  }
  void add(std::size_t id, Id neighbour) {
    ++words_[2 * id];
    words_[2 * id + 1] ^= neighbour;
  }
  void take_out(std::size_t id) { words_[2 * id] = 0; }  // less than 0 after later losses
  bool lose(std::size_t id, Id neighbour) {
    words_[2 * id + 1] ^= neighbour;
    return --words_[2 * id] == 1;
  }

 private:
  std::span<Id> words_;
};

}  // namespace hankelmatch::detail
