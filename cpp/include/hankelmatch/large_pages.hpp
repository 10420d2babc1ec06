// Large arrays on large memory pages: a page fault for every 4 kB of a new array costs more than filling it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hankelmatch {

/// Asks for large pages below new memory; does nothing where there are none. A hint: where it is refused the
/// memory is as good as before.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t to_page = (kPage - reinterpret_cast<std::uintptr_t>(memory) % kPage) % kPage;
  if (to_page < bytes) madvise(static_cast<char*>(memory) + to_page, bytes - to_page, MADV_HUGEPAGE);
#endif
}

/// Reserves memory on large pages for `size` elements.
template <class T>
void reserve_large(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
  prefer_large_pages(values.data(), size * sizeof(T));
}

/// Memory on large pages that is not cleared before use: whoever makes one writes every element before it is
/// read, and so the first touch of its pages falls to all threads that fill it.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {
    prefer_large_pages(data_.get(), size * sizeof(T));
  }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_.get(), size_}; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

/// The same for a vector that is to be resized once.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  T* allocate(std::size_t size) {
    T* const memory = std::allocator<T>::allocate(size);
    prefer_large_pages(memory, size * sizeof(T));
    return memory;
  }
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

}  // namespace hankelmatch
