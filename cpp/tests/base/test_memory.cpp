#include <doctest/doctest.h>

#include <cstddef>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/threads.hpp>
#include <utility>
#include <vector>

using namespace hankelmatch;

TEST_CASE("a buffer that was moved from is empty") {
  Buffer<int> first(3, 7);
  Buffer<int> second = std::move(first);
  CHECK(first.size() == 0);  // NOLINT(bugprone-use-after-move): what this is about
  CHECK(second.size() == 3);
  first = std::move(second);
  CHECK(second.size() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(first[2] == 7);
}

TEST_CASE("a freed block is kept for the next buffer of its size, and for no other size") {
  constexpr std::size_t kSize = 50'001;
  const int* const place = Buffer<int>(kSize).span().data();
  CHECK(Buffer<int>(kSize + 1).span().data() != place);
  const Buffer<int> again(kSize, 3);
  CHECK(again.span().data() == place);
  CHECK(Buffer<int>(kSize, 4)[kSize - 1] == 4);
  CHECK(again[kSize - 1] == 3);
}

TEST_CASE("blocks of more than a large page are kept too") {
  constexpr std::size_t kSize = (kLargePage + 12'345) / sizeof(int);
  const int* const place = Buffer<int>(kSize).span().data();
  const Buffer<int> again(kSize, 3);
  CHECK(again.span().data() == place);
}

TEST_CASE("the block kept for longest goes first, as soon as all together are more than 64 MB") {
  const auto is_kept = [](std::size_t n_pages) {
    void* const block = detail::KeptBlocks::take(n_pages * kLargePage);
    if (block != nullptr) detail::KeptBlocks::keep(block, n_pages * kLargePage);
    return block != nullptr;
  };
  for (const std::size_t n_pages : {17U, 11U, 12U, 13U})
    const Buffer<char> freed_at_once(n_pages * kLargePage);
  CHECK(!is_kept(11));
  CHECK(is_kept(12));
  CHECK(is_kept(13));
  CHECK(!is_kept(17));  // too large
}

TEST_CASE("more blocks than are kept, taken and freed on several threads, are never shared") {
  run_workers(4, [](std::size_t worker) {
    for (std::size_t turn = 0; turn < 200; ++turn) {
      std::vector<Buffer<std::size_t>> buffers;
      buffers.reserve(6);
      for (std::size_t i = 0; i < 6; ++i) buffers.emplace_back(9'000 + (turn + i) % 3, worker * 1000 + i);
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        for (const std::size_t value : buffers[i].span())
          if (value != worker * 1000 + i) FAIL("two buffers have the same memory");
      }
    }
  });
}
