// Many independent pieces of work on all cores, which Ctrl-C can stop between any two of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/thread_group.hpp>
#include <mutex>

namespace hankelmatch {
namespace detail {

/// Calls a check at most every 50 milliseconds: for Python it means waiting for the interpreter's lock.
class PacedCheck {
 public:
  explicit PacedCheck(const Interrupt& interrupt) : interrupt_(interrupt) {}

  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < due_) return;
    due_ = now + std::chrono::milliseconds(50);
    interrupt_.check();
  }

 private:
  const Interrupt& interrupt_;
  std::chrono::steady_clock::time_point due_;
};

}  // namespace detail

/// Runs task(i, worker) for every i from 0 to n_tasks - 1, on `n_workers` threads with the caller's; `worker`
/// is below n_workers. Whoever is free takes the next i, so tasks may differ in size; make them of a few
/// milliseconds.
///
/// The calling thread asks the interrupt between its tasks. Whatever a task or the interrupt throws ends the
/// work: tasks that run are finished, no other is begun, and the exception leaves from here.
template <class Task>
void for_each_task(std::size_t n_tasks, std::size_t n_workers, const Interrupt& interrupt, const Task& task) {
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::exception_ptr error;
  const auto work = [&](std::size_t worker, auto&& check) {
    try {
      for (std::size_t i = next++; i < n_tasks; i = next++) {
        check();
        task(i, worker);
      }
    } catch (...) {
      next = n_tasks;
      const std::scoped_lock lock(guard);
      if (!error) error = std::current_exception();
    }
  };
  {
    ThreadGroup threads;
    for (std::size_t w = 1; w < n_workers; ++w) threads.start([&work, w] { work(w, [] {}); });
    work(0, detail::PacedCheck(interrupt));
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace hankelmatch
