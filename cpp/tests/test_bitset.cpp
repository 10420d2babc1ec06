#include <doctest/doctest.h>

#include <cstddef>
#include <hankelmatch/bitset.hpp>
#include <random>
#include <set>

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
      const std::size_t from = number(rng);
      const auto next = expected.lower_bound(from);
      CHECK(bits.find_next(from) == (next == expected.end() ? size : *next));
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
