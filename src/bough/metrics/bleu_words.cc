#include "bough/metrics/bleu_words.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "bough/base/utf8.h"

namespace bough {

namespace {

using CodePoints = std::u32string;

// The rules of all tokenizers are of three kinds. Those about pairs go from left to right, and a
// character that was part of a match is not looked at again: `a,,b` becomes `a , ,b`.

/// ` x ` for every x that is a mark.
template <typename IsMark>
CodePoints surround(const CodePoints& text, IsMark is_mark) {
  CodePoints result;
  result.reserve(2 * text.size());
  for (char32_t letter : text) {
    if (is_mark(letter)) {
      result += {U' ', letter, U' '};
    } else {
      result += letter;
    }
  }
  return result;
}

/// What the pairs of neighbours that match become; all else stays.
template <typename IsFirst, typename IsSecond, typename Write>
CodePoints replace_pairs(const CodePoints& text, IsFirst is_first, IsSecond is_second,
                         Write write) {
  CodePoints result;
  result.reserve(2 * text.size());
  size_t at = 0;
  while (at < text.size()) {
    if (at + 1 < text.size() && is_first(text[at]) && is_second(text[at + 1])) {
      write(result, text[at], text[at + 1]);
      at += 2;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// `xy` becomes `x y `.
template <typename IsFirst, typename IsSecond>
CodePoints split_before(const CodePoints& text, IsFirst is_first, IsSecond is_second) {
  return replace_pairs(text, is_first, is_second, [](CodePoints& out, char32_t x, char32_t y) {
    out += {x, U' ', y, U' '};
  });
}

/// `xy` becomes ` x y`.
template <typename IsFirst, typename IsSecond>
CodePoints split_behind(const CodePoints& text, IsFirst is_first, IsSecond is_second) {
  return replace_pairs(text, is_first, is_second, [](CodePoints& out, char32_t x, char32_t y) {
    out += {U' ', x, U' ', y};
  });
}

void replace_all(CodePoints& text, std::u32string_view from, std::u32string_view to) {
  for (size_t at = text.find(from); at != CodePoints::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// ASCII's marks but for `'`, `,`, `-` and `.`.
bool is_western_mark(char32_t letter) {
  return (letter >= U' ' && letter <= U'&') || (letter >= U'(' && letter <= U'+') ||
         letter == U'/' || (letter >= U':' && letter <= U'@') ||
         (letter >= U'[' && letter <= U'`') || (letter >= U'{' && letter <= U'~');
}

bool is_digit(char32_t letter) {
  return letter >= U'0' && letter <= U'9';
}

bool is_no_digit(char32_t letter) {
  return !is_digit(letter);
}

bool is_stop_or_comma(char32_t letter) {
  return letter == U'.' || letter == U',';
}

CodePoints western_rules(const CodePoints& line) {
  CodePoints text = surround(line, is_western_mark);
  text = split_before(text, is_no_digit, is_stop_or_comma);
  text = split_behind(text, is_stop_or_comma, is_no_digit);
  return split_before(text, is_digit, [](char32_t letter) { return letter == U'-'; });
}

CodePoints tokenize_13a(CodePoints text) {
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  return western_rules(U' ' + text + U' ');
}

/// The reference's table. Its entries for the supplementary planes are written with escapes of four
/// digits too few and so cover U+2001 to U+2A6D and U+2F81 to U+2FA1 instead; scores are only
/// comparable if ours do too.
bool is_chinese(char32_t letter) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 18> kRanges{{
      {0x2001, 0x2a6d},
      {0x2e80, 0x2eff},
      {0x2f00, 0x2fdf},
      {0x2ff0, 0x2fff},
      {0x3000, 0x303f},
      {0x3100, 0x312f},
      {0x31a0, 0x31bf},
      {0x31c0, 0x31ef},
      {0x3200, 0x32ff},
      {0x3300, 0x33ff},
      {0x3400, 0x4db5},
      {0x4e00, 0x9fbb},
      {0xf900, 0xfa2d},
      {0xfa30, 0xfa6a},
      {0xfa70, 0xfad9},
      {0xfe10, 0xfe1f},
      {0xfe30, 0xfe4f},
      {0xff00, 0xffef},
  }};
  return std::any_of(kRanges.begin(), kRanges.end(), [letter](const auto& range) {
    return range.first <= letter && letter <= range.second;
  });
}

CodePoints tokenize_zh(const CodePoints& text) {
  auto begin = std::find_if_not(text.begin(), text.end(), is_white_space);
  return western_rules(surround(CodePoints(begin, text.end()), is_chinese));
}

CodePoints tokenize_intl(const CodePoints& line) {
  auto in = [](uint32_t classes) {
    return [classes](char32_t letter) { return (U_GET_GC_MASK(letter) & classes) != 0; };
  };
  auto is_no_number = [](char32_t letter) { return (U_GET_GC_MASK(letter) & U_GC_N_MASK) == 0; };
  CodePoints text = split_before(line, is_no_number, in(U_GC_P_MASK));
  text = split_behind(text, in(U_GC_P_MASK), is_no_number);
  return surround(text, in(U_GC_S_MASK));
}

}  // namespace

std::string separate_words(std::string_view line, BleuTokenizer tokenizer) {
  // White space at the end would split a stop from a number, and for Chinese also at the front.
  CodePoints text = code_points(line);
  while (!text.empty() && is_white_space(text.back())) text.pop_back();
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      text = tokenize_13a(std::move(text));
      break;
    case BleuTokenizer::kIntl:
      text = tokenize_intl(text);
      break;
    case BleuTokenizer::kZh:
      text = tokenize_zh(text);
      break;
    case BleuTokenizer::kChar:
      text = surround(text, [](char32_t) { return true; });
      break;
    case BleuTokenizer::kNone:
      return std::string(line);
  }
  std::string result;
  result.reserve(2 * line.size());
  for (char32_t letter : text) append_code_point(result, letter);
  return result;
}

}  // namespace bough
