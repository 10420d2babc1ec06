// Work on several threads: workers side by side, two pieces of work at once, many tasks shared out.
//
//     for_each_task(n_files, workers_for(n_bytes), interrupt,
//                   [&](std::size_t file, std::size_t worker) { count(file, tables[worker]); });
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <hankelmatch/base/interrupt.hpp>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Joins its threads in its destructor, like a vector of std::jthread, which Apple's standard library does
/// not have.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup() {
    for (std::thread& thread : threads_) thread.join();
  }

  /// Runs `work()`, which must not throw, on a new thread. Returns false, and runs nothing, where none can be
  /// started: a process may have its limits on threads and memory.
  template <class Work>
  [[nodiscard]] bool start(Work&& work) {
    try {
      threads_.emplace_back(std::forward<Work>(work));
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

 private:
  std::vector<std::thread> threads_;
};

/// Runs work(0) .. work(n_workers - 1): the last one on this thread, each other one on its own or, where none
/// can be started, on this one. `work` must not throw, nor wait for another worker.
template <class Work>
void run_workers(std::size_t n_workers, const Work& work) {
  ThreadGroup threads;
  std::size_t n_started = 0;
  while (n_started + 1 < n_workers && threads.start([&work, n_started] { work(n_started); })) ++n_started;
  for (std::size_t w = n_started; w < n_workers; ++w) work(w);
}

namespace detail {

/// What `set_max_threads` set; 0 before that.
inline std::atomic<std::size_t>& thread_limit() {
  static constinit std::atomic<std::size_t> limit = 0;
  return limit;
}

}  // namespace detail

/// The most threads that one call uses, its own among them, in the whole process; 0 restores the default.
inline void set_max_threads(std::size_t n_threads) { detail::thread_limit() = n_threads; }

/// What `set_max_threads` set; by default one for each core, and at most 16.
[[nodiscard]] inline std::size_t max_threads() {
  constexpr std::size_t kMaxThreads = 16;  // beyond that, memory was no faster
  if (const std::size_t limit = detail::thread_limit()) return limit;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
}

/// The number of threads that a loop over `size` records is worth: to start one costs about as much as 2^15
/// records (measured by `python -m benchmarks.scale`).
[[nodiscard]] inline std::size_t workers_for(std::size_t size) {
  constexpr std::size_t kRecordsPerThread = std::size_t{1} << 16;
  const std::size_t n_wanted = size / kRecordsPerThread;
  if (n_wanted <= 1) return 1;  // asking for the cores takes as long as a small matching
  return std::min(n_wanted, max_threads());
}

/// Runs first(interrupt) on this thread and second(own interrupt) on another one; returns when both are done.
/// Only this thread calls the caller's check. If that throws, the other thread stops at its next poll, and
/// the exception leaves from here. The two must not write to the same memory. Where a second thread is not
/// wanted (see `set_max_threads`) or cannot be started, one runs after the other.
template <class First, class Second>
void run_both(Interrupt& interrupt, const First& first, const Second& second) {
  struct Stopped : std::exception {};
  std::atomic<bool> stop = false;
  std::future<void> other;
  if (max_threads() > 1) {
    try {
      other = std::async(std::launch::async, [&] {
        Interrupt own([&] {
          if (stop) throw Stopped{};
        });
        try {
          second(own);
        } catch (const Stopped&) {
          return;  // the other thread throws what stopped this one
        }
      });
    } catch (const std::system_error&) {  // no thread can be started
      other = {};
    } catch (const std::bad_alloc&) {
      other = {};
    }
  }
  if (!other.valid()) {
    first(interrupt);
    second(interrupt);
    return;
  }
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

namespace detail {

/// Calls a check at most every 50 milliseconds: in Python each call waits for the interpreter's lock.
class PacedCheck {
 public:
  explicit PacedCheck(Interrupt& interrupt) : interrupt_(interrupt) {}

  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < due_) return;
    due_ = now + std::chrono::milliseconds(50);
    interrupt_.check();
  }

 private:
  Interrupt& interrupt_;
  std::chrono::steady_clock::time_point due_;
};

}  // namespace detail

/// Runs task(i, worker) for every i below n_tasks on `n_workers` threads, this one among them; `worker` is
/// below n_workers. Each free worker takes the next i, so tasks may differ in size. A task should take a few
/// milliseconds.
///
/// This thread checks the interrupt before any task and between its own. An exception, of a task or of the
/// interrupt, ends the work: running tasks finish, no other begins, and the exception leaves from here.
template <class Task>
void for_each_task(std::size_t n_tasks, std::size_t n_workers, Interrupt& interrupt, const Task& task) {
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::exception_ptr error;
  detail::PacedCheck paced(interrupt);
  paced();  // here, since the other threads may take all tasks before this one has its turn
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
    for (std::size_t w = 1; w < n_workers; ++w) {
      if (!threads.start([&work, w] { work(w, [] {}); })) break;  // the others do its tasks
    }
    work(0, paced);
  }
  if (error) std::rethrow_exception(error);
}

/// Runs visit(begin, end) for ranges of 2^16 that make up first .. last - 1, as for_each_task does.
template <class Visit>
void for_each_range(std::size_t first, std::size_t last, Interrupt& interrupt, const Visit& visit) {
  constexpr std::size_t kRange = std::size_t{1} << 16;
  const std::size_t size = last - first;
  for_each_task((size + kRange - 1) / kRange, workers_for(size), interrupt, [&](std::size_t i, std::size_t) {
    const std::size_t begin = first + i * kRange;
    visit(begin, std::min(last, begin + kRange));
  });
}

}  // namespace hankelmatch
