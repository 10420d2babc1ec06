// Sorts more records than the cache holds: first into groups by their first bits, then each group in place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/base/memory.hpp>
#include <hankelmatch/base/threads.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hankelmatch::detail {

/// Group g is records[begin[g]] .. records[begin[g + 1] - 1].
template <class Record>
struct GroupedRecords {
  Buffer<Record> records;
  std::vector<std::size_t> begin{0};

  std::size_t size() const { return begin.back(); }
  std::size_t n_groups() const { return begin.size() - 1; }
  std::size_t group_of(std::size_t i) const {
    return static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), i) - begin.begin()) - 1;
  }

  /// Calls visit(i, j, g) for every run i .. j - 1 of equal records of one group g in [first, last).
  template <class Visit>
  void for_each_run(std::size_t first, std::size_t last, const Visit& visit) const {
    std::size_t g = group_of(first);
    for (std::size_t i = first; i < last; ++g) {
      const std::size_t stop = std::min(last, begin[g + 1]);
      while (i < stop) {
        std::size_t j = i + 1;
        while (j < stop && records[j] == records[i]) ++j;
        visit(i, j, g);
        i = j;
      }
    }
  }
};

/// Puts the record of every item into its group, below n_groups: split(item) = (group, record), group(item) =
/// the group alone. `chunks`: see KeyChunks. Two passes over the items: one counts, one moves.
template <class Record, class Chunks, class Group, class Split>
GroupedRecords<Record> into_groups(const Chunks& chunks, std::size_t n_groups, Interrupt& interrupt,
                                   const Group& group, const Split& split) {
  std::vector<std::vector<std::size_t>> places(chunks.size(), std::vector<std::size_t>(n_groups, 0));
  chunks.for_each(interrupt, [&](std::size_t c) {
    return [group, counts = places[c].data()](const auto& item) { ++counts[group(item)]; };
  });
  GroupedRecords<Record> groups;
  groups.begin.resize(n_groups + 1);
  for (std::size_t g = 0; g < n_groups; ++g) {
    std::size_t place = groups.begin[g];
    for (auto& counts : places) place += std::exchange(counts[g], place);
    groups.begin[g + 1] = place;
  }
  groups.records = Buffer<Record>(groups.size());
  chunks.for_each(interrupt, [&](std::size_t c) {
    return [split, place = places[c].data(), to = groups.records.span().data()](const auto& item) {
      const auto [g, record] = split(item);
      to[place[g]++] = record;
    };
  });
  return groups;
}

/// Sorts fewer than 2^32 records by the lowest `bits` bits of word(record), least significant digit first, in
/// the cache. `from` and `to` change places with every pass; at the end `from` holds the result.
template <int kDigit, class Record, class Word>
void sort_by_word(std::span<Record>& from, std::span<Record>& to, int bits, const Word& word) {
  constexpr std::size_t kValues = std::size_t{1} << kDigit;
  constexpr std::size_t kMostDigits = (64 + kDigit - 1) / kDigit;
  const auto n_digits = static_cast<std::size_t>((bits + kDigit - 1) / kDigit);
  const auto digit = [&](const Record& r, std::size_t d) {
    return static_cast<std::size_t>(word(r) >> (d * kDigit)) & (kValues - 1);
  };
  std::array<std::array<std::uint32_t, kValues>, kMostDigits> places;
  std::fill_n(places.begin(), n_digits, std::array<std::uint32_t, kValues>{});
  for (const Record& r : from)
    for (std::size_t d = 0; d < n_digits; ++d) ++places[d][digit(r, d)];
  for (std::size_t d = 0; d < n_digits; ++d) {
    auto& place_of = places[d];
    if (place_of[digit(from[0], d)] == from.size()) continue;  // all records share the digit
    std::uint32_t place = 0;
    for (std::uint32_t& count : place_of) place += std::exchange(count, place);
    for (const Record& r : from) to[place_of[digit(r, d)]++] = r;
    std::swap(from, to);
  }
}

/// Sorts by the lowest bits[w] bits of word(record, w) for every w, the first word highest.
template <int kDigit, class Record, std::size_t Words, class Word>
void sort_by_words(std::span<Record> records, std::span<Record> scratch, const std::array<int, Words>& bits,
                   const Word& word) {
  std::span<Record> from = records, to = scratch;
  for (std::size_t w = Words; w-- > 0;)
    sort_by_word<kDigit>(from, to, bits[w], [&word, w](const Record& r) { return word(r, w); });
  if (from.data() != records.data()) std::copy(from.begin(), from.end(), records.begin());
}

/// Sorts every group by operator<, which must be the order of the words; the records of a group differ in the
/// lowest bits[w] bits of word(record, w). Every thread keeps a second copy of the largest group that it
/// sorts. The bounds were measured on PTB at T = 7 (`python -m benchmarks.scale`).
template <class Record, std::size_t Words, class Word>
void sort_groups(GroupedRecords<Record>& groups, const std::array<int, Words>& bits, Interrupt& interrupt,
                 const Word& word) {
  constexpr std::size_t kMinToCount = 96;  // below, comparisons cost less than to clear and sum counts
  constexpr std::size_t kMinForWideDigits = std::size_t{1} << 14;  // from here on fewer passes pay
  constexpr std::size_t kMaxToCount = std::numeric_limits<std::uint32_t>::max();  // the counts' type
  constexpr std::size_t kTasks = 256;
  const auto sort_group = [&](std::span<Record> records, Buffer<Record>& scratch) {
    if (records.size() < kMinToCount || records.size() > kMaxToCount) {
      std::sort(records.begin(), records.end());
      return;
    }
    if (scratch.size() < records.size()) {
      scratch = Buffer<Record>();
      scratch = Buffer<Record>(records.size());
    }
    const auto room = scratch.span().first(records.size());
    if (records.size() < kMinForWideDigits) {
      sort_by_words<8>(records, room, bits, word);
    } else {
      sort_by_words<11>(records, room, bits, word);
    }
  };
  const std::size_t n_workers = workers_for(groups.size());
  const std::size_t per_task = std::max<std::size_t>(1, groups.n_groups() / kTasks);
  std::vector<Buffer<Record>> scratch(n_workers);
  for_each_task((groups.n_groups() + per_task - 1) / per_task, n_workers, interrupt,
                [&](std::size_t t, std::size_t worker) {
                  const std::size_t stop = std::min(groups.n_groups(), (t + 1) * per_task);
                  for (std::size_t g = t * per_task; g < stop; ++g) {
                    const std::size_t begin = groups.begin[g];
                    sort_group(groups.records.span().subspan(begin, groups.begin[g + 1] - begin),
                               scratch[worker]);
                  }
                });
}

}  // namespace hankelmatch::detail
