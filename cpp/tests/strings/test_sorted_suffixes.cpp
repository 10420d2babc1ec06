#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/strings/packed_key.hpp>
#include <hankelmatch/strings/sorted_suffixes.hpp>
#include <hankelmatch/strings/sorted_windows.hpp>
#include <map>
#include <random>
#include <vector>

#include "reference_strings.hpp"

namespace hm = hankelmatch;
using namespace hankelmatch::reference;

namespace {

/// Sequences of few symbols, of which some are repeated.
Text random_text(std::mt19937& random) {
  const auto n_symbols = static_cast<std::int32_t>(1 + random() % 3);
  Text text;
  std::vector<String> sequences{{}};
  for (auto n = random() % 5; n-- > 0;) {
    String sequence = sequences[random() % sequences.size()];
    for (auto more = random() % 60; more-- > 0;)
      sequence.push_back(random() % 40 == 0 ? -1 : static_cast<std::int32_t>(random()) & (n_symbols - 1));
    sequences.push_back(sequence);
    text.add(sequence);
  }
  return text;
}

/// What begins at each place, up to the end of its sequence or the next -1; not the empty ones.
std::vector<String> suffixes(const Text& text) {
  std::vector<String> found;
  for (std::size_t i = 0; i < text.view().n_sequences(); ++i) {
    const auto sequence = text.view().sequence(i);
    for (std::size_t begin = 0; begin < sequence.size(); ++begin) {
      const auto rest = sequence.subspan(begin);
      const String suffix(rest.begin(), std::find(rest.begin(), rest.end(), -1));
      if (!suffix.empty()) found.push_back(suffix);
    }
  }
  std::ranges::sort(found);
  return found;
}

String shortened(const String& string, std::size_t length) {
  return {string.begin(), string.begin() + static_cast<std::ptrdiff_t>(std::min(length, string.size()))};
}

std::size_t n_common(const String& a, const String& b) {
  std::size_t common = 0;
  while (common < std::min(a.size(), b.size()) && a[common] == b[common]) ++common;
  return common;
}

}  // namespace

TEST_CASE("suffixes are in order by their first symbols, with the common prefixes of neighbouring groups") {
  std::mt19937 random(1);
  hm::Interrupt interrupt;
  for (int trial = 0; trial < 300; ++trial) {
    const Text text = random_text(random);
    const std::size_t depth = 1 + random() % 200;
    // A word of the first sort holds few symbols if each takes many bits.
    const int bits = trial % 2 == 0 ? 31 : hm::detail::bits_per_symbol(text.symbols);
    const hm::detail::SortedSuffixes order(text.view(), bits, depth, interrupt);
    const auto common = order.common_with_group_before(interrupt);
    const auto expected = suffixes(text);
    REQUIRE(order.size() == expected.size());
    String last;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto begin = text.symbols.begin() + static_cast<std::ptrdiff_t>(order.place(i));
      const String suffix(begin, begin + static_cast<std::ptrdiff_t>(order.length(i)));
      REQUIRE(shortened(suffix, depth) == shortened(expected[i], depth));
      if (i == 0 || !order.is_first(i)) {
        CHECK(common[i] == 0);
        CHECK((i == 0 || shortened(suffix, depth) == shortened(last, depth)));
      } else {
        CHECK(common[i] == n_common(last, suffix));
        CHECK(last < suffix);
      }
      last = suffix;
    }
  }
}

TEST_CASE("strings are cut where they are rarer than asked for") {
  std::mt19937 random(2);
  hm::Interrupt interrupt;
  for (int trial = 0; trial < 300; ++trial) {
    const Text text = random_text(random);
    const std::size_t max_length = 1 + random() % 100, min_count = 1 + random() % 6;
    hm::detail::PlacedStrings strings(text.view(), 31, max_length, interrupt);
    strings.cut_rare(min_count, interrupt);
    const auto all = suffixes(text);
    std::map<String, std::size_t, ShorterFirst> counts;
    for (const String& suffix : all)
      for (std::size_t n = 1; n <= std::min(max_length, suffix.size()); ++n) ++counts[shortened(suffix, n)];
    REQUIRE(strings.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t length = std::min(max_length, all[i].size());
      while (length > 0 && counts[shortened(all[i], length)] < min_count) --length;
      CHECK(strings.length(i) == length);
    }
  }
}

TEST_CASE("the caller's check stops each part of the sort") {
  Text text;
  text.add(String(150000, 0));
  struct Stop : std::exception {};
  int calls = 0, last = 1 << 30;
  hm::Interrupt interrupt([&] {
    if (++calls > last) throw Stop{};
  });
  const hm::detail::SortedSuffixes order(text.view(), 1, 150000, interrupt);
  const int n_calls = calls;
  CHECK(n_calls > 20);
  for (last = 0; last < n_calls; last += n_calls / 4) {
    calls = 0;
    CHECK_THROWS_AS(hm::detail::SortedSuffixes(text.view(), 1, 150000, interrupt), Stop);
  }
}
