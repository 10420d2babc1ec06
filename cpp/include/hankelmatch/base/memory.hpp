// Large arrays on large memory pages. A page fault for every 4 kB of a new array costs more than to fill it,
// and random access is faster with few pages.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hankelmatch {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

/// Asks for large pages for new memory. A hint: it does nothing where there are none.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const std::size_t to_page =
      (kLargePage - reinterpret_cast<std::uintptr_t>(memory) % kLargePage) % kLargePage;
  if (to_page < bytes) madvise(static_cast<char*>(memory) + to_page, bytes - to_page, MADV_HUGEPAGE);
#endif
}

/// Reserves memory on large pages for `size` elements.
template <class T>
void reserve_large(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
  prefer_large_pages(values.data(), size * sizeof(T));
}

/// Gives an empty vector `size` elements with this value, on large pages.
template <class T>
void resize_large(std::vector<T>& values, std::size_t size, const T& value = T{}) {
  reserve_large(values, size);
  values.resize(size, value);
}

namespace detail {

/// Some freed blocks of memory, kept for the next call on a graph of the same size: at most 64 MB for the
/// whole process, as much as the C library itself may keep. The system clears each page that it gives: to
/// take 100 kB from it, a page at a time, and to give them back takes several times as long as to fill them;
/// without this it is half of the time on easy graphs of 100,000 rows (benchmarks.matching, path, band, rope
/// and hilo as they are), and an eighth on roads of 1,000,000.
class KeptBlocks {
 public:
  /// Whether blocks of this size are kept: less the C library keeps itself, and more would leave no room.
  static bool has_size(std::size_t bytes) noexcept { return bytes >= kLeast && bytes <= kMost / 2; }

  /// A kept block of this very size, or null.
  static void* take(std::size_t bytes) noexcept {
    for (auto& place : places_) {
      Block* const block = place.load(std::memory_order_relaxed) ? place.exchange(nullptr) : nullptr;
      if (block == nullptr) continue;
      if (block->bytes == bytes) {
        kept_ -= bytes;
        return block;
      }
      Block* none = nullptr;
      if (!place.compare_exchange_strong(none, block)) free(block);
    }
    return nullptr;
  }

  /// Keeps a block of such a size, in place of those that have been kept for longest.
  static void keep(void* memory, std::size_t bytes) noexcept {
    kept_ += bytes;
    free(next_place().exchange(::new (memory) Block{bytes}));
    for (std::size_t i = 0; i < places_.size() && kept_ > kMost; ++i) free(next_place().exchange(nullptr));
  }

 private:
  static constexpr std::size_t kLeast = std::size_t{1} << 16;
  static constexpr std::size_t kMost = std::size_t{64} << 20;  // of all together

  struct Block {
    std::size_t bytes;
  };

  static std::atomic<Block*>& next_place() noexcept { return places_[next_++ % places_.size()]; }

  static void free(Block* block) noexcept {
    if (block == nullptr) return;
    kept_ -= block->bytes;
    ::operator delete(block, alignment(block->bytes));
  }
  static std::align_val_t alignment(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= kLargePage ? kLargePage : alignof(std::max_align_t)};
  }

  static inline std::array<std::atomic<Block*>, 8> places_{};
  static inline std::atomic<std::size_t> next_{0};
  static inline std::atomic<std::size_t> kept_{0};
};

}  // namespace detail

/// Memory on large pages. It is rounded up to whole pages where that adds at most a quarter, so that its end
/// is on a large page too; so from 1.6 MiB on it begins at a page of its own, and less takes what it needs.
template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>& /*other*/) noexcept {}

  T* allocate(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T) - kLargePage)
      throw std::bad_array_new_length();
    const std::size_t bytes = n_bytes(size);
    if (detail::KeptBlocks::has_size(bytes)) {
      if (void* const kept = detail::KeptBlocks::take(bytes)) return static_cast<T*>(kept);
    }
    void* const memory = ::operator new(bytes, alignment(size));
    if (is_large(size)) prefer_large_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t size) noexcept {
    const std::size_t bytes = n_bytes(size);
    if (detail::KeptBlocks::has_size(bytes)) return detail::KeptBlocks::keep(memory, bytes);
    ::operator delete(memory, alignment(size));
  }
  friend bool operator==(const LargeAllocator& /*a*/, const LargeAllocator& /*b*/) { return true; }

 private:
  static bool is_large(std::size_t size) noexcept { return n_bytes(size) >= kLargePage; }
  static std::align_val_t alignment(std::size_t size) noexcept {
    return std::align_val_t{is_large(size) ? kLargePage : alignof(std::max_align_t)};
  }
  static std::size_t n_bytes(std::size_t size) noexcept {
    const std::size_t needed = size * sizeof(T);
    const std::size_t rounded = (needed + kLargePage - 1) / kLargePage * kLargePage;
    return rounded - needed <= needed / 4 ? rounded : needed;
  }
};

/// The same for a vector that is resized once and then filled: `resize` does not clear its elements.
template <class T>
struct UninitializedAllocator : LargeAllocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>& /*other*/) noexcept {}

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

/// An array on large pages that is not cleared: write every element before you read it. So the threads that
/// fill it share the work of touching its pages first.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(LargeAllocator<T>().allocate(size), Deallocate{size}), size_(size) {}
  Buffer(std::size_t size, const T& value) : Buffer(size) { std::ranges::fill(span(), value); }
  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_.get(), size_}; }
  std::span<const T> span() const { return {data_.get(), size_}; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  struct Deallocate {
    std::size_t size = 0;
    void operator()(T* memory) const { LargeAllocator<T>().deallocate(memory, size); }
  };

  std::unique_ptr<T[], Deallocate> data_;
  std::size_t size_ = 0;
};

}  // namespace hankelmatch
