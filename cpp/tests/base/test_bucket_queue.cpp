#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/bucket_queue.hpp>
#include <hankelmatch/base/index.hpp>
#include <random>
#include <vector>

using namespace hankelmatch;

TEST_CASE("a bucket queue gives every entry below the bound, in exact order once it is asked for") {
  std::mt19937 rng(17);
  BucketQueue<std::int32_t> queue;  // one for all widths, from one node a bucket to all in one
  for (const double width : {1e-300, 1e-4, 0.01, 1.0, 1e3, 1e300}) {
    for (const bool exact : {false, true}) {
      if (exact) queue.order_exactly();
      queue.clear(width);
      // Distances many orders of magnitude apart, some of them equal; each pop may push a few more behind it.
      const auto step = [&] {
        const int exponent = std::uniform_int_distribution<int>(-8, 8)(rng);
        return std::uniform_int_distribution<int>(0, 3)(rng) * std::pow(10.0, exponent);
      };
      std::vector<double> pushed;
      const auto push = [&](double distance) {
        queue.push(distance, static_cast<std::int32_t>(pushed.size()));
        pushed.push_back(distance);
      };
      for (int i = 0; i < 50; ++i) push(step());
      const double bound = exact ? 1e7 : 1e9;
      std::vector<bool> popped(10'000, false);
      double last = 0;
      BucketQueue<std::int32_t>::Entry entry{};
      while (true) {
        const std::int32_t next = queue.next();
        if (!queue.pop(bound, entry)) break;
        CHECK((next == entry.node || next == -1));
        const auto node = at(entry.node);
        CHECK(entry.distance == pushed[node]);
        CHECK_FALSE(popped[node]);
        popped[node] = true;
        if (exact) CHECK(entry.distance >= last);
        last = entry.distance;
        for (int i = 0; i < 3 && pushed.size() < 1000; ++i) push(entry.distance + step());
      }
      CHECK(pushed.size() == 1000);
      for (std::size_t i = 0; i < pushed.size(); ++i) CHECK((popped[i] || pushed[i] >= bound));
    }
    queue = {};
  }
}
