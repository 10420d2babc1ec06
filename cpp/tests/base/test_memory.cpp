#include <doctest/doctest.h>

#include <hankelmatch/base/memory.hpp>
#include <utility>

using namespace hankelmatch;

TEST_CASE("a buffer that was moved from is empty") {
  Buffer<int> first(3, 7);
  Buffer<int> second = std::move(first);
  CHECK(first.size() == 0);  // NOLINT(bugprone-use-after-move): what this is about
  CHECK(second.size() == 3);
  first = std::move(second);
  CHECK(second.size() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(first[2] == 7);
}
