// A matching of everything that can be matched without a choice.
//
// Karp, Sipser, "Maximum matching in sparse random graphs", FOCS 1981: some maximum matching has the edge of
// a node that has but one.
#pragma once

#include <cstddef>
#include <hankelmatch/csr_graph.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <memory>
#include <type_traits>
#include <vector>

namespace hankelmatch {

/// As long as a row or column has a single neighbour left, matches the two and takes both out of the graph.
/// What it returns is part of a maximum matching; if nothing is left in the end, as on any graph without
/// cycles, it is one. O(nodes + edges).
///
/// Every node keeps the number and the sum of the ids of its neighbours left, so that the last one is known
/// without looking for it: the sum is its id.
template <class Index>
class KarpSipser {
 public:
  KarpSipser(const CsrGraph<Index>& graph, const CsrGraph<Index>& transpose, Interrupt& interrupt)
      : interrupt_(interrupt), rows_(graph), cols_(transpose) {}

  Matching<Index> run() {
    Matching<Index> matching(rows_.graph.n_rows, cols_.graph.n_rows);
    Index mate = kUnmatched;
    do {
      while (match_next(rows_, cols_, mate)) matching.join(rows_.last(), mate);
      while (match_next(cols_, rows_, mate)) matching.join(mate, cols_.last());
    } while (rows_.has_more() || cols_.has_more());
    return matching;
  }

 private:
  using Unsigned = std::make_unsigned_t<Index>;
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  struct Node {
    Index count = 0;   // neighbours left; 0 or less once it is matched
    Unsigned sum = 0;  // of their ids; may wrap round on the way, but not once one is left
  };

  struct Side {
    CsrGraph<Index> graph;
    std::vector<Node> nodes;
    std::unique_ptr<Index[]>
        singles;  // a queue of nodes that came to have one neighbour left, each of them once
    std::size_t next = 0;
    std::size_t end = 0;

    explicit Side(const CsrGraph<Index>& g)
        : graph(g), nodes(at(g.n_rows)), singles(std::make_unique_for_overwrite<Index[]>(at(g.n_rows) + 1)) {
      for (Index id = 0; id < g.n_rows; ++id) {
        Node& node = nodes[at(id)];
        node.count = static_cast<Index>(g.row(id).size());
        for (const Index neighbour : g.row(id)) node.sum += static_cast<Unsigned>(neighbour);
        add_if_single(id);
      }
    }

    // Without a branch, since none could be predicted.
    void add_if_single(Index id) {
      singles[end] = id;
      end += nodes[at(id)].count == 1 ? 1U : 0U;
    }
    bool has_more() const { return next < end; }
    Index last() const { return singles[next - 1]; }
  };

  // Takes the next single node of a side that is still one, and its mate, out of the graph. Only the mate has
  // other neighbours left.
  bool match_next(Side& side, Side& other, Index& mate) {
    while (side.has_more()) {
      Node& node = side.nodes[at(side.singles[side.next++])];
      if (node.count != 1) continue;
      mate = static_cast<Index>(node.sum);
      node.count = 0;
      other.nodes[at(mate)].count = 0;
      take_out(mate, other.graph, side);
      return true;
    }
    return false;
  }

  void take_out(Index id, const CsrGraph<Index>& graph, Side& side) {
    interrupt_.poll(graph.row(id).size() + 1);
    for (const Index neighbour : graph.row(id)) {
      Node& node = side.nodes[at(neighbour)];
      node.sum -= static_cast<Unsigned>(id);
      --node.count;
      side.add_if_single(neighbour);
    }
  }

  Interrupt& interrupt_;
  Side rows_;
  Side cols_;
};

/// The part of a maximum matching that needs no choice; see KarpSipser.
template <class Index>
Matching<Index> karp_sipser(const CsrGraph<Index>& graph, const CsrGraph<Index>& transpose,
                            Interrupt& interrupt) {
  return KarpSipser<Index>(graph, transpose, interrupt).run();
}

}  // namespace hankelmatch
