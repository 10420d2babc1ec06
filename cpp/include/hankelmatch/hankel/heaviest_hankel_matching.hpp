// The maximum matching of a text's prefix-suffix graph with the greatest sum of weights, without a list of
// edges.
#pragma once

#include <cstddef>
#include <hankelmatch/assignment/cheapest_edges.hpp>
#include <hankelmatch/assignment/lazy_assignment.hpp>
#include <hankelmatch/base/bitset.hpp>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/renumbering.hpp>
#include <hankelmatch/base/threads.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/hankel/weighted_rows.hpp>
#include <hankelmatch/matching/matching.hpp>
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

/// The mates of one side and of the other.
template <class Id>
struct BothMates {
  Mates<Id>& of_members;
  Mates<Id>& of_others;
};

/// The rows in the cover, the members, with their edges as an EdgeSource of CheapestEdges; an edge's id is
/// its string. Edges between two nodes of the cover are left out.
template <class Id, class Rows>
class MemberEdges {
 public:
  MemberEdges(const Rows& rows, const Renumbering<Id>& members, const Bitset& is_member,
              const Bitset& cover_of_others, Interrupt& interrupt)
      : rows_(rows),
        members_(members),
        is_member_(is_member),
        cover_of_others_(cover_of_others),
        interrupt_(interrupt),
        n_further_(members.size(), 0) {}

  /// Adds an edge with a short column, if its row is a member.
  void add(Id node, Id other, Id string) {
    if (!is_member_.test(at(node)) || cover_of_others_.test(at(other))) return;
    further_.push_back({members_.number(node), string});
    ++n_further_[members_.number(node)];
  }

  std::size_t max_edges(std::size_t number) const {
    return rows_.max_edges(members_.node(number)) + n_further_[number];
  }

  template <class Visitor>
  void operator()(const Visitor& visitor) const {
    for (const Further& edge : further_)
      visitor.add(visitor.row(static_cast<Id>(edge.number)), -rows_.weight(edge.string), edge.string);
    rows_.visit_edges(ByNode<Visitor>{visitor, *this}, interrupt_);
  }

  bool has_list(std::size_t number) const {
    return n_further_[number] == 0 && rows_.has_list(members_.node(number));
  }

  template <class Visitor>
  void visit_list(std::size_t number, const Visitor& visitor) const {
    auto& row = visitor.row(static_cast<Id>(number));
    rows_.visit_list(members_.node(number), [&](Id x) { visitor.add(row, -rows_.weight(x), x); });
  }

  auto column_of(std::size_t number) const {
    return [this, column_of = rows_.column_of(members_.node(number))](Id string) {
      const Id other = column_of(string);
      return cover_of_others_.test(at(other)) ? Id{kUnmatched} : other;
    };
  }

 private:
  struct Further {
    std::size_t number;
    Id string;
  };

  /// A visitor that takes nodes instead of their numbers.
  template <class Visitor>
  struct ByNode {
    const Visitor& visitor;
    const MemberEdges& edges;

    auto& row(Id node) const {
      if (!edges.is_member_.test(at(node))) return visitor.no_row();
      return visitor.row(static_cast<Id>(edges.members_.number(node)));
    }
    void add(auto& row, double cost, Id string) const { visitor.add(row, cost, string); }
  };

  const Rows& rows_;
  const Renumbering<Id>& members_;
  const Bitset& is_member_;
  const Bitset& cover_of_others_;
  Interrupt& interrupt_;
  std::vector<Further> further_;
  std::vector<std::size_t> n_further_;  // for each member
};

/// Matches all rows of a cover with the greatest sum of weights. Their edges are those of `rows`, and those
/// of `other_rows`, the rows of the other side, that are short and not in the cover.
template <class Id, class Rows, class OtherRows>
void match_with_greatest_sum(const Rows& rows, const OtherRows& other_rows, const Bitset& cover,
                             const Bitset& cover_of_others, BothMates<Id> mates, std::size_t n_kept,
                             Interrupt& interrupt) {
  const Renumbering<Id> members(cover);
  MemberEdges<Id, Rows> edges(rows, members, cover, cover_of_others, interrupt);
  const Bitset short_others = Bitset::where(at(other_rows.n_short()),
                                            [&](std::size_t other) { return !cover_of_others.test(other); });
  other_rows.for_each_edge_of(short_others, interrupt,
                              [&](Id other, Id node, Id string) { edges.add(node, other, string); });
  CheapestEdges cheapest(static_cast<Id>(members.size()), std::move(edges), n_kept);
  Assignment<Id, decltype(cheapest)> assignment(cheapest, static_cast<Id>(mates.of_others.size()), interrupt);
  if (!assignment.solve()) throw std::logic_error("weighted matching: the cover is not a minimum one");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Id other = assignment.col_of(static_cast<Id>(i));
    mates.of_members[at(members.node(i))] = other;
    mates.of_others[at(other)] = members.node(i);
  }
}

}  // namespace detail

/// At least so many edges of a node are kept at first: most nodes are settled by their heaviest few (see
/// `python -m benchmarks.weighted`).
inline constexpr std::size_t kHeaviest = 12;

/// The maximum matching of all strings of a trie with the greatest sum of weights: finite ones, one for each
/// node. Two threads. Cost: hankel_matching, a few passes over the strings, and Assignment on the edges that
/// are kept, once for each side of a minimum cover (see weighted/heaviest_maximum_matching.hpp). It gives no
/// duals: of so large a graph only the mates are of use. n_edges_seen is that of hankel_matching.
template <class Id>
[[nodiscard]] HankelMatching<Id> heaviest_hankel_matching(const SplitGraph<Id>& split,
                                                          std::span<const double> weights,
                                                          Interrupt& interrupt = no_interrupt(),
                                                          std::size_t n_kept = kHeaviest) {
  HankelMatching<Id> result = hankel_matching(split, interrupt);
  const detail::HankelCover cover(result, split.trie().n_nodes());
  const detail::WeightedPrefixRows<Id> prefixes(split, weights);
  const detail::WeightedSuffixRows<Id> suffixes(split, weights);
  const Id size = result.matching.size;
  result.matching = detail::empty_hankel_matching(split.trie(), interrupt);
  auto& row_mate = result.matching.row_mate;
  auto& col_mate = result.matching.col_mate;
  run_both(
      interrupt,
      [&](Interrupt& own) {
        detail::match_with_greatest_sum<Id>(prefixes, suffixes, cover.rows, cover.cols, {row_mate, col_mate},
                                            n_kept, own);
      },
      [&](Interrupt& own) {
        detail::match_with_greatest_sum<Id>(suffixes, prefixes, cover.cols, cover.rows, {col_mate, row_mate},
                                            n_kept, own);
      });
  result.matching.size = size;
  return result;
}

}  // namespace hankelmatch
