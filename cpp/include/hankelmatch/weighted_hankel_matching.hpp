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

/// One half of the graph: short nodes of one side with long ones of the other.
template <class Id>
struct PrefixHalf {
  const WeightedHalves<Id>& edges;
  Interrupt& interrupt;

  template <class Visitor>
  void tell(const Visitor& visit) const {
    edges.tell_long_suffixes(visit, interrupt);
  }
  std::size_t most_edges(Id prefix) const { return edges.n_long_suffixes(prefix); }
  auto others_of(Id prefix) const { return edges.suffixes_behind(prefix); }
  bool is_told_alone(Id prefix) const { return prefix < n_short(); }
  template <class Visit>
  void tell_alone(Id prefix, const Visit& visit) const {
    edges.for_each_string_behind(prefix, visit);
  }
  Id n_short() const { return edges.n_short_prefixes(); }
};
template <class Id>
struct SuffixHalf {
  const WeightedHalves<Id>& edges;
  Interrupt& interrupt;
  std::vector<Id> tails = edges.tails();

  template <class Visitor>
  void tell(const Visitor& visit) const {
    edges.tell_long_prefixes(tails, visit, interrupt);
  }
  std::size_t most_edges(Id suffix) const { return edges.most_long_prefixes(suffix); }
  auto others_of(Id suffix) const { return edges.prefixes_before(suffix); }
  bool is_told_alone(Id suffix) const { return edges.is_longest_short_suffix(suffix); }
  template <class Visit>
  void tell_alone(Id suffix, const Visit& visit) const {
    edges.for_each_longest_before(suffix, visit);
  }
  Id n_short() const { return edges.n_short_suffixes(); }
};

/// Nodes of one side that are to be matched, the members, with their edges as CheapestEdges asks for them; an
/// edge's id is its string. What joins two nodes of the cover is left out.
template <class Id, class Half>
class MemberEdges {
 public:
  MemberEdges(const Renumbering<Id>& members, const Bitset& is_member, const Bitset& cover,
              const Bitset& cover_of_others, Half half)
      : members_(members),
        is_member_(is_member),
        cover_(cover),
        cover_of_others_(cover_of_others),
        half_(std::move(half)),
        n_more_(members.size(), 0) {}

  /// One more edge, if its end is a member.
  void add(Id node, Id other, Id string) {
    if (!is_member_.test(at(node)) || cover_of_others_.test(at(other))) return;
    more_.push_back({members_.number(node), string});
    ++n_more_[members_.number(node)];
  }

  std::size_t most_edges(std::size_t number) const {
    return half_.most_edges(members_.node(number)) + n_more_[number];
  }

  template <class Visitor>
  void operator()(const Visitor& visit) const {
    for (const auto& [number, string] : more_)
      visit.add(visit.row(static_cast<Id>(number)), -half_.edges.weight(string), string);
    half_.tell(ByNode<Visitor>{visit, *this});
  }

  bool is_told_alone(std::size_t number) const {
    return n_more_[number] == 0 && half_.is_told_alone(members_.node(number));
  }

  template <class Visitor>
  void tell_alone(std::size_t number, const Visitor& visit) const {
    auto& row = visit.row(static_cast<Id>(number));
    half_.tell_alone(members_.node(number), [&](Id x) { visit.add(row, -half_.edges.weight(x), x); });
  }

  auto columns_of(std::size_t number) const {
    const Id node = members_.node(number);
    return [this, other_of = half_.others_of(node), in_cover = cover_.test(at(node))](Id string) {
      const Id other = other_of(string);
      return in_cover && cover_of_others_.test(at(other)) ? Id{kUnmatched} : other;
    };
  }

 private:
  struct More {
    std::size_t number;
    Id string;
  };

  /// Takes nodes for their numbers.
  template <class Visitor>
  struct ByNode {
    const Visitor& visit;
    const MemberEdges& edges;

    auto& row(Id node) const {
      if (!edges.is_member_.test(at(node))) return visit.no_row();
      return visit.row(static_cast<Id>(edges.members_.number(node)));
    }
    void add(auto& row, double cost, Id string) const { visit.add(row, cost, string); }
  };

  const Renumbering<Id>& members_;
  const Bitset& is_member_;
  const Bitset& cover_;
  const Bitset& cover_of_others_;
  Half half_;
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
inline constexpr std::size_t kHeaviest = 12;

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
        detail::MemberEdges edges(members, cover.rows, cover.rows, cover.cols,
                                  detail::PrefixHalf<Id>{weighted, own});
        weighted.for_each_edge_of_suffixes(
            detail::short_nodes_outside(cover.cols, weighted.n_short_suffixes()), own,
            [&](Id prefix, Id suffix, Id string) { edges.add(prefix, suffix, string); });
        detail::match_with_greatest_sum(members, std::move(edges), matching.row_mate, matching.col_mate,
                                        n_kept, own);
      },
      [&](Interrupt& own) {
        const detail::Renumbering<Id> members(cover.cols);
        detail::MemberEdges edges(members, cover.cols, cover.cols, cover.rows,
                                  detail::SuffixHalf<Id>{weighted, own});
        weighted.for_each_edge_of_prefixes(
            detail::short_nodes_outside(cover.rows, weighted.n_short_prefixes()), own,
            [&](Id prefix, Id suffix, Id string) { edges.add(suffix, prefix, string); });
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
        detail::match_heaviest_first(
            members,
            detail::MemberEdges(members, all, cover.rows, cover.cols, detail::PrefixHalf<Id>{weighted, own}),
            start.row_mate, start.col_mate, n_kept, own);
      },
      [&](Interrupt& own) {
        const Bitset all(at(weighted.n_short_suffixes()), true);
        const detail::Renumbering<Id> members(all);
        detail::match_heaviest_first(
            members,
            detail::MemberEdges(members, all, cover.cols, cover.rows, detail::SuffixHalf<Id>{weighted, own}),
            start.col_mate, start.row_mate, n_kept, own);
      });
  return hankel_matching_from(std::move(start), halves, interrupt).matching;
}

}  // namespace hankelmatch
