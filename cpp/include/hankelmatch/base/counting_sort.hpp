// Counting sort: items in the order of the numbers of their groups.
#pragma once

#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/prefetch.hpp>
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
    for_each_stretch(group_of.size(), interrupt, [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) ++begin[at(group_of[k]) + 2];
    });
    for (std::size_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
  }

  /// The place of the next item of a group; `take` takes it.
  std::size_t next(Id group) const { return at(begin_[at(group) + 1]); }
  std::size_t take(Id group) { return at(begin_[at(group) + 1]++); }
  void prefetch_next(Id group) const { prefetch(&begin_[at(group) + 1]); }

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
    for_each_stretch(group_of.size(), interrupt, [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) order[places.take(group_of[k])] = static_cast<Id>(k);
    });
    begin.pop_back();
  }
};

}  // namespace hankelmatch::detail
