#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <stdexcept>
#include <thread>

using namespace hankelmatch;

TEST_CASE("all workers run, and both pieces of work, on as many threads as are wanted") {
  for (const std::size_t limit : {1UL, 2UL, 3UL}) {
    set_max_threads(limit);
    CHECK(max_threads() == limit);
    CHECK(workers_for(std::size_t{1} << 20) == limit);
    std::array<std::atomic<int>, 5> runs{};
    run_workers(runs.size(), [&](std::size_t w) { ++runs[w]; });
    for (const auto& n : runs) CHECK(n == 1);
    std::thread::id first;
    std::thread::id second;
    Interrupt interrupt;
    run_both(
        interrupt, [&](Interrupt&) { first = std::this_thread::get_id(); },
        [&](Interrupt&) { second = std::this_thread::get_id(); });
    CHECK((first == second) == (limit == 1));
  }
  set_max_threads(0);
  CHECK(max_threads() >= 1);
}

TEST_CASE("what is thrown on either side leaves from here, with one thread or two") {
  const auto fail = [](Interrupt&) { throw std::runtime_error("stop"); };
  const auto work = [](Interrupt&) {};
  for (const std::size_t limit : {1UL, 2UL}) {
    set_max_threads(limit);
    Interrupt interrupt;
    CHECK_THROWS_AS(run_both(interrupt, fail, work), std::runtime_error);
    CHECK_THROWS_AS(run_both(interrupt, work, fail), std::runtime_error);
  }
  set_max_threads(0);
}
