// A way for the caller to stop long work: the core never looks at signals itself.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace hankelmatch {

/// Polled by every long loop. The check given by the caller throws to stop the work; all memory is owned by
/// containers, so nothing leaks. A default-constructed Interrupt never stops anything.
/// One object serves one thread at a time.
class Interrupt {
 public:
  Interrupt() = default;
  explicit Interrupt(std::function<void()> check) : check_(std::move(check)) {}

  /// Costs an addition; calls the check once for every 2^16 units of `work` (an edge or a node looked at).
  void poll(std::uint64_t work = 1) {
    work_ += work;
    if (work_ >= kInterval) {
      work_ = 0;
      check();
    }
  }

  /// Calls the check at once: between the stages of long work.
  void check() const {
    if (check_) check_();
  }

 private:
  static constexpr std::uint64_t kInterval = std::uint64_t{1} << 16;
  std::function<void()> check_;
  std::uint64_t work_ = 0;
};

}  // namespace hankelmatch
