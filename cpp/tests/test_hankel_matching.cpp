#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <hankelmatch/at.hpp>
#include <hankelmatch/augmenting_path.hpp>
#include <hankelmatch/hankel_matching.hpp>
#include <hankelmatch/heavy_hankel_matching.hpp>
#include <hankelmatch/hopcroft_karp.hpp>
#include <hankelmatch/matching.hpp>
#include <hankelmatch/maximum_weight_matching.hpp>
#include <hankelmatch/paper_matching.hpp>
#include <hankelmatch/prefix_suffix_graph.hpp>
#include <hankelmatch/string_set.hpp>
#include <hankelmatch/weighted_csr_graph.hpp>
#include <hankelmatch/weighted_hankel_matching.hpp>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hm = hankelmatch;
using String = std::vector<std::int32_t>;
using hankelmatch::at;

namespace {

/// All substrings of at most `longest` symbols of some sequences.
template <class Id>
hm::Trie<Id> substring_trie(const std::vector<String>& sequences, std::size_t longest) {
  std::set<String> support{{}};
  for (const auto& s : sequences)
    for (auto begin = s.begin(); begin != s.end(); ++begin)
      for (auto end = begin; end != s.end() && end - begin < static_cast<std::ptrdiff_t>(longest); ++end)
        support.insert(String(begin, end + 1));
  std::vector<std::int32_t> symbols;
  std::vector<std::int64_t> offsets{0};
  for (const auto& s : support) {
    symbols.insert(symbols.end(), s.begin(), s.end());
    offsets.push_back(static_cast<std::int64_t>(symbols.size()));
  }
  hm::Interrupt interrupt;
  return std::get<hm::StringSet<Id>>(
             hm::make_string_set({symbols, offsets}, false, sizeof(Id) == 8, interrupt))
      .trie;
}

template <class Id>
bool is_cover(const hm::CsrGraph<Id>& edges, const hm::HankelMatching<Id>& found) {
  std::vector<char> row_in(static_cast<std::size_t>(edges.n_rows), 0);
  std::vector<char> col_in(static_cast<std::size_t>(edges.n_cols), 0);
  for (const Id r : found.cover_rows) row_in[static_cast<std::size_t>(r)] = 1;
  for (const Id c : found.cover_cols) col_in[static_cast<std::size_t>(c)] = 1;
  for (Id r = 0; r < edges.n_rows; ++r)
    for (const Id c : edges.row(r))
      if (row_in[static_cast<std::size_t>(r)] == 0 && col_in[static_cast<std::size_t>(c)] == 0) return false;
  return true;
}

/// Whether the matching is valid, maximum, and proved so by its cover; true if the halves alone did not
/// suffice.
template <class Id>
bool check_text(const std::vector<String>& sequences, std::size_t longest) {
  const auto trie = substring_trie<Id>(sequences, longest);
  hm::Interrupt interrupt;
  const hm::PrefixSuffixGraph<Id> graph{&trie, trie.suffix, {}, {}, {}};
  const auto csr = hm::to_csr<Id>(graph, {}, interrupt);
  const auto n = static_cast<Id>(trie.n_nodes());
  const hm::CsrGraph<Id> edges{n, n, csr.indptr, csr.indices};
  const hm::HankelHalves<Id> halves(trie, interrupt);
  const auto found = hm::hankel_matching(halves);
  const auto& matching = found.matching;
  CHECK(hm::is_valid(edges, matching));
  CHECK(matching.size == hm::augmenting_path(edges).size);
  const auto implicit = halves.edges();
  CHECK(hm::is_valid(edges, hm::augmenting_path(implicit)));
  CHECK(hm::augmenting_path(implicit).size == matching.size);
  CHECK(hm::hopcroft_karp(implicit).size == matching.size);
  CHECK(hm::is_valid(edges, hm::paper_matching(graph, implicit)));
  CHECK(hm::paper_matching(graph, implicit).size == matching.size);
  CHECK(found.cover_rows.size() + found.cover_cols.size() == static_cast<std::size_t>(matching.size));
  CHECK(std::is_sorted(found.cover_rows.begin(), found.cover_rows.end()));
  CHECK(std::is_sorted(found.cover_cols.begin(), found.cover_cols.end()));
  CHECK(is_cover(edges, found));
  const auto short_pair = [&](Id row) {
    const Id col = matching.row_mate[static_cast<std::size_t>(row)];
    const std::size_t t = trie.n_levels() - 1;
    return col >= 0 && trie.length(row) <= t / 2 && trie.length(col) < (t + 1) / 2;
  };
  for (Id row = 0; row < n; ++row)
    if (short_pair(row)) return true;
  return false;
}

std::vector<String> random_sequences(std::mt19937& random, unsigned n_symbols, unsigned n_sequences,
                                     unsigned max_length) {
  std::vector<String> sequences(1 + random() % n_sequences);
  for (auto& s : sequences) {
    s.resize(random() % (max_length + 1));
    // Skewed, as texts are: small symbols are frequent.
    for (auto& x : s) x = static_cast<std::int32_t>(std::min(random() % n_symbols, random() % n_symbols));
  }
  return sequences;
}

}  // namespace

TEST_CASE_TEMPLATE("the structured matching is maximum and certified on random texts", Id, std::int32_t,
                   std::int64_t) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 1500; ++trial) {
    const auto sequences = random_sequences(random, 1 + static_cast<unsigned>(random() % 6), 12, 14);
    check_text<Id>(sequences, random() % 9);
  }
}

TEST_CASE("texts of short sentences need edges across the halves, and get them") {
  std::mt19937 random(12);
  int n_across = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto longest = static_cast<unsigned>(4 + random() % 4);
    const auto sequences = random_sequences(random, 3 + static_cast<unsigned>(random() % 6), 60, longest);
    n_across += check_text<std::int32_t>(sequences, longest) ? 1 : 0;
  }
  MESSAGE("texts that needed edges across the halves: " << n_across);
  CHECK(n_across > 20);
}

TEST_CASE("texts with many symbols, one symbol, and nothing at all") {
  std::mt19937 random(13);
  for (int trial = 0; trial < 30; ++trial) check_text<std::int32_t>(random_sequences(random, 300, 40, 30), 5);
  check_text<std::int32_t>({String(50, 0)}, 7);
  check_text<std::int32_t>({{}}, 5);
  check_text<std::int32_t>({{3}}, 1);
}

TEST_CASE("matchings by weight are maximum, one of them the heaviest, and agree with the list of edges") {
  std::mt19937 random(15);
  double heavy_weights = 0;
  double plain_weights = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto sequences = random_sequences(random, 1 + static_cast<unsigned>(random() % 6), 40, 14);
    const auto trie = substring_trie<std::int32_t>(sequences, random() % 8);
    const hm::PrefixSuffixGraph<std::int32_t> graph{&trie, trie.suffix, {}, {}, {}};
    hm::Interrupt interrupt;
    // Few different ones, and in every other trial none above that of the string without its last symbol.
    std::vector<double> weights(trie.n_nodes());
    for (std::size_t x = 0; x < weights.size(); ++x) {
      weights[x] = static_cast<double>(random() % 7) - 3;
      if (trial % 2 == 0 && x > 0)
        weights[x] = std::min(weights[x], weights[static_cast<std::size_t>(trie.parent[x])]);
    }
    const auto csr = hm::to_csr<std::int32_t>(graph, weights, interrupt);
    const auto n = static_cast<std::int32_t>(trie.n_nodes());
    const hm::CsrGraph<std::int32_t> edges{n, n, csr.indptr, csr.indices};
    const hm::HankelHalves<std::int32_t> halves(trie, interrupt);
    const std::size_t n_kept = trial % 3 == 0 ? hm::kHeaviest : 1 + random() % 3;
    std::vector<std::int32_t> buffer;
    const auto weight_of = [&](const hm::Matching<std::int32_t>& matching) {
      double sum = 0;
      for (std::int32_t row = 0; row < n; ++row) {
        const auto col = matching.row_mate[static_cast<std::size_t>(row)];
        if (col >= 0) sum += weights[hm::string_of_edge(graph, row, col, buffer)];
      }
      return sum;
    };
    const auto listed = hm::maximum_weight_matching(
        hm::WeightedCsrGraph<std::int32_t>{edges, std::span<const double>(csr.data)}, true);
    const auto heaviest = hm::heaviest_hankel_matching<std::int32_t>(halves, weights, {}, n_kept).matching;
    CHECK(hm::is_valid(edges, heaviest));
    CHECK(heaviest.size == listed.matching.size);
    CHECK(weight_of(heaviest) == doctest::Approx(weight_of(listed.matching)).epsilon(1e-12));
    const auto heavy = hm::heavy_hankel_matching<std::int32_t>(halves, weights);
    CHECK(hm::is_valid(edges, heavy.matching));
    CHECK(heavy.matching.size == listed.matching.size);
    CHECK(is_cover(edges, heavy));
    CHECK(heavy.cover_rows.size() + heavy.cover_cols.size() == at(heavy.matching.size));
    for (auto& weight : weights) weight = std::abs(weight);  // what heavy ones prefer
    heavy_weights += weight_of(heavy.matching);
    plain_weights += weight_of(hm::hankel_matching(halves).matching);
  }
  CHECK(heavy_weights > plain_weights);
}

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
    const auto found = hm::hankel_matching(halves, {}, prefer);
    CHECK(found.matching.size == hm::hankel_matching(halves).matching.size);
    for (const Half* half : {&prefixes, &suffixes}) {
      half->check_start(weights);
      half->check_improvement(weights);
    }
  }
}

TEST_CASE("few of a text's edges are looked at") {
  std::mt19937 random(14);
  std::vector<String> sequences(60);
  for (auto& s : sequences) {
    s.resize(400);
    std::uint64_t state = 0;
    for (auto& x : s) {
      const std::uint64_t step = std::min(random() % 20, random() % 20);
      state = (state * 7 + step) % 20;
      x = static_cast<std::int32_t>(state);
    }
  }
  const auto trie = substring_trie<std::int32_t>(sequences, 7);
  const hm::PrefixSuffixGraph<std::int32_t> graph{&trie, trie.suffix, {}, {}, {}};
  hm::Interrupt interrupt;
  const hm::HankelHalves<std::int32_t> halves(trie, interrupt);
  const auto found = hm::hankel_matching(halves);
  CHECK(10 * found.n_edges_seen < static_cast<std::uint64_t>(hm::count_edges(graph)));
}

TEST_CASE("Ctrl-C stops it") {
  const auto trie = substring_trie<std::int32_t>({{0, 1, 0, 2, 0, 0, 1}}, 5);
  hm::Interrupt never;
  const hm::HankelHalves<std::int32_t> halves(trie, never);
  hm::Interrupt stop([] { throw std::runtime_error("stop"); });
  CHECK_THROWS_AS(hm::HankelHalves<std::int32_t>(trie, stop), std::runtime_error);
  CHECK_THROWS_AS(hm::hankel_matching(halves, stop), std::runtime_error);
}
