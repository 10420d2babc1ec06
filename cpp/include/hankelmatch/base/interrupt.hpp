// A way for the caller to stop long work: the core never looks at signals itself.
//
//     Interrupt interrupt([&] { if (cancelled) throw Cancelled{}; });
//     match(graph, "auto", {}, interrupt);  // leaves by Cancelled soon after `cancelled` is set
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <utility>

namespace hankelmatch {

/// Every long loop polls one. The caller's check throws to stop the work; containers own all memory, so
/// nothing leaks. A default-constructed Interrupt never stops anything. One object serves one thread at a
/// time; functions take it by reference.
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

  static constexpr std::uint64_t kInterval = std::uint64_t{1} << 16;

 private:
  std::function<void()> check_;
  std::uint64_t work_ = 0;
};

/// Calls visit(begin, end) for consecutive ranges that make up 0 .. n - 1, and polls before each: for loops
/// so short that a poll in each round shows.
template <class Visit>
void for_each_stretch(std::size_t n, Interrupt& interrupt, const Visit& visit) {
  constexpr auto kStretch = static_cast<std::size_t>(Interrupt::kInterval);
  for (std::size_t begin = 0; begin < n; begin += kStretch) {
    interrupt.poll(kStretch);
    visit(begin, begin + std::min(kStretch, n - begin));
  }
}

/// This thread's interrupt that never stops anything, for calls without one.
inline Interrupt& no_interrupt() {
  // Never destroyed, and nothing is lost by that: registering a destructor for each thread takes memory, and
  // where there is none the process is ended.
  alignas(Interrupt) thread_local std::byte place[sizeof(Interrupt)];
  thread_local Interrupt* none = nullptr;
  if (none == nullptr) none = ::new (static_cast<void*>(place)) Interrupt();
  return *none;
}

}  // namespace hankelmatch
