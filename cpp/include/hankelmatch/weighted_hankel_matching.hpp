// Maximum matchings of a prefix-suffix graph that prefer heavy edges, from its trie: the list of edges is
// never made.
#pragma once

#include <cstddef>
#include <hankelmatch/assignment.hpp>
#include <hankelmatch/at.hpp>
#include <hankelmatch/bitset.hpp>
#include <hankelmatch/cheapest_edges.hpp>
#include <hankelmatch/hankel_halves.hpp>
#include <hankelmatch/hankel_matching.hpp>
#include <hankelmatch/hankel_remainder.hpp>
#include <hankelmatch/interrupt.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/parallel.hpp>
#include <hankelmatch/trie.hpp>
#include <hankelmatch/weighted_halves.hpp>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hankelmatch {
namespace detail {

/// A minimum vertex cover of a prefix-suffix graph. No maximum matching has an edge with both ends in it.
struct HankelCover {
  Bitset rows;
  Bitset cols;

  template <class Id>
  HankelCover(const HankelMatching<Id>& maximum, std::size_t n_nodes) : rows(n_nodes), cols(n_nodes) {
    for (const Id row : maximum.cover_rows) rows.set(at(row));
    for (const Id col : maximum.cover_cols) cols.set(at(col));
  }
};

/// Nodes of one side that are to be matched, the members, with their edges as CheapestEdges asks for them.
/// What joins two nodes of the cover is left out.
template <class Id, class Tell, class DegreeOf>
class MemberEdges {
 public:
  /// `tell(visit, interrupt)` tells the edges of short members with long nodes, degree_of(node) about how
  /// many there are.
  MemberEdges(const Renumbering<Id>& members, const Bitset& is_member, const Bitset& cover,
              const Bitset& cover_of_others, Tell tell, DegreeOf degree_of, Interrupt& interrupt)
      : members_(members),
        is_member_(is_member),
        cover_(cover),
        cover_of_others_(cover_of_others),
        tell_(std::move(tell)),
        degree_of_(std::move(degree_of)),
        interrupt_(interrupt),
        n_more_(members.size(), 0) {}

  /// One more edge, if its end is a member.
  void add(Id node, Id other, double weight) {
    if (!is_member_.test(at(node)) || cover_of_others_.test(at(other))) return;
    more_.push_back({-weight, members_.number(node), other});
    ++n_more_[members_.number(node)];
  }

  std::size_t likely_degree(std::size_t number) const {
    return degree_of_(members_.node(number)) + n_more_[number];
  }

  template <class Visitor>
  void operator()(const Visitor& visit) const {
    for (const auto& [cost, number, other] : more_)
      visit.in_any_order(static_cast<Id>(number), cost, [&, node = other] { return node; });
    tell_(Translated<Visitor>{visit, *this}, interrupt_);
  }

 private:
  struct More {
    double cost;
    std::size_t number;
    Id other;
  };

  /// Takes nodes for their numbers.
  template <class Visitor>
  struct Translated {
    const Visitor& visit;
    const MemberEdges& edges;

    Id number(Id node) const { return static_cast<Id>(edges.members_.number(node)); }
    bool wants(Id node) const { return edges.is_member_.test(at(node)) && visit.wants(number(node)); }
    bool wants(Id node, double cost) const { return visit.wants(number(node), cost); }

    template <class OtherOf>
    void operator()(Id node, double cost, const OtherOf& other_of) const {
      visit(number(node), cost, [&] { return edges.checked(node, other_of()); });
    }
    template <class OtherOf>
    void in_any_order(Id node, double cost, const OtherOf& other_of) const {
      visit.in_any_order(number(node), cost, [&] { return edges.checked(node, other_of()); });
    }
  };

  Id checked(Id node, Id other) const {
    return cover_.test(at(node)) && cover_of_others_.test(at(other)) ? Id{kUnmatched} : other;
  }

  const Renumbering<Id>& members_;
  const Bitset& is_member_;
  const Bitset& cover_;
  const Bitset& cover_of_others_;
  Tell tell_;
  DegreeOf degree_of_;
  Interrupt& interrupt_;
  std::vector<More> more_;
  std::vector<std::size_t> n_more_;  // of each member
};

/// Matches all members, with the greatest sum of weights.
template <class Id, class Edges>
void match_with_greatest_sum(const Renumbering<Id>& members, Edges edges, Mates<Id>& mate,
                             Mates<Id>& other_mate, std::size_t n_kept, Interrupt& interrupt) {
  CheapestEdges<Id, Edges> cheapest(static_cast<Id>(members.size()), std::move(edges), n_kept);
  Assignment<Id, CheapestEdges<Id, Edges>> assignment(cheapest, static_cast<Id>(other_mate.size()),
                                                      interrupt);
  if (!assignment.solve()) throw std::logic_error("weighted matching: the cover is not a minimum one");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Id other = assignment.col_of(static_cast<Id>(i));
    mate[at(members.node(i))] = other;
    other_mate[at(other)] = members.node(i);
  }
}

/// Takes the heaviest edge of all, then the heaviest whose ends are free, and so on, as far as that goes: the
/// members propose, and each other node keeps the best (see heavy_matching.hpp). Of equal weights a member
/// takes the lower node first, and a node the member with the higher number.
template <class Id, class Edges>
void match_heaviest_first(const Renumbering<Id>& members, Edges edges, Mates<Id>& mate, Mates<Id>& other_mate,
                          std::size_t n_kept, Interrupt& interrupt) {
  CheapestEdges<Id, Edges> cheapest(static_cast<Id>(members.size()), std::move(edges), n_kept);
  struct Proposal {
    std::size_t next = 0;  // of the member's edges
    double cost = 0;       // of the last
  };
  std::vector<Proposal> proposals(members.size());

  // Returns the member who loses its node by it, or who still has to propose; kUnmatched if there is none.
  const auto propose = [&](Id member) {
    interrupt.poll();
    auto& [next, cost] = proposals[at(member)];
    const auto* edge = cheapest.edge(member, next++);
    if (edge == nullptr) return Id{kUnmatched};
    cost = edge->cost;
    Id& holder = other_mate[at(edge->col)];
    Id loser = kUnmatched;
    if (holder != kUnmatched) {
      loser = static_cast<Id>(members.number(holder));
      const double held = proposals[at(loser)].cost;
      if (held < cost || (held == cost && loser > member)) return member;
      mate[at(holder)] = kUnmatched;
    }
    holder = members.node(at(member));
    mate[at(holder)] = edge->col;
    return loser;
  };
  for (std::size_t i = members.size(); i-- > 0;)
    for (Id member = static_cast<Id>(i); member != kUnmatched;) member = propose(member);
}

/// The short nodes that are not in a cover.
template <class Id>
Bitset short_nodes_outside(const Bitset& cover, Id n_short) {
  return Bitset::where(at(n_short), [&](std::size_t v) { return !cover.test(v); });
}

}  // namespace detail

/// How many of a node's edges are kept at first: most nodes are settled by the heaviest few.
inline constexpr std::size_t kHeaviest = 48;

/// The maximum matching of all strings of a trie with the greatest sum of weights, which are finite, one for
/// each node. Two threads. Cost: hankel_matching, a few passes over the strings, and Assignment on what is
/// kept of the edges, each a problem for the members of a minimum cover (see weighted_matching.hpp). No
/// duals: only the mates are wanted of so large a graph.
template <class Id>
Matching<Id> heaviest_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> weights,
                                      Interrupt interrupt = {}, std::size_t n_kept = kHeaviest) {
  const HankelMatching<Id> maximum = hankel_matching(halves, interrupt);
  const detail::HankelCover cover(maximum, halves.trie().n_nodes());
  const detail::WeightedHalves<Id> weighted(halves, weights);
  Matching<Id> matching = empty_hankel_matching(halves.trie(), interrupt);
  run_both(
      interrupt,
      [&](Interrupt& own) {
        const detail::Renumbering<Id> members(cover.rows);
        const auto tell = [&](const auto& visit, Interrupt& i) { weighted.tell_long_suffixes(visit, i); };
        const auto degree_of = [&](Id prefix) { return weighted.n_long_suffixes(prefix); };
        detail::MemberEdges edges(members, cover.rows, cover.rows, cover.cols, tell, degree_of, own);
        weighted.for_each_edge_of_suffixes(
            detail::short_nodes_outside(cover.cols, weighted.n_short_suffixes()), own,
            [&](Id prefix, Id suffix, double weight) { edges.add(prefix, suffix, weight); });
        detail::match_with_greatest_sum(members, std::move(edges), matching.row_mate, matching.col_mate,
                                        n_kept, own);
      },
      [&](Interrupt& own) {
        const detail::Renumbering<Id> members(cover.cols);
        const auto tell = [&](const auto& visit, Interrupt& i) { weighted.tell_long_prefixes(visit, i); };
        const auto degree_of = [&](Id suffix) { return weighted.most_long_prefixes(suffix); };
        detail::MemberEdges edges(members, cover.cols, cover.cols, cover.rows, tell, degree_of, own);
        weighted.for_each_edge_of_prefixes(
            detail::short_nodes_outside(cover.rows, weighted.n_short_prefixes()), own,
            [&](Id prefix, Id suffix, double weight) { edges.add(suffix, prefix, weight); });
        detail::match_with_greatest_sum(members, std::move(edges), matching.col_mate, matching.row_mate,
                                        n_kept, own);
      });
  matching.size = maximum.matching.size;
  return matching;
}

/// A maximum matching of all strings of a trie that prefers heavy edges: the heaviest first of those with a
/// short and a long end that may be in a maximum matching, then augmenting paths. Two threads. Cost:
/// hankel_matching twice, and a few passes over the strings.
template <class Id>
Matching<Id> heavy_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> weights,
                                   Interrupt interrupt = {}, std::size_t n_kept = kHeaviest) {
  const detail::HankelCover cover(hankel_matching(halves, interrupt), halves.trie().n_nodes());
  const detail::WeightedHalves<Id> weighted(halves, weights);
  Matching<Id> start = empty_hankel_matching(halves.trie(), interrupt);
  run_both(
      interrupt,
      [&](Interrupt& own) {
        const Bitset all(at(weighted.n_short_prefixes()), true);
        const detail::Renumbering<Id> members(all);
        const auto tell = [&](const auto& visit, Interrupt& i) { weighted.tell_long_suffixes(visit, i); };
        const auto degree_of = [&](Id prefix) { return weighted.n_long_suffixes(prefix); };
        detail::match_heaviest_first(
            members, detail::MemberEdges(members, all, cover.rows, cover.cols, tell, degree_of, own),
            start.row_mate, start.col_mate, n_kept, own);
      },
      [&](Interrupt& own) {
        const Bitset all(at(weighted.n_short_suffixes()), true);
        const detail::Renumbering<Id> members(all);
        const auto tell = [&](const auto& visit, Interrupt& i) { weighted.tell_long_prefixes(visit, i); };
        const auto degree_of = [&](Id suffix) { return weighted.most_long_prefixes(suffix); };
        detail::match_heaviest_first(
            members, detail::MemberEdges(members, all, cover.cols, cover.rows, tell, degree_of, own),
            start.col_mate, start.row_mate, n_kept, own);
      });
  return hankel_matching_from(std::move(start), halves, interrupt).matching;
}

}  // namespace hankelmatch
