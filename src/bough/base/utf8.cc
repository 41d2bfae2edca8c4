#include "bough/base/utf8.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace bough {

size_t find_bad_utf8(std::string_view text) {
  const char* bytes = text.data();
  auto length = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < length;) {
    int32_t start = at;
    UChar32 code_point;
    U8_NEXT(bytes, at, length, code_point);
    if (code_point < 0) return static_cast<size_t>(start);
  }
  return std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, {text.data(), static_cast<int32_t>(text.size())}, sink, nullptr,
                            status);
  return U_SUCCESS(status) ? result : std::string(text);
}

std::u32string code_points(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  auto length = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < length;) {
    UChar32 code_point;
    U8_NEXT_OR_FFFD(text.data(), at, length, code_point);
    result += static_cast<char32_t>(code_point);
  }
  return result;
}

void append_code_point(std::string& text, char32_t code_point) {
  char bytes[U8_MAX_LENGTH];
  int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, code_point);
  text.append(bytes, static_cast<size_t>(length));
}

bool is_white_space(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point == ' ' || (code_point >= '\t' && code_point <= '\r') ||
           (code_point >= 0x1c && code_point <= 0x1f);
  }
  return u_isUWhiteSpace(static_cast<UChar32>(code_point));
}

std::vector<std::string_view> split_at_white_space(std::string_view text) {
  std::vector<std::string_view> words;
  auto length = static_cast<int32_t>(text.size());
  int32_t begin = -1;  // of the word under way
  for (int32_t at = 0; at < length;) {
    int32_t start = at;
    UChar32 code_point;
    U8_NEXT_OR_FFFD(text.data(), at, length, code_point);
    bool space = is_white_space(static_cast<char32_t>(code_point));
    if (space && begin >= 0) words.push_back(text.substr(begin, start - begin));
    if (space) begin = -1;
    if (!space && begin < 0) begin = start;
  }
  if (begin >= 0) words.push_back(text.substr(begin));
  return words;
}

int display_width(std::string_view text) {
  int width = 0;
  auto length = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < length;) {
    UChar32 code_point;
    U8_NEXT_OR_FFFD(text.data(), at, length, code_point);
    int category = u_charType(code_point);
    if (category == U_NON_SPACING_MARK || category == U_ENCLOSING_MARK ||
        category == U_FORMAT_CHAR) {
      continue;
    }
    int east_asian = u_getIntPropertyValue(code_point, UCHAR_EAST_ASIAN_WIDTH);
    width += east_asian == U_EA_WIDE || east_asian == U_EA_FULLWIDTH ? 2 : 1;
  }
  return width;
}

std::string for_message(std::string_view text, size_t limit) {
  std::string shown;
  auto length = static_cast<int32_t>(text.size());
  int32_t at = 0;
  while (at < length && shown.size() < limit) {
    int32_t start = at;
    UChar32 code_point;
    U8_NEXT(text.data(), at, length, code_point);
    if (code_point < 0 || u_iscntrl(code_point)) {
      for (; start < at; ++start) {
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[start]));
      }
    } else {
      shown += text.substr(start, at - start);
    }
  }
  if (at < length) shown += "…";
  return shown;
}

}  // namespace bough
