// Distinct byte strings, numbered in the order of their first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace hankelmatch {

/// A hash table from labels to ids 0, 1, 2, ... The labels are views: the text must outlive the table.
/// `id` costs a hash and, as a rule, one comparison; for a label of one byte, one table look-up.
class LabelTable {
 public:
  LabelTable() : single_(256, kUnseen), slots_(1024) {}

  const std::vector<std::string_view>& labels() const { return labels_; }

  /// The id of `label`; a new label gets the next free id. The label must not be empty.
  std::int32_t id(std::string_view label) {
    if (label.size() > 1) return find_or_add(label);
    std::int32_t& known = single_[static_cast<unsigned char>(label.front())];
    if (known == kUnseen) known = add(label);
    return known;
  }

 private:
  static constexpr std::int32_t kUnseen = -1;
  struct Slot {
    std::uint64_t hash = 0;
    std::int32_t id = kUnseen;
  };

  static std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15U;
    return h ^ (h >> 32);
  }

  static std::uint64_t hash(std::string_view label) {
    std::uint64_t h = label.size();
    std::size_t i = 0;
    std::uint64_t word = 0;
    for (; i + 8 <= label.size(); i += 8) {
      std::memcpy(&word, label.data() + i, 8);
      h = mix(h, word);
    }
    word = 0;
    std::memcpy(&word, label.data() + i, label.size() - i);
    return mix(mix(h, word), 0);
  }

  std::int32_t find_or_add(std::string_view label) {
    const std::uint64_t h = hash(label);
    Slot& slot = slots_[find_slot(h, label)];
    if (slot.id != kUnseen) return slot.id;
    const std::int32_t added = add(label);
    slot = Slot{h, added};
    if (++n_used_ * 2 > slots_.size()) grow();
    return added;
  }

  /// The slot of `label`, or the free slot where it belongs, by linear probing.
  std::size_t find_slot(std::uint64_t h, std::string_view label) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = h & mask;
    while (slots_[i].id != kUnseen &&
           (slots_[i].hash != h || labels_[static_cast<std::size_t>(slots_[i].id)] != label)) {
      i = (i + 1) & mask;
    }
    return i;
  }

  std::int32_t add(std::string_view label) {
    if (labels_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() - 2)) {
      throw std::length_error("the text has more than 2^31 - 3 distinct symbols");
    }
    labels_.push_back(label);
    return static_cast<std::int32_t>(labels_.size() - 1);
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kUnseen) continue;
      std::size_t i = slot.hash & mask;
      while (slots_[i].id != kUnseen) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

  std::vector<std::string_view> labels_;
  std::vector<std::int32_t> single_;
  std::vector<Slot> slots_;
  std::size_t n_used_ = 0;
};

}  // namespace hankelmatch
