// A corpus as two flat arrays: the symbols of all sequences, one after another, and where each one begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace hankelmatch {

/// A view of many sequences of symbols. It copies and owns nothing.
///
/// `offsets` has n_sequences() + 1 entries; it begins with 0, never falls, and ends with `symbols.size()`:
/// sequence i is symbols[offsets[i] .. offsets[i + 1]). A symbol is an id from 0; -1 stands for a symbol
/// outside the alphabet. The accessors trust the arrays: check those of a caller first, with `validate`.
struct CorpusView {
  std::span<const std::int32_t> symbols;
  std::span<const std::int64_t> offsets;

  std::size_t n_sequences() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const std::int32_t> sequence(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    return symbols.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
  }
};

/// Throws std::invalid_argument, with what is wrong, unless the offsets are as CorpusView needs them. Does
/// not look at the symbols. Cost: one pass over the offsets.
inline void validate(const CorpusView& corpus) {
  const auto offsets = corpus.offsets;
  if (offsets.empty())
    throw std::invalid_argument("offsets is empty; it needs n_sequences + 1 entries, from 0");
  if (offsets.front() != 0) {
    throw std::invalid_argument("offsets must begin with 0, not " + std::to_string(offsets.front()));
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      throw std::invalid_argument("offsets must never fall; entry " + std::to_string(i) + " does");
    }
  }
  if (static_cast<std::uint64_t>(offsets.back()) != corpus.symbols.size()) {
    throw std::invalid_argument("offsets must end with the number of symbols, " +
                                std::to_string(corpus.symbols.size()) + ", not " +
                                std::to_string(offsets.back()));
  }
}

}  // namespace hankelmatch
