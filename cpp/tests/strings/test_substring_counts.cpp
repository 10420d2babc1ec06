#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <hankelmatch/base/index.hpp>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/substring_counts.hpp>
#include <hankelmatch/strings/trie.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <map>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "reference_strings.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;

namespace {

Text random_text(std::mt19937& random, std::int32_t n_symbols, int n_sequences, int max_length,
                 bool with_unknown) {
  Text text;
  for (int i = 0; i < n_sequences; ++i) {
    String sequence(random() % static_cast<unsigned>(max_length + 1));
    for (auto& s : sequence)
      s = static_cast<std::int32_t>(random() % static_cast<unsigned>(n_symbols)) -
          (with_unknown && random() % 9 == 0 ? n_symbols : 0);
    for (auto& s : sequence) s = std::max(s, -1);
    text.add(sequence);
  }
  return text;
}

using Counts = std::map<String, std::int64_t, ShorterFirst>;

/// The definition, one occurrence after another.
Counts expected_counts(const hm::CorpusView& corpus, std::size_t max_length) {
  Counts counts;
  counts[{}] = static_cast<std::int64_t>(corpus.symbols.size() + corpus.n_sequences());
  for (std::size_t i = 0; i < corpus.n_sequences(); ++i) {
    const auto sequence = corpus.sequence(i);
    for (std::size_t begin = 0; begin < sequence.size(); ++begin) {
      String string;
      for (std::size_t p = begin; p < sequence.size() && string.size() < max_length && sequence[p] >= 0;
           ++p) {
        string.push_back(sequence[p]);
        ++counts[string];
      }
    }
  }
  return counts;
}

template <class Id>
void check_equal(const hm::SubstringCounts<Id>& found, const Counts& expected) {
  const auto& trie = found.trie;
  REQUIRE(trie.n_nodes() == expected.size());
  REQUIRE(trie.has_suffix_links());
  CHECK((trie.symbol[0] == -1 && trie.parent[0] == 0 && trie.suffix[0] == 0));
  auto next = expected.begin();
  for (Id v = 0; v < static_cast<Id>(trie.n_nodes()); ++v) {
    const String string = spelled(trie, v);
    const auto place = hm::at(v);
    const auto& [expected_string, count] = *next++;
    REQUIRE(string == expected_string);
    REQUIRE(found.counts[place] == count);
    REQUIRE(trie.length(v) == string.size());
    REQUIRE(trie.find(string) == v);
    if (v > 0) {
      CHECK(spelled(trie, trie.suffix[place]) == String(string.begin() + 1, string.end()));
      CHECK(spelled(trie, trie.parent[place]) == String(string.begin(), string.end() - 1));
    }
  }
}

void check_text(const Text& text, std::size_t max_length, std::int64_t min_count = 1) {
  hm::Interrupt interrupt;
  auto expected = expected_counts(text.view(), max_length);
  std::erase_if(expected, [&](const auto& item) { return !item.first.empty() && item.second < min_count; });
  for (const bool wide : {false, true}) {
    const auto found = hm::count_substrings(text.view(), max_length, {min_count, wide}, interrupt);
    CHECK(std::holds_alternative<hm::SubstringCounts<std::int64_t>>(found) == wide);
    std::visit([&](const auto& counts) { check_equal(counts, expected); }, found);
  }
}

}  // namespace

TEST_CASE("substring counts equal the definition on random texts") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const auto n_symbols = static_cast<std::int32_t>(1 + random() % 5);
    check_text(random_text(random, n_symbols, 6, 12, trial % 2 == 0), random() % 8,
               1 + static_cast<std::int64_t>(random() % 4));
  }
}

TEST_CASE("keys of one to four words, and sorted places for longer strings, give the same counts") {
  std::mt19937 random(2);
  std::int64_t trial = 0;
  for (const std::size_t max_length : {20U, 31U, 32U, 33U, 60U, 64U, 65U, 96U, 97U, 120U, 128U, 129U, 140U})
    check_text(random_text(random, 3, 3, 150, max_length % 2 == 0), max_length, trial++ % 3 + 1);
  for (std::size_t max_length = 1; max_length <= 10; ++max_length) {
    Text text = random_text(random, 3, 5, 12, false);
    for (auto& s : text.symbols) s = s == 2 ? 2147483646 : s * 70000;
    check_text(text, max_length);
  }
}

TEST_CASE("texts that repeat themselves are counted as by the definition, at any length") {
  std::vector<Text> texts(5);
  texts[0].add(String(150, 0));
  String fibonacci{0}, before{1}, alternating, rare;
  for (int i = 0; i < 9; ++i) before = std::exchange(fibonacci, joined(fibonacci, before));
  for (std::int32_t i = 0; i < 150; ++i) alternating.push_back(i % 2);
  for (std::int32_t i = 0; i < 140; ++i) rare.push_back(i % 20 == 19 ? 1 + i % 3 : 0);
  texts[1].add(fibonacci);
  texts[2].add(alternating);
  texts[2].add(String(alternating.begin() + 1, alternating.end() - 40));
  texts[3].add(rare);
  texts[3].add(rare);
  texts[4].add(joined(String(100, 2147483646), {-1}));
  texts[4].add(joined(joined({-1}, String(99, 2147483646)), {0}));
  for (const Text& text : texts)
    for (const std::size_t max_length : {64U, 65U, 1000U})
      for (const std::int64_t min_count : {1, 3}) check_text(text, max_length, min_count);
}

TEST_CASE("degenerate corpora") {
  Text nothing;
  check_text(nothing, 3);
  Text empty_sequences;
  empty_sequences.add({});
  empty_sequences.add({});
  check_text(empty_sequences, 3);
  Text one;
  one.add({0});
  check_text(one, 0);
  check_text(one, 1);
  check_text(one, 1000);
}

TEST_CASE("texts large enough for several threads are counted as by one") {
  std::mt19937 random(3);
  Text sentences, stream, repeated;
  for (int i = 0; i < 40; ++i) {
    String sequence(10000);
    for (auto& s : sequence) s = static_cast<std::int32_t>(random() % 4);
    sentences.add(sequence);
  }
  check_text(sentences, 3);
  String all = sentences.symbols;
  for (auto& s : all) s = s == 3 && random() % 100 == 0 ? -1 : s;
  stream.add(all);
  check_text(stream, 3, 3000);
  repeated.add(String(140000, 0));
  check_text(repeated, 6);
}

TEST_CASE("the caller's check stops counting, and its exception arrives") {
  Text text;
  text.add(String(1000000, 1));
  struct Stop : std::exception {};
  int calls = 0;
  hm::Interrupt interrupt([&] {
    if (++calls > 1) throw Stop{};
  });
  CHECK_THROWS_AS(hm::count_substrings(text.view(), 8, {}, interrupt), Stop);
}

TEST_CASE("trailing windows are the longest known strings that end at each symbol") {
  Text text;
  text.add({0, 1, 0, 2});
  text.add({1, -1, 1, 0});
  hm::Interrupt interrupt;
  const auto any = hm::count_substrings(text.view(), 2, {}, interrupt);
  const auto& trie = std::get<hm::SubstringCounts<std::int32_t>>(any).trie;
  std::vector<String> windows;
  for (const auto node : hm::trailing_windows(trie, text.view(), interrupt))
    windows.push_back(spelled(trie, node));
  CHECK(windows == std::vector<String>{{0}, {0, 1}, {1, 0}, {0, 2}, {1}, {}, {1}, {1, 0}});
}
