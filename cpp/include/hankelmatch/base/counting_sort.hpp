// Items by the number of their group.
#pragma once

#include <cstddef>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/memory.hpp>
#include <span>
#include <vector>

namespace hankelmatch::detail {

/// Items 0 .. n - 1 by group, in order within a group: those of group g are order[begin[g]] .. order[begin[g
/// + 1] - 1].
template <class Id>
struct Groups {
  std::vector<Id> begin;
  std::vector<Id> order;

  Groups(std::span<const Id> group_of, std::size_t n_groups) : begin(n_groups + 2, 0) {
    reserve_large(order, group_of.size());
    order.resize(group_of.size());
    for (const Id g : group_of) ++begin[at(g) + 2];
    for (std::size_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
    for (std::size_t k = 0; k < group_of.size(); ++k)
      order[at(begin[at(group_of[k]) + 1]++)] = static_cast<Id>(k);
    begin.pop_back();
  }
};

}  // namespace hankelmatch::detail
