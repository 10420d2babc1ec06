// Large arrays on large memory pages: a page fault for every 4 kB of a new array costs more than filling it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hankelmatch {

/// Reserves memory for `size` elements and asks for large pages below it; does nothing more where there are
/// none.
template <class T>
void reserve_large(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(values.data()) + size * sizeof(T)) / kPage * kPage;
  // A hint: where it is refused the array is as good as before.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace hankelmatch
