// Counting sort: items in the order of the numbers of their groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// The places of a counting sort. `begin` has n_groups + 2 zeros at first. Sizes are counted two elements on
/// and summed, so begin[g + 1] is where group g begins. Taking places moves it to where group g ends: then
/// group g is begin[g] .. begin[g + 1] - 1, and the last element is of no use.
template <class Id>
class GroupPlaces {
 public:
  GroupPlaces(std::span<const Id> group_of, std::span<Id> begin, Interrupt& interrupt) : begin_(begin) {
    constexpr std::size_t kChunk = std::size_t{1} << 16;  // between polls
    for (; !group_of.empty(); group_of = group_of.subspan(std::min(kChunk, group_of.size()))) {
      interrupt.poll(kChunk);
      for (const Id g : group_of.first(std::min(kChunk, group_of.size()))) ++begin[at(g) + 2];
    }
    for (std::size_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
  }

  /// The place of the next item of a group.
  std::size_t take(Id group) { return at(begin_[at(group) + 1]++); }

 private:
  std::span<Id> begin_;
};

/// Items 0 .. n - 1 by group, in order within a group: group g is order[begin[g]] .. order[begin[g + 1] - 1].
template <class Id>
struct Groups {
  std::vector<Id> begin;
  std::vector<Id> order;

  Groups(std::span<const Id> group_of, std::size_t n_groups, Interrupt& interrupt) : begin(n_groups + 2, 0) {
    resize_large(order, group_of.size());
    GroupPlaces<Id> places(group_of, begin, interrupt);
    for (std::size_t k = 0; k < group_of.size(); ++k) {
      interrupt.poll();
      order[places.take(group_of[k])] = static_cast<Id>(k);
    }
    begin.pop_back();
  }
};

}  // namespace hankelmatch::detail
