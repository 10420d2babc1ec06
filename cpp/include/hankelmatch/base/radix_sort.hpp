// Stable radix sort of records by an unsigned key, on several threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/threads.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch {

namespace detail {

constexpr int kDigitBits = 11;
using Histogram = std::array<std::size_t, std::size_t{1} << kDigitBits>;

/// One counting pass by the digit at `shift`: every worker moves the records of its slice behind those of
/// lower digits and of earlier slices. If all records share the digit, returns false and moves nothing. The
/// interrupt is asked after every few million records.
template <class Record, class Key>
bool scatter_by_digit(std::span<const Record> from, std::span<Record> to, int shift, const Key& key,
                      std::size_t n_workers, Interrupt& interrupt) {
  constexpr std::size_t kPiece = std::size_t{1} << 21;  // of a slice: to start a thread costs far less
  const auto digit = [&](const Record& r) {
    return static_cast<std::size_t>(key(r) >> shift) & ((std::size_t{1} << kDigitBits) - 1);
  };
  const auto for_each_record = [&](const auto& visit) {
    for (std::size_t done = 0; done * n_workers <= from.size(); done += kPiece) {
      interrupt.check();
      run_workers(n_workers, [&](std::size_t w) {
        const std::size_t end = from.size() * (w + 1) / n_workers;
        const std::size_t begin = std::min(end, from.size() * w / n_workers + done);
        visit(w, from.subspan(begin, std::min(kPiece, end - begin)));
      });
    }
  };
  std::vector<Histogram> places(n_workers, Histogram{});
  for_each_record([&](std::size_t w, std::span<const Record> piece) {
    for (const Record& r : piece) ++places[w][digit(r)];
  });
  std::size_t place = 0;
  for (std::size_t d = 0; d < places[0].size(); ++d) {
    const std::size_t begin = place;
    for (Histogram& counts : places) place += std::exchange(counts[d], place);
    if (place - begin == from.size()) return false;
  }
  for_each_record([&](std::size_t w, std::span<const Record> piece) {
    Histogram& place_of = places[w];
    for (const Record& r : piece) to[place_of[digit(r)]++] = r;
  });
  return true;
}

}  // namespace detail

/// Sorts `records` by the lowest `key_bits` bits of key(record), least significant digit first; equal keys
/// keep their order. `scratch` has the size of `records`; returns whichever of the two holds the result.
/// Checks the interrupt before every pass.
/// Cost: ceil(key_bits / 11) passes, fewer where all keys share a digit.
template <class Record, class Key>
std::span<Record> radix_sort(std::span<Record> records, std::span<Record> scratch, int key_bits,
                             const Key& key, Interrupt& interrupt) {
  const std::size_t n_workers = workers_for(records.size());
  for (int shift = 0; shift < key_bits && !records.empty(); shift += detail::kDigitBits) {
    if (detail::scatter_by_digit<Record>(records, scratch, shift, key, n_workers, interrupt))
      std::swap(records, scratch);
  }
  return records;
}

}  // namespace hankelmatch
