// The maximum matching of a prefix-suffix graph with the greatest sum of weights, from its trie: the list of
// edges is never made.
#pragma once

#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/renumbering.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/short_long_split.hpp>
#include <hankelmatch/hankel/weighted_rows.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/weighted/cheapest_edges.hpp>
#include <hankelmatch/weighted/lazy_assignment.hpp>
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

/// The short nodes that are not in a cover.
template <class Id>
Bitset short_nodes_outside(const Bitset& cover, Id n_short) {
  return Bitset::where(at(n_short), [&](std::size_t v) { return !cover.test(v); });
}

/// One half of the graph, short prefixes with long suffixes, as seen from the prefixes.
template <class Id>
struct PrefixHalf {
  const WeightedHalves<Id>& edges;
  Interrupt& interrupt;

  Id n_short() const { return edges.n_short_prefixes(); }
  std::size_t most_edges(Id prefix) const { return edges.n_long_suffixes(prefix); }
  auto others_of(Id prefix) const { return edges.suffixes_behind(prefix); }

  template <class Visitor>
  void tell(const Visitor& visit) const {
    edges.tell_long_suffixes(visit, interrupt);
  }
  bool is_told_alone(Id prefix) const { return prefix < n_short(); }
  template <class Visit>
  void tell_alone(Id prefix, const Visit& visit) const {
    edges.for_each_string_behind(prefix, visit);
  }
  /// Calls visit(prefix, suffix, string) for the edges of the other half's short nodes outside its cover.
  template <class Visit>
  void for_each_edge_outside(const Bitset& cover_of_suffixes, const Visit& visit) const {
    const Bitset outside = short_nodes_outside(cover_of_suffixes, edges.n_short_suffixes());
    edges.for_each_edge_of_suffixes(outside, interrupt, visit);
  }
};

/// The other half, short suffixes with long prefixes, as seen from the suffixes.
template <class Id>
struct SuffixHalf {
  const WeightedHalves<Id>& edges;
  Interrupt& interrupt;
  std::vector<Id> tails = edges.tails();

  Id n_short() const { return edges.n_short_suffixes(); }
  std::size_t most_edges(Id suffix) const { return edges.most_long_prefixes(suffix); }
  auto others_of(Id suffix) const { return edges.prefixes_before(suffix); }

  template <class Visitor>
  void tell(const Visitor& visit) const {
    edges.tell_long_prefixes(tails, visit, interrupt);
  }
  bool is_told_alone(Id suffix) const { return edges.has_longest_only(suffix); }
  template <class Visit>
  void tell_alone(Id suffix, const Visit& visit) const {
    edges.for_each_longest_before(suffix, visit);
  }
  template <class Visit>
  void for_each_edge_outside(const Bitset& cover_of_prefixes, const Visit& visit) const {
    const Bitset outside = short_nodes_outside(cover_of_prefixes, edges.n_short_prefixes());
    edges.for_each_edge_of_prefixes(outside, interrupt,
                                    [&](Id prefix, Id suffix, Id string) { visit(suffix, prefix, string); });
  }
};

/// The mates of one side and of the other.
template <class Id>
struct BothMates {
  Mates<Id>& of_members;
  Mates<Id>& of_others;
};

/// The nodes of one side that are in the cover, the members, with their edges as CheapestEdges asks for them;
/// an edge's id is its string. What joins two nodes of the cover is left out.
template <class Id, class Half>
class MemberEdges {
 public:
  MemberEdges(const Renumbering<Id>& members, const Bitset& is_member, const Bitset& cover_of_others,
              const Half& half)
      : members_(members),
        is_member_(is_member),
        cover_of_others_(cover_of_others),
        half_(half),
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
    return [this, other_of = half_.others_of(members_.node(number))](Id string) {
      const Id other = other_of(string);
      return cover_of_others_.test(at(other)) ? Id{kUnmatched} : other;
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
  const Bitset& cover_of_others_;
  const Half& half_;
  std::vector<More> more_;
  std::vector<std::size_t> n_more_;  // of each member
};

/// Matches all nodes of a half's cover, with the greatest sum of weights.
template <class Id, class Half>
void match_with_greatest_sum(const Half& half, const Bitset& cover, const Bitset& cover_of_others,
                             BothMates<Id> mates, std::size_t n_kept) {
  const Renumbering<Id> members(cover);
  MemberEdges<Id, Half> edges(members, cover, cover_of_others, half);
  half.for_each_edge_outside(cover_of_others,
                             [&](Id node, Id other, Id string) { edges.add(node, other, string); });
  CheapestEdges cheapest(static_cast<Id>(members.size()), std::move(edges), n_kept);
  Assignment<Id, decltype(cheapest)> assignment(cheapest, static_cast<Id>(mates.of_others.size()),
                                                half.interrupt);
  if (!assignment.solve()) throw std::logic_error("weighted matching: the cover is not a minimum one");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Id other = assignment.col_of(static_cast<Id>(i));
    mates.of_members[at(members.node(i))] = other;
    mates.of_others[at(other)] = members.node(i);
  }
}

}  // namespace detail

/// How many of a node's edges are kept at first: most nodes are settled by the heaviest few.
inline constexpr std::size_t kHeaviest = 12;

/// The maximum matching of all strings of a trie with the greatest sum of weights, which are finite, one for
/// each node. Two threads. Cost: hankel_matching, a few passes over the strings, and Assignment on what is
/// kept of the edges, each a problem for the members of a minimum cover (see
/// weighted/heaviest_maximum_matching.hpp). No duals: only the mates are wanted of so large a graph. The
/// edges seen are those of hankel_matching.
template <class Id>
HankelMatching<Id> heaviest_hankel_matching(const HankelHalves<Id>& halves, std::span<const double> weights,
                                            Interrupt& interrupt = no_interrupt(),
                                            std::size_t n_kept = kHeaviest) {
  HankelMatching<Id> result = hankel_matching(halves, interrupt);
  const detail::HankelCover cover(result, halves.trie().n_nodes());
  const detail::WeightedHalves<Id> weighted(halves, weights);
  const Id maximum = result.matching.size;
  result.matching = detail::empty_hankel_matching(halves.trie(), interrupt);
  Mates<Id>& row_mate = result.matching.row_mate;
  Mates<Id>& col_mate = result.matching.col_mate;
  run_both(
      interrupt,
      [&](Interrupt& own) {
        detail::match_with_greatest_sum<Id>(detail::PrefixHalf<Id>{weighted, own}, cover.rows, cover.cols,
                                            {row_mate, col_mate}, n_kept);
      },
      [&](Interrupt& own) {
        detail::match_with_greatest_sum<Id>(detail::SuffixHalf<Id>{weighted, own}, cover.cols, cover.rows,
                                            {col_mate, row_mate}, n_kept);
      });
  result.matching.size = maximum;
  return result;
}

}  // namespace hankelmatch
