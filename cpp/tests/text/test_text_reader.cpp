#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <hankelmatch/text/text_reader.hpp>
#include <hankelmatch/text/utf8.hpp>
#include <string>
#include <string_view>
#include <vector>

using hankelmatch::EncodingError;
using hankelmatch::read_text;
using hankelmatch::TextOptions;
using hankelmatch::TextUnit;
using Ids = std::vector<std::int32_t>;
using Offsets = std::vector<std::int64_t>;
using Labels = std::vector<std::string>;

TEST_CASE("characters: lines end with either newline, labels are in code point order") {
  const auto text = read_text(
      "\xEF\xBB\xBF"
      "b\xC3\xA9\r\n\nab",
      TextOptions{});
  CHECK(text.labels == Labels{"a", "b", "\xC3\xA9"});
  CHECK(text.symbols == Ids{1, 2, 0, 1});
  CHECK(text.offsets == Offsets{0, 2, 2, 4});
}

TEST_CASE("a last newline begins no sentence; a carriage return at the end of the text is a character") {
  CHECK(read_text("a\n", TextOptions{}).offsets == Offsets{0, 1});
  CHECK(read_text("a\r", TextOptions{}).labels == Labels{"\r", "a"});
  CHECK(read_text("\n\n", TextOptions{}).offsets == Offsets{0, 0, 0});
  CHECK(read_text("", TextOptions{}).offsets == Offsets{0});
  CHECK(read_text("\xEF\xBB\xBF", TextOptions{}).offsets == Offsets{0});
}

TEST_CASE("end and start symbols take the ids after the labels") {
  TextOptions options;
  options.end_symbol = options.start_symbol = true;
  const auto both = read_text("a\n\n", options);
  CHECK(both.symbols == Ids{2, 0, 1, 2, 1});
  CHECK(both.offsets == Offsets{0, 3, 5});
  options.end_symbol = false;
  CHECK(read_text("a", options).symbols == Ids{1, 0});
}

TEST_CASE("tokens stand between any blanks") {
  const auto text =
      read_text(" the\tcat  x\r\nthe x y\xC2\xA0z \n \n", TextOptions{.unit = TextUnit::kToken});
  CHECK(text.labels == Labels{"cat", "the", "x", "y\xC2\xA0z"});
  CHECK(text.symbols == Ids{1, 0, 2, 1, 2, 3});
  CHECK(text.offsets == Offsets{0, 3, 6, 6});
}

TEST_CASE("blanks after the last newline are no sentence of tokens") {
  const TextOptions tokens{.unit = TextUnit::kToken};
  CHECK(read_text("a \n \t", tokens).offsets == Offsets{0, 1});
  CHECK(read_text("  ", tokens).offsets == Offsets{0});
  CHECK(read_text("a\n b", tokens).offsets == Offsets{0, 1, 2});
}

TEST_CASE("a stream is one sequence with its newlines") {
  TextOptions options{.unit = TextUnit::kToken, .stream = true};
  const auto tokens = read_text("a\r\nbc", options);
  CHECK(tokens.labels == Labels{"\n", "a", "bc"});
  CHECK(tokens.symbols == Ids{1, 0, 2});
  options.unit = TextUnit::kCharacter;
  const auto exact = read_text(
      "\xEF\xBB\xBF"
      "a\r\n",
      options);
  CHECK(exact.labels == Labels{"\n", "\r", "a", "\xEF\xBB\xBF"});
  CHECK(exact.offsets == Offsets{0, 4});
}

TEST_CASE("many distinct tokens keep their ids apart") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + " " + std::to_string(i) + "\n";
  const auto read = read_text(text, TextOptions{.unit = TextUnit::kToken});
  CHECK(read.labels.size() == 20000);
  for (std::size_t i = 0; i < 20000; ++i) {
    CHECK(read.symbols[2 * i] == read.symbols[2 * i + 1]);
    CHECK(read.labels[static_cast<std::size_t>(read.symbols[2 * i])] == std::to_string(i));
  }
}

TEST_CASE("a text that is not UTF-8 is refused, with the place of the error") {
  for (const std::string_view bad :
       {"\xFF", "\x80", "\xC0\x80", "\xC3", "\xE2\x82", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF0\x9F\x98"}) {
    CHECK_THROWS_AS(read_text(bad, TextOptions{}), EncodingError);
  }
  try {
    static_cast<void>(
        read_text("fine\n\nca\xE9 long enough to be read eight bytes at a time", TextOptions{}));
    FAIL("no error");
  } catch (const EncodingError& error) {
    CHECK(error.line == 3);
    CHECK(error.offset == 8);
    CHECK(std::string(error.what()) == "line 3: byte 0xe9 (byte 3 of the line) is not UTF-8");
  }
}

TEST_CASE("every code point survives") {
  std::string text;
  for (std::int32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    text += hankelmatch::utf8::encode(code);
  }
  const auto read = read_text(text, TextOptions{.unit = TextUnit::kCharacter, .stream = true});
  REQUIRE(read.symbols.size() == 0x110000 - 0x800);
  CHECK(read.symbols.back() == 0x110000 - 0x800 - 1);
  CHECK(read.labels.size() == read.symbols.size());
}
