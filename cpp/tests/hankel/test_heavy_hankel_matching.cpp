#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/heavy_hankel_matching.hpp>
#include <hankelmatch/hankel/prefix_rows.hpp>
#include <hankelmatch/hankel/short_long_split.hpp>
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
using Mates = hm::Mates<Id>;

struct Cut {
  Id string;  // of length T, numbered from 0
  Id other_end;
};

/// The mates of a half at three times.
struct Seen {
  std::vector<Mates> row_mate;
  std::vector<Mates> col_mate;

  void take(const Mates& rows, const Mates& cols) {
    row_mate.push_back(rows);
    col_mate.push_back(cols);
  }
};

/// The short nodes of a half, with all that decides what they prefer.
struct Half {
  std::vector<std::vector<Cut>> cuts;  // of each node
  std::vector<Id> shorter;             // each node without its outer symbol
  Id n_rows = 0;
  Id first_middle = 0;
  Seen seen;

  Cut heaviest(const std::vector<Cut>& some, const std::vector<double>& weights) const {
    return *std::ranges::max_element(some, {}, [&](const Cut& cut) { return weights[at(cut.string)]; });
  }

  /// What a node chooses from.
  std::vector<Cut> choice(Id row, const std::vector<double>& weights) const {
    if (row >= first_middle) return cuts[at(row)];
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
      if (row < first_middle || cuts[at(row)].empty()) {
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

}  // namespace

TEST_CASE("short nodes start with their heaviest string, and take the heaviest whose other end is free") {
  std::mt19937 random(16);
  for (int trial = 0; trial < 300; ++trial) {
    const auto sequences = random_sequences(random, 2 + static_cast<unsigned>(random() % 5), 40, 14);
    const auto trie = substring_trie<Id>(sequences, 1 + random() % 7);
    hm::Interrupt interrupt;
    const hm::HankelHalves<Id> halves(trie, interrupt);
    const Id first_string = halves.middle().first_string;
    const std::size_t longest = trie.n_levels() - 1;
    std::vector<double> weights(trie.n_nodes() - at(first_string));  // all different: there is one answer
    for (std::size_t x = 0; x < weights.size(); ++x) weights[x] = static_cast<double>(x);
    std::ranges::shuffle(weights, random);

    std::vector<std::vector<Cut>> none(trie.n_nodes());
    Half prefixes{none, {trie.parent.begin(), trie.parent.end()}, 0, 0, {}};
    Half suffixes{none, {trie.suffix.begin(), trie.suffix.end()}, 0, 0, {}};
    for (Id string = first_string; at(string) < trie.n_nodes(); ++string) {
      Id suffix = string;
      for (std::size_t cut = 0; cut <= longest; ++cut, suffix = trie.suffix[at(suffix)]) {
        const Id prefix = hm::detail::shorter_prefix(trie, string, longest - cut);
        prefixes.cuts[at(prefix)].push_back({string - first_string, suffix});
        suffixes.cuts[at(suffix)].push_back({string - first_string, prefix});
      }
    }
    const auto prefer = [&](const auto& rows, Mates& row_mate, Mates& col_mate, hm::Interrupt& own,
                            const auto& search) {
      using Rows = std::decay_t<decltype(rows)>;
      Half& half = std::is_same_v<Rows, hm::detail::PrefixRows<Id>> ? prefixes : suffixes;
      half.n_rows = rows.n_rows;
      half.first_middle = rows.first_middle();
      hm::detail::HeavierMates heavier(rows, std::span<const double>(weights), row_mate, col_mate, own);
      // The other half's thread writes to the rest: only what this one may touch is copied.
      const auto take = [&] {
        Mates rows_now(trie.n_nodes(), hm::kUnmatched);
        Mates cols_now(trie.n_nodes(), hm::kUnmatched);
        for (Id row = 0; row < rows.n_rows; ++row) {
          rows_now[at(row)] = row_mate[at(row)];
          if (row_mate[at(row)] != hm::kUnmatched) cols_now[at(row_mate[at(row)])] = row;
        }
        half.seen.take(rows_now, cols_now);
      };
      heavier.start();
      take();
      search();
      take();
      heavier.improve();
      take();
    };
    const auto found = hm::hankel_matching(halves, interrupt, prefer);
    CHECK(found.matching.size == hm::hankel_matching(halves).matching.size);
    for (const Half* half : {&prefixes, &suffixes}) {
      half->check_start(weights);
      half->check_improvement(weights);
    }
  }
}
