#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <hankelmatch/base/bitset.hpp>
#include <random>
#include <set>
#include <span>
#include <vector>

using hankelmatch::Bitset;

TEST_CASE("a bitset agrees with a set of numbers") {
  std::mt19937 rng(1);
  for (const std::size_t size : {1UL, 63UL, 64UL, 65UL, 200UL}) {
    Bitset bits(size);
    std::set<std::size_t> expected;
    std::uniform_int_distribution<std::size_t> number(0, size - 1);
    for (int step = 0; step < 300; ++step) {
      const std::size_t i = number(rng);
      if (step % 3 == 0) {
        bits.reset(i);
        expected.erase(i);
      } else {
        bits.set(i);
        expected.insert(i);
      }
      CHECK(bits.test(i) == expected.contains(i));
      CHECK(bits.count() == expected.size());
      const std::array<std::size_t, 3> some{i, number(rng), number(rng)};
      const auto is_member = [&](std::size_t n) { return expected.contains(n); };
      CHECK(bits.has_all(std::span(some)) == std::ranges::all_of(some, is_member));
      CHECK(bits.has_any(std::span(some)) == std::ranges::any_of(some, is_member));
      const std::size_t from = number(rng);
      const auto next = expected.lower_bound(from);
      CHECK(bits.find_next(from) == (next == expected.end() ? size : *next));
      const std::size_t to = number(rng);
      CHECK(bits.find_next(from, to) == (next == expected.end() || *next >= to ? to : *next));
      std::vector<std::size_t> visited;
      bits.for_each([&](std::size_t member) { visited.push_back(member); });
      CHECK(std::ranges::equal(visited, expected));
      visited.clear();
      bits.for_each(from, to, [&](std::size_t member) { visited.push_back(member); });
      const auto last = expected.lower_bound(std::max(from, to));
      CHECK(std::equal(visited.begin(), visited.end(), next, last));
    }
    bits.clear();
    CHECK(bits.count() == 0);
    CHECK(bits.find_next(0) == size);
  }
}

TEST_CASE("a full bitset holds nothing beyond its end") {
  for (const std::size_t size : {0UL, 1UL, 63UL, 64UL, 65UL, 128UL}) {
    const Bitset bits(size, true);
    CHECK(bits.size() == size);
    CHECK(bits.count() == size);
    CHECK(bits.find_next(0) == 0);
    CHECK(bits.find_next(size) == size);
  }
}

TEST_CASE("members are added by range and set, and removed") {
  std::mt19937 rng(2);
  for (const std::size_t size : {1UL, 64UL, 65UL, 200UL}) {
    std::uniform_int_distribution<std::size_t> number(0, size);
    for (int trial = 0; trial < 50; ++trial) {
      const std::size_t a = number(rng);
      const std::size_t b = number(rng);
      const std::size_t n_members = number(rng);
      const auto is_third = [](std::size_t i) { return i % 3 == 0; };
      const auto is_in_range = [&](std::size_t i) { return std::min(a, b) <= i && i < std::max(a, b); };
      const Bitset members = Bitset::where(n_members, [](std::size_t i) { return i % 5 == 0; });
      Bitset bits(size);
      bits.set_where(std::min(a, b), std::max(a, b), is_third);
      for (std::size_t i = 0; i < size; ++i) CHECK(bits.test(i) == (is_in_range(i) && is_third(i)));
      Bitset more = bits;
      more.add(members);
      Bitset less = bits;
      less.remove(members);
      for (std::size_t i = 0; i < size; ++i) {
        const bool is_member = i < n_members && i % 5 == 0;
        CHECK(more.test(i) == (bits.test(i) || is_member));
        CHECK(less.test(i) == (bits.test(i) && !is_member));
      }
    }
  }
}
