// UTF-8: finds the first error of a text, and reads a valid text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hankelmatch::utf8 {

/// U+FEFF, which some editors put before a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

namespace detail {

inline unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

inline bool in_range(std::string_view text, std::size_t i, unsigned low, unsigned high) {
  return i < text.size() && byte_at(text, i) >= low && byte_at(text, i) <= high;
}

inline bool continues(std::string_view text, std::size_t begin, std::size_t count) {
  for (std::size_t i = begin; i < begin + count; ++i) {
    if (!in_range(text, i, 0x80, 0xBF)) return false;
  }
  return true;
}

/// The length of the well-formed sequence that begins at `i` with a byte of 0x80 or more; 0 if there is none.
/// The ranges of the second byte exclude overlong forms, surrogates and code points above U+10FFFF (The
/// Unicode Standard, table 3-7).
inline std::size_t multibyte_length(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead >= 0xC2 && lead <= 0xDF) return continues(text, i + 1, 1) ? 2 : 0;
  if ((lead & 0xF0) == 0xE0) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return in_range(text, i + 1, low, high) && continues(text, i + 2, 1) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return in_range(text, i + 1, low, high) && continues(text, i + 2, 2) ? 4 : 0;
  }
  return 0;
}

inline bool eight_ascii_bytes(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return (word & 0x8080808080808080U) == 0;
}

}  // namespace detail

/// The place of the first byte sequence that is not UTF-8; `text.size()` if there is none. One pass.
inline std::size_t first_error(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size() && detail::eight_ascii_bytes(text.data() + i)) {
      i += 8;
    } else if (detail::byte_at(text, i) < 0x80) {
      ++i;
    } else {
      const std::size_t length = detail::multibyte_length(text, i);
      if (length == 0) return i;
      i += length;
    }
  }
  return text.size();
}

/// The code point at `i`; moves `i` past it. `text` must be UTF-8, and a code point must begin at `i`.
inline std::int32_t next_code_point(std::string_view text, std::size_t& i) {
  const unsigned lead = detail::byte_at(text, i++);
  if (lead < 0x80) return static_cast<std::int32_t>(lead);
  const int n_more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  unsigned code = lead & (0x3FU >> n_more);
  for (int k = 0; k < n_more; ++k) code = (code << 6) | (detail::byte_at(text, i++) & 0x3FU);
  return static_cast<std::int32_t>(code);
}

/// The bytes of a code point that is not a surrogate.
inline std::string encode(std::int32_t code_point) {
  const auto code = static_cast<unsigned>(code_point);
  if (code < 0x80) return {static_cast<char>(code)};
  std::string bytes;
  const int n_more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const unsigned mark = (0xFF00U >> (n_more + 1)) & 0xFFU;
  bytes.push_back(static_cast<char>(mark | (code >> (6 * n_more))));
  for (int k = n_more - 1; k >= 0; --k)
    bytes.push_back(static_cast<char>(0x80U | ((code >> (6 * k)) & 0x3FU)));
  return bytes;
}

}  // namespace hankelmatch::utf8
