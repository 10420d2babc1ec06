// The order of a search by distances that never fall.
//
// Cherkassky, Goldberg, Silverstein, "Buckets, heaps, lists, and monotone priority queues", SIAM J. Comput.
// 28 (1999): buckets, of which only the one that is being emptied is a heap.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace hankelmatch {

/// Nodes with distances, nearly the nearest first, or exactly. What is pushed must not be nearer than what
/// was popped last.
///
/// Distances fall into 256 buckets of one width; those behind the last bucket wait for their turn, with wider
/// ones. The last to come into a bucket is the first to leave, so that a node costs a few instructions; a
/// search has to put up with nodes that come again, nearer, from the same bucket. Where these are too many,
/// `order_exactly` makes a heap of the bucket that is being emptied: O(log nodes) each, whatever the width.
template <class Index>
class BucketQueue {
 public:
  struct Entry {
    double distance;
    Index node;
    Index next = kNone;  // behind it in its bucket

    friend bool operator>(const Entry& a, const Entry& b) { return a.distance > b.distance; }
  };

  BucketQueue() { heads_.fill(kNone); }

  /// Empties it; the next search has buckets of this width > 0.
  void clear(double width) {
    for (std::size_t w = 0; w < kWords; ++w) {
      for (; used_[w] != 0; used_[w] &= used_[w] - 1) heads_[first_bit(w)] = kNone;
    }
    n_entries_ = 0;
    near_.clear();
    far_.clear();
    start_at(0, 1 / width);
  }

  /// From now on no node leaves before a nearer one.
  void order_exactly() {
    exact_ = true;
    empty_current();
  }

  void push(double distance, Index node) {
    const double place = (distance - base_) * per_distance_;
    if (exact_ || !(place < static_cast<double>(kBuckets))) [[unlikely]]
      return push_with_care(place, {distance, node});
    push_into(bucket_at(place), distance, node);
  }

  /// The node that leaves next if nothing is pushed before it; -1 if that is not known yet.
  Index next() const {
    const Index head = heads_[current_];
    return head == kNone ? kNone : entries_[static_cast<std::size_t>(head)].node;
  }

  /// Takes an entry out of the first bucket that has any; false if there is none, or surely none below the
  /// bound. Inline: a call takes about as long.
  [[gnu::always_inline]] bool pop(double bound, Entry& entry) {
    if (exact_) [[unlikely]]
      return pop_nearest(bound, entry);
    if (heads_[current_] == kNone && !find_next() && !open_far(bound)) return false;
    if (lies_behind(bound)) return false;
    entry = take_from(current_);
    return true;
  }

 private:
  static constexpr Index kNone = -1;
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kWords = 4;
  static constexpr std::size_t kBuckets = kWords * kBits;

  std::size_t first_bit(std::size_t word) const {
    return word * kBits + static_cast<std::size_t>(std::countr_zero(used_[word]));
  }

  static std::size_t bucket_at(double place) { return static_cast<std::size_t>(static_cast<int>(place)); }

  // Whether the current bucket begins behind the bound.
  bool lies_behind(double bound) const {
    return static_cast<double>(static_cast<int>(current_)) > (bound - base_) * per_distance_;
  }

  // The next bucket that has any becomes the current one; false if there is none.
  bool find_next() {
    std::size_t word = current_ / kBits;
    while (word < kWords && used_[word] == 0) ++word;
    if (word == kWords) return false;
    current_ = first_bit(word);
    return true;
  }

  // Where no node may leave before a nearer one.
  bool pop_nearest(double bound, Entry& entry) {
    while (near_.empty()) {
      if (find_next()) {
        if (lies_behind(bound)) return false;
        empty_current();
      } else if (!open_far(bound)) {
        return false;
      }
    }
    std::ranges::pop_heap(near_, std::greater<>{});
    entry = near_.back();
    near_.pop_back();
    return entry.distance < bound;
  }

  void start_at(double base, double per_distance) {
    base_ = base;
    per_distance_ = per_distance;
    current_ = 0;
  }

  void push_into(std::size_t bucket, double distance, Index node) {
    if (n_entries_ == entries_.size()) [[unlikely]]
      grow();
    entries_[n_entries_] = {distance, node, heads_[bucket]};
    heads_[bucket] = static_cast<Index>(n_entries_++);
    used_[bucket / kBits] |= std::uint64_t{1} << (bucket % kBits);
  }

  [[gnu::noinline]] void grow() {
    constexpr std::size_t kLeast = 64;
    entries_.resize(std::max(kLeast, 2 * entries_.size()));
  }

  // Far ones, and those of the bucket that is a heap. Apart, so that `push` is small enough for searches.
  [[gnu::noinline]] void push_with_care(double place, const Entry& entry) {
    if (!(place < static_cast<double>(kBuckets))) {
      far_.push_back(entry);
    } else if (const std::size_t bucket = bucket_at(place); bucket <= current_) {
      push_near(entry);
    } else {
      push_into(bucket, entry.distance, entry.node);
    }
  }

  Entry take_from(std::size_t bucket) {
    const Entry& entry = entries_[static_cast<std::size_t>(heads_[bucket])];
    heads_[bucket] = entry.next;
    if (entry.next == kNone) used_[bucket / kBits] &= ~(std::uint64_t{1} << (bucket % kBits));
    return entry;
  }

  // Moves the bucket that is being emptied to the heap.
  void empty_current() {
    while (heads_[current_] != kNone) push_near(take_from(current_));
  }

  void push_near(const Entry& entry) {
    near_.push_back(entry);
    std::ranges::push_heap(near_, std::greater<>{});
  }

  // Spreads the far entries over the buckets, which are empty; the first of them gets the nearest, which goes
  // on to the heap if there is one.
  bool open_far(double bound) {
    if (far_.empty()) return false;
    const auto [least, most] = std::ranges::minmax(far_, {}, &Entry::distance);
    if (least.distance >= bound) return false;
    const double fitting = static_cast<double>(kBuckets) / 2 / (most.distance - least.distance);
    start_at(least.distance, std::min(per_distance_, fitting));
    n_entries_ = 0;
    moved_.swap(far_);
    for (const Entry& e : moved_) push(e.distance, e.node);
    moved_.clear();
    return true;
  }

  double base_ = 0;
  double per_distance_ = 1;
  std::size_t current_ = 0;  // the bucket that is being emptied
  bool exact_ = false;
  std::array<Index, kBuckets> heads_{};
  std::array<std::uint64_t, kWords> used_{};  // a bit for each bucket that has any
  std::vector<Entry> entries_;                // the first n_entries_; the rest is room
  std::size_t n_entries_ = 0;
  std::vector<Entry> near_;  // a heap, of the current bucket
  std::vector<Entry> far_;
  std::vector<Entry> moved_;
};

}  // namespace hankelmatch
