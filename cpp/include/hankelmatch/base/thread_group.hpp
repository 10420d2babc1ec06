// Threads that end with the scope that started them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace hankelmatch {

/// Waits for its threads where it is destroyed, as many std::jthread would, which Apple's standard library
/// does not have.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup() {
    for (std::thread& thread : threads_) thread.join();
  }

  /// Runs `work()`, which must not throw, on a new thread.
  template <class Work>
  void start(Work&& work) {
    threads_.emplace_back(std::forward<Work>(work));
  }

 private:
  std::vector<std::thread> threads_;
};

/// Runs work(0) .. work(n_workers - 1), each on a thread of its own but the last, which runs here. `work`
/// must not throw.
template <class Work>
void run_workers(std::size_t n_workers, const Work& work) {
  ThreadGroup threads;
  for (std::size_t w = 0; w + 1 < n_workers; ++w) threads.start([&work, w] { work(w); });
  work(n_workers - 1);
}

/// How many threads a loop over `size` records is worth: starting one costs about as much as 2^15 records.
inline std::size_t workers_for(std::size_t size) {
  if (size >> 16 <= 1) return 1;  // asking for the cores takes as long as a small matching
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(size >> 16, 1, std::min<std::size_t>(cores, 16));
}

}  // namespace hankelmatch
