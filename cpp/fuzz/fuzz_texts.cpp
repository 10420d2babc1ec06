// libFuzzer: reads any bytes as a text, and counts its substrings; every string of the trie must occur.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <hankelmatch/hankel/hankel_matching.hpp>
#include <hankelmatch/hankel/split_graph.hpp>
#include <hankelmatch/strings/substring_counts.hpp>
#include <hankelmatch/text/corpus.hpp>
#include <hankelmatch/text/text_reader.hpp>
#include <string_view>
#include <variant>

using namespace hankelmatch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 4096) return 0;
  TextOptions options;
  options.unit = (data[0] & 1) != 0 ? TextUnit::kToken : TextUnit::kCharacter;
  options.stream = (data[0] & 2) != 0;
  options.end_symbol = (data[0] & 4) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const TokenizedText read = read_text(text, options);
    const CorpusView corpus{read.symbols, read.offsets};
    validate(corpus);
    if (corpus.n_sequences() == 0) return 0;
    const std::size_t max_length = 1 + data[0] / 8U % 8U;
    const AnySubstringCounts any = count_substrings(corpus, max_length, {1, false}, no_interrupt());
    std::visit(
        [](const auto& found) {
          for (const auto count : found.counts)
            if (count < 1) std::abort();
          const SplitGraph split(found.trie, no_interrupt());
          const auto matched = hankel_matching(split);
          if (at(matched.matching.size) != matched.cover_rows.size() + matched.cover_cols.size())
            std::abort();  // no certificate
        },
        any);
  } catch (const EncodingError&) {
  }
  return 0;
}
