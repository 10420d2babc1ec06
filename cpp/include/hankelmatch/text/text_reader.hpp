// From the bytes of a text to a corpus: symbol ids, where each sentence begins, and the labels of the ids.
//
//     TextOptions options;
//     options.end_symbol = true;
//     const TokenizedText text = read_text("ab\nb\n", options);
//     text.labels;   // {"a", "b"}; the end symbol has id 2
//     text.symbols;  // {0, 1, 2, 1, 2}
//     text.offsets;  // {0, 3, 5}
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/text/label_table.hpp>
#include <hankelmatch/text/utf8.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hankelmatch {

/// What a symbol is: a code point, or the text between blanks.
enum class TextUnit { kCharacter, kToken };

struct TextOptions {
  TextUnit unit = TextUnit::kCharacter;
  bool stream = false;        ///< the whole text is one sequence, and a newline is a symbol of it
  bool end_symbol = false;    ///< close every sequence with the id labels.size()
  bool start_symbol = false;  ///< open every sequence with the id labels.size() + (1 if end_symbol)
};

/// `symbols` and `offsets` as in CorpusView. `labels`: in UTF-8, sorted by code points; symbol i has the
/// label labels[i]. So ids do not depend on the order of the text. The end and start symbols have ids but no
/// labels.
struct TokenizedText {
  std::vector<std::int32_t> symbols;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::string> labels;
};

/// A text that is not UTF-8. `line` counts from 1; `offset` is the number of bytes before the wrong one.
class EncodingError : public std::invalid_argument {
 public:
  EncodingError(std::string_view text, std::size_t position)
      : std::invalid_argument(describe(text, position)), line(line_of(text, position)), offset(position) {}

  std::size_t line;
  std::size_t offset;

 private:
  static std::size_t line_of(std::string_view text, std::size_t position) {
    const std::string_view before = text.substr(0, position);
    return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  }

  static std::string describe(std::string_view text, std::size_t position) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[position]);
    const std::string hex{kDigits[byte >> 4], kDigits[byte & 15]};
    const std::size_t line_begin = text.substr(0, position).rfind('\n') + 1;
    return "line " + std::to_string(line_of(text, position)) + ": byte 0x" + hex + " (byte " +
           std::to_string(position - line_begin + 1) + " of the line) is not UTF-8";
  }
};

namespace detail {

/// The provisional ids of the end and start symbols: all ids are replaced once the labels are sorted.
inline constexpr std::int32_t kEnd = -1;
inline constexpr std::int32_t kStart = -2;

/// Collects sequences; add_symbols(text, symbols, interrupt) appends the provisional ids, from 0, of one of
/// them. A sequence may be the whole text.
template <class Symbols>
TokenizedText collect(std::string_view text, const TextOptions& options, Symbols&& add_symbols,
                      Interrupt& interrupt) {
  TokenizedText result;
  result.symbols.reserve(text.size() / (options.unit == TextUnit::kToken ? 2 : 1) + 2);
  std::size_t begin = 0;
  do {
    const std::size_t newline = options.stream ? std::string_view::npos : text.find('\n', begin);
    const std::size_t end = std::min(newline, text.size());
    const bool crlf = newline < text.size() && end > begin && text[end - 1] == '\r';
    if (options.start_symbol) result.symbols.push_back(kStart);
    add_symbols(text.substr(begin, end - begin - (crlf ? 1 : 0)), result.symbols, interrupt);
    if (options.end_symbol) result.symbols.push_back(kEnd);
    result.offsets.push_back(static_cast<std::int64_t>(result.symbols.size()));
    interrupt.poll();
    begin = end + 1;
  } while (begin < text.size());
  return result;
}

/// Replaces provisional ids: id i by rank[i], the end symbol by n_labels, the start symbol by the id after
/// it.
inline void renumber(std::vector<std::int32_t>& symbols, const std::vector<std::int32_t>& rank,
                     std::int32_t n_labels, bool has_end, Interrupt& interrupt) {
  const std::int32_t start = n_labels + (has_end ? 1 : 0);
  for_each_stretch(symbols.size(), interrupt, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t symbol = symbols[i];
      symbols[i] = symbol >= 0 ? rank[static_cast<std::size_t>(symbol)] : symbol == kEnd ? n_labels : start;
    }
  });
}

inline void append_characters(std::string_view text, std::vector<std::int32_t>& symbols,
                              Interrupt& interrupt) {
  std::size_t i = 0;
  for_each_stretch(text.size(), interrupt, [&](std::size_t /*begin*/, std::size_t end) {
    while (i < end) symbols.push_back(utf8::next_code_point(text, i));
  });
}

/// Code points are the provisional ids; a table over all of Unicode ranks those that occur.
inline TokenizedText read_characters(std::string_view text, const TextOptions& options,
                                     Interrupt& interrupt) {
  constexpr std::size_t kCodePoints = 0x110000;
  TokenizedText result = collect(text, options, append_characters, interrupt);
  std::vector<std::int32_t> rank(kCodePoints, 0);
  for_each_stretch(result.symbols.size(), interrupt, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (result.symbols[i] >= 0) rank[static_cast<std::size_t>(result.symbols[i])] = 1;
    }
  });
  std::int32_t n_labels = 0;
  for (std::size_t code = 0; code < kCodePoints; ++code) {
    if (rank[code] == 0) continue;
    rank[code] = n_labels++;
    result.labels.push_back(utf8::encode(static_cast<std::int32_t>(code)));
  }
  renumber(result.symbols, rank, n_labels, options.end_symbol, interrupt);
  return result;
}

inline std::array<bool, 256> blanks(bool stream) {
  std::array<bool, 256> blank{};
  for (const char c : {' ', '\t', '\v', '\f', '\r'}) blank[static_cast<unsigned char>(c)] = true;
  blank['\n'] = stream;
  return blank;
}

/// Splits at ASCII blanks; in a stream a newline ends a token and is a token itself.
class TokenSplitter {
 public:
  explicit TokenSplitter(bool stream) : blank_(blanks(stream)) {}

  void operator()(std::string_view text, std::vector<std::int32_t>& symbols, Interrupt& interrupt) {
    std::size_t i = 0;
    for_each_stretch(text.size(), interrupt, [&](std::size_t /*begin*/, std::size_t end) {
      while (i < end) add_symbol(text, i, symbols);
    });
  }

  const std::vector<std::string_view>& labels() const { return table_.labels(); }

 private:
  /// Passes what is at place i: a blank, or a token with the blank that ends it.
  void add_symbol(std::string_view text, std::size_t& i, std::vector<std::int32_t>& symbols) {
    const std::size_t begin = i;
    if (is_blank(text[begin])) {
      if (text[begin] == '\n') symbols.push_back(table_.id("\n"));
      ++i;
      return;
    }
    while (i < text.size() && !is_blank(text[i])) ++i;
    symbols.push_back(table_.id(text.substr(begin, i - begin)));
    if (i < text.size() && text[i] != '\n') ++i;
  }

  bool is_blank(char c) const { return blank_[static_cast<unsigned char>(c)]; }

  std::array<bool, 256> blank_;
  LabelTable table_;
};

/// The text without a last line of blanks that no newline ends: it has no token, so it is no sentence.
inline std::string_view without_blank_rest(std::string_view text) {
  const std::size_t rest = text.rfind('\n') + 1;
  return text.find_first_not_of(" \t\v\f\r", rest) == std::string_view::npos ? text.substr(0, rest) : text;
}

inline TokenizedText read_tokens(std::string_view text, const TextOptions& options, Interrupt& interrupt) {
  TokenSplitter splitter(options.stream);
  TokenizedText result = collect(text, options, splitter, interrupt);
  const auto& labels = splitter.labels();
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Bytes of UTF-8 sort as the code points do (string_view compares them as unsigned).
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    interrupt.poll();
    return labels[a] < labels[b];
  });
  std::vector<std::int32_t> rank(labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<std::int32_t>(i);
    result.labels.emplace_back(labels[order[i]]);
  }
  renumber(result.symbols, rank, static_cast<std::int32_t>(labels.size()), options.end_symbol, interrupt);
  return result;
}

}  // namespace detail

/// Reads a text in UTF-8, with a sentence in each line, or as one stream.
///
/// Lines end with "\n" or "\r\n". A last line without either counts unless it is empty. A blank line is a
/// sentence without symbols (except end and start symbol). A byte order mark is dropped, except in a stream
/// of characters, which is read exactly as it is. Blanks, tabs, vertical tabs, form feeds and carriage
/// returns separate tokens; all other code points belong to tokens. An empty text has no sequences. Throws
/// EncodingError at the first byte that is not UTF-8. Cost: two or three passes over the text, and d log d
/// comparisons to sort the d distinct tokens. Memory: 2 (tokens) or 4 (characters) bytes of address space for
/// a byte of text; only the part that the symbols need is touched.
[[nodiscard]] inline TokenizedText read_text(std::string_view text, const TextOptions& options,
                                             Interrupt& interrupt = no_interrupt()) {
  const std::size_t error = utf8::first_error(text);
  if (error < text.size()) throw EncodingError(text, error);
  const bool exact = options.stream && options.unit == TextUnit::kCharacter;
  if (!exact && text.starts_with(utf8::kByteOrderMark)) text.remove_prefix(utf8::kByteOrderMark.size());
  if (!options.stream && options.unit == TextUnit::kToken) text = detail::without_blank_rest(text);
  if (text.empty()) return {};
  return options.unit == TextUnit::kCharacter ? detail::read_characters(text, options, interrupt)
                                              : detail::read_tokens(text, options, interrupt);
}

}  // namespace hankelmatch
