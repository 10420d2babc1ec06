// Threads that end with the scope that started them.
#pragma once

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

}  // namespace hankelmatch
