#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/heavy_hankel_matching.hpp>
#include <hankelmatch/hankel/prefix_rows.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/matching/matching.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "reference_strings.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;
using hankelmatch::at;

namespace {

using Id = std::int32_t;

struct Cut {
  Id string;  // of length T, numbered from 0
  Id other_end;
};

/// The mates of one side: before the search, after it, and at the end.
struct Seen {
  std::vector<hm::Mates<Id>> row_mate;
  std::vector<hm::Mates<Id>> col_mate;

  void take(const hm::Mates<Id>& rows, const hm::Mates<Id>& cols) {
    row_mate.push_back(rows);
    col_mate.push_back(cols);
  }
};

/// The short nodes of one side, with all that decides what they prefer.
struct Side {
  std::vector<std::vector<Cut>> cuts;  // for each node
  std::vector<Id> shorter;             // each node without its outer symbol
  Id n_rows = 0;
  Id first_deepest = 0;
  Seen seen;

  Cut heaviest(const std::vector<Cut>& some, const std::vector<double>& weights) const {
    return *std::ranges::max_element(some, {}, [&](const Cut& cut) { return weights[at(cut.string)]; });
  }

  /// What a node chooses from.
  std::vector<Cut> choice(Id row, const std::vector<double>& weights) const {
    if (row >= first_deepest) return cuts[at(row)];
    std::set<Id> strings;
    for (Id longer = 1; longer < n_rows; ++longer)
      if (shorter[at(longer)] == row && !cuts[at(longer)].empty())
        strings.insert(heaviest(cuts[at(longer)], weights).string);
    std::vector<Cut> chosen = cuts[at(row)];
    std::erase_if(chosen, [&](const Cut& cut) { return !strings.contains(cut.string); });
    return chosen;
  }

  void check_start(const std::vector<double>& weights) const {
    const auto& row_mate = seen.row_mate[0];
    for (Id row = 0; row < n_rows; ++row) {
      if (row < first_deepest || cuts[at(row)].empty()) {
        CHECK(row_mate[at(row)] == hm::kUnmatched);
        continue;
      }
      const Id col = heaviest(cuts[at(row)], weights).other_end;
      const Id mate = seen.col_mate[0][at(col)];
      CHECK(mate != hm::kUnmatched);  // another node that prefers it, or this one
      CHECK(row_mate[at(row)] == (mate == row ? col : hm::kUnmatched));
    }
  }

  void check_improvement(const std::vector<double>& weights) const {
    auto row_mate = seen.row_mate[1];
    auto col_mate = seen.col_mate[1];
    for (Id row = n_rows; row-- > 0;) {
      const Id mate = row_mate[at(row)];
      if (mate == hm::kUnmatched) continue;
      auto free = choice(row, weights);
      std::erase_if(free, [&](const Cut& cut) { return col_mate[at(cut.other_end)] != hm::kUnmatched; });
      for (const Cut& cut : cuts[at(row)])
        if (cut.other_end == mate) free.push_back(cut);
      if (free.empty()) continue;
      const Id col = heaviest(free, weights).other_end;
      col_mate[at(mate)] = hm::kUnmatched;
      row_mate[at(row)] = col;
      col_mate[at(col)] = row;
    }
    CHECK(seen.row_mate[2] == row_mate);
    CHECK(seen.col_mate[2] == col_mate);
  }
};

/// The hook under test, which also copies the mates.
template <class Rows>
struct Recorder {
  hm::detail::HeavierMates<Rows> heavier;
  Seen& seen;
  Id n_rows;
  const hm::Mates<Id>& row_mate;

  void before_search() {
    heavier.before_search();
    take();
  }
  void after_search() {
    take();
    heavier.after_search();
    take();
  }

  // The other side's thread writes to the rest: only what this one may touch is copied.
  void take() {
    hm::Mates<Id> rows_now(row_mate.size(), hm::kUnmatched);
    hm::Mates<Id> cols_now(row_mate.size(), hm::kUnmatched);
    for (Id row = 0; row < n_rows; ++row) {
      rows_now[at(row)] = row_mate[at(row)];
      if (row_mate[at(row)] != hm::kUnmatched) cols_now[at(row_mate[at(row)])] = row;
    }
    seen.take(rows_now, cols_now);
  }
};

}  // namespace

TEST_CASE("short nodes begin with their heaviest string, and move to the heaviest whose other end is free") {
  std::mt19937 random(16);
  for (int trial = 0; trial < 300; ++trial) {
    const auto sequences = random_sequences(random, 2 + static_cast<unsigned>(random() % 5), 40, 14);
    const auto trie = substring_trie<Id>(sequences, 1 + random() % 7);
    hm::Interrupt interrupt;
    const hm::SplitGraph<Id> split(trie, interrupt);
    const Id first_full = split.longest_strings().first;
    const std::size_t max_length = trie.n_levels() - 1;
    std::vector<double> weights(trie.n_nodes() - at(first_full));  // all different: there is one answer
    for (std::size_t x = 0; x < weights.size(); ++x) weights[x] = static_cast<double>(x);
    std::ranges::shuffle(weights, random);

    std::vector<std::vector<Cut>> none(trie.n_nodes());
    Side prefixes{none, {trie.parent.begin(), trie.parent.end()}, 0, 0, {}};
    Side suffixes{none, {trie.suffix.begin(), trie.suffix.end()}, 0, 0, {}};
    for (Id string = first_full; at(string) < trie.n_nodes(); ++string) {
      Id suffix = string;
      for (std::size_t cut = 0; cut <= max_length; ++cut, suffix = trie.suffix[at(suffix)]) {
        const Id prefix = hm::detail::shorter_prefix(trie, string, max_length - cut);
        prefixes.cuts[at(prefix)].push_back({string - first_full, suffix});
        suffixes.cuts[at(suffix)].push_back({string - first_full, prefix});
      }
    }
    const auto make_hook = [&](const auto& rows, hm::Mates<Id>& row_mate, hm::Mates<Id>& col_mate,
                               hm::Interrupt& own) {
      using Rows = std::decay_t<decltype(rows)>;
      Side& side = std::is_same_v<Rows, hm::detail::PrefixRows<Id>> ? prefixes : suffixes;
      side.n_rows = rows.n_rows;
      side.first_deepest = rows.first_deepest();
      return Recorder<Rows>{{rows, std::span<const double>(weights), row_mate, col_mate, own},
                            side.seen,
                            rows.n_rows,
                            row_mate};
    };
    const auto found = hm::hankel_matching(split, interrupt, make_hook);
    CHECK(found.matching.size == hm::hankel_matching(split).matching.size);
    for (const Side* side : {&prefixes, &suffixes}) {
      side->check_start(weights);
      side->check_improvement(weights);
    }
  }
}
