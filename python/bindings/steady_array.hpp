// Arrays that stay as they were when they were checked, whatever other threads do to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <span>

#include "bindings.hpp"

namespace hankelmatch::bindings {

/// An array of the caller, which the core reads without the GIL. It is read in place if this is the only
/// thread of Python; else it is copied, since another thread could change what has been checked already.
template <class T>
class SteadyArray {
 public:
  explicit SteadyArray(const Array<T>& array)
      : elements_(bindings::view(array)), shared_(!is_only_thread()) {}

  /// Without the GIL; then check what it returns.
  std::span<const T> view(Interrupt& interrupt) {
    if (shared_) {
      constexpr std::size_t kChunk = std::size_t{1} << 16;  // between polls
      copy_ = Buffer<T>(elements_.size());
      for (std::size_t i = 0; i < elements_.size(); i += kChunk) {
        const auto chunk = elements_.subspan(i, std::min(kChunk, elements_.size() - i));
        std::ranges::copy(chunk, copy_.span().subspan(i).begin());
        interrupt.poll(chunk.size());
      }
      elements_ = copy_.span();
      shared_ = false;
    }
    return elements_;
  }
  std::size_t size() const { return elements_.size(); }

 private:
  std::span<const T> elements_;
  bool shared_;
  Buffer<T> copy_;
};

}  // namespace hankelmatch::bindings
