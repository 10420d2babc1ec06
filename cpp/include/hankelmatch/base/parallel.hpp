// Two pieces of work at once, both of which Ctrl-C can stop.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <hankelmatch/base/interrupt.hpp>

namespace hankelmatch {

/// Runs first(interrupt) here and second(own interrupt) on another thread, and returns when both are done.
/// Only this thread asks the caller's check; if it throws, the other thread is stopped at its next poll and
/// the exception leaves. The two must not write to the same memory.
template <class First, class Second>
void run_both(Interrupt& interrupt, const First& first, const Second& second) {
  struct Stopped : std::exception {};
  std::atomic<bool> stop = false;
  auto other = std::async(std::launch::async, [&] {
    Interrupt own([&] {
      if (stop) throw Stopped{};
    });
    try {
      second(own);
    } catch (const Stopped&) {
      return;  // the exception that stopped it is on its way in the other thread
    }
  });
  try {
    first(interrupt);
    while (other.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) interrupt.check();
  } catch (...) {
    stop = true;
    other.wait();
    throw;
  }
  other.get();
}

}  // namespace hankelmatch
