// What Karp and Sipser's rule knows of every node: two ways to keep it, and how it is counted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/prefetch.hpp>
#include <hankelmatch/graph/csr.hpp>
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

/// What count_neighbours finds besides.
struct NeighboursCounted {
  bool fit = false;  // no node has more neighbours than its place can count
  std::size_t n_singles = 0;
  std::size_t n_isolated_cols = 0;
};

/// Counts the neighbours of all nodes, and writes down those that have one: rows, then columns. All that
/// changes is in values of its own, since what belongs to an object is read again after each node that is
/// written: ropes and hilo, shuffled, take .97 of the time. `fetches_ahead`: nodes that will count an edge;
/// on graphs of 100,000 rows, which stay in the caches, it costs up to a fifth (benchmarks.matching). O(nodes
/// + edges).
template <class Index, class Nodes>
NeighboursCounted count_neighbours(const CsrGraph<Index>& graph, Nodes nodes, typename Nodes::Id* singles,
                                   bool fetches_ahead, Interrupt& interrupt) {
  using Id = typename Nodes::Id;
  constexpr std::size_t kFarEdge = 24;
  const Index* const ends = graph.indptr.data() + 1;
  const Index* const cols = graph.indices.data();
  const std::size_t n_edges = at(graph.n_edges());
  const std::size_t n_fetched = fetches_ahead && n_edges > kFarEdge ? n_edges - kFarEdge : 0;
  const Id first_col = static_cast<Id>(graph.n_rows);
  Id* single = singles;
  const auto note_if = [&single](bool is_single, std::size_t id) {
    *single = static_cast<Id>(id);
    single += is_single ? 1 : 0;
  };
  bool fit = true;
  std::size_t edge = 0;
  for (std::size_t row = 0; row < first_col; ++row) {
    const std::size_t end = at(ends[row]);
    const std::size_t n_neighbours = end - edge;
    Id ids = 0;
    for (; edge < end; ++edge) {
      if (edge < n_fetched) prefetch(nodes.address(at(cols[edge + kFarEdge]) + first_col));
      const Id id = static_cast<Id>(cols[edge]) + first_col;
      ids ^= id;
      nodes.add(id, static_cast<Id>(row));
    }
    nodes.set(row, n_neighbours, ids);
    note_if(n_neighbours == 1, row);
    fit &= n_neighbours <= nodes.most();
    interrupt.poll(n_neighbours + 1);
  }
  std::size_t n_counted = 0;
  std::size_t n_isolated = 0;
  const std::size_t n_nodes = first_col + at(graph.n_cols);
  for (std::size_t id = first_col; id < n_nodes; ++id) {
    const std::size_t n_neighbours = nodes.count(id);
    n_counted += n_neighbours;
    n_isolated += n_neighbours == 0 ? 1 : 0;
    fit &= n_neighbours <= nodes.most();
    note_if(n_neighbours == 1, id);
  }
  // Fewer are counted than there are where a number went beyond its place.
  return {fit && n_counted == n_edges, static_cast<std::size_t>(single - singles), n_isolated};
}

}  // namespace hankelmatch::detail
