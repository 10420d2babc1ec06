// New numbers for some nodes of a graph.
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/memory.hpp>
#include <vector>

namespace hankelmatch::detail {

/// The members of a set of nodes, numbered from 0 in ascending order.
template <class Id>
class Renumbering {
 public:
  explicit Renumbering(const Bitset& nodes) : number_(nodes.size()) {
    nodes.for_each([&](std::size_t v) {
      number_[v] = static_cast<Id>(nodes_.size());
      nodes_.push_back(static_cast<Id>(v));
    });
  }

  std::size_t size() const { return nodes_.size(); }
  Id node(std::size_t number) const { return nodes_[number]; }
  std::size_t number(Id node) const { return at(number_[at(node)]); }  ///< for members only

 private:
  std::vector<Id> nodes_;
  Buffer<Id> number_;  // written for members only
};

}  // namespace hankelmatch::detail
