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
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t bytes = size * sizeof(T);
  const std::size_t to_page = (kPage - reinterpret_cast<std::uintptr_t>(values.data()) % kPage) % kPage;
  // A hint: where it is refused the array is as good as before.
  if (to_page < bytes)
    madvise(reinterpret_cast<char*>(values.data()) + to_page, bytes - to_page, MADV_HUGEPAGE);
#endif
}

}  // namespace hankelmatch
