#include "bough/metrics/ter_tokenizer.h"

#include "bough/base/utf8.h"

namespace bough {

namespace {

// The rules for punctuation are about ASCII alone, so they work on the bytes of UTF-8: no byte of
// another character looks like ASCII.

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_period_or_comma(char byte) {
  return byte == '.' || byte == ',';
}

/// Marks that are words wherever they stand: all of ASCII's but ' , - and the period.
bool is_free_mark(char byte) {
  return (byte >= '!' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' ||
         (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

void set_off_free_marks(std::string& text) {
  std::string result;
  for (char byte : text) {
    if (is_free_mark(byte)) {
      result.append({' ', byte, ' '});
    } else {
      result += byte;
    }
  }
  text = std::move(result);
}

/// Writes `replace(first, second)` for two neighbours of which `matches(first, second)`. Both are
/// then done with: the second isn't looked at again as the first of the next two, which decides
/// what becomes of runs like `..,`.
template <typename Matches, typename Replace>
void rewrite_neighbours(std::string& text, Matches matches, Replace replace) {
  std::string result;
  size_t at = 0;
  for (; at + 1 < text.size(); ++at) {
    if (matches(text[at], text[at + 1])) {
      result.append(replace(text[at], text[at + 1]));
      ++at;
    } else {
      result += text[at];
    }
  }
  if (at < text.size()) result += text[at];
  text = std::move(result);
}

/// Periods and commas stay in a word only between digits, dashes only where no digit precedes.
void set_off_marks_by_digits(std::string& text) {
  auto second_set_off = [](char first, char second) {
    return std::string{first, ' ', second, ' '};
  };
  auto first_set_off = [](char first, char second) { return std::string{' ', first, ' ', second}; };
  rewrite_neighbours(
      text, [](char first, char second) { return !is_digit(first) && is_period_or_comma(second); },
      second_set_off);
  rewrite_neighbours(
      text, [](char first, char second) { return is_period_or_comma(first) && !is_digit(second); },
      first_set_off);
  rewrite_neighbours(
      text, [](char first, char second) { return is_digit(first) && second == '-'; },
      second_set_off);
}

/// The order matters: `&amp;lt;` becomes `<`, but `&amp;quot;` becomes `&quot;`.
void set_off_punctuation(std::string& text) {
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  text = " " + text + " ";
  set_off_free_marks(text);
  replace_all(text, "'s ", " 's ");
  set_off_marks_by_digits(text);
}

bool is_asian_mark(char32_t c) {
  return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) ||
         (c >= 0x3014 && c <= 0x301f) || c == 0x30fb || (c >= 0xff61 && c <= 0xff65) ||
         // full-width ! " ( ) , . : ; ?
         c == 0xff01 || c == 0xff02 || c == 0xff08 || c == 0xff09 || c == 0xff0c || c == 0xff0e ||
         c == 0xff1a || c == 0xff1b || c == 0xff1f;
}

/// Characters that are words by themselves. Hiragana and katakana aren't among them: the reference
/// has rules for them, but those can't apply to a line that begins with a space.
bool is_asian_word(char32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||  // ideographs
         (c >= 0x31c0 && c <= 0x31ef) || (c >= 0x2e80 && c <= 0x2eff) ||  // strokes, radicals
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe4f) ||  // compatibility
         (c >= 0x3200 && c <= 0x33ff) ||                                  // enclosed, units
         is_asian_mark(c);
}

void set_off_asian_words(std::string& text) {
  std::string result;
  for (char32_t code_point : code_points(text)) {
    bool alone = is_asian_word(code_point);
    if (alone) result += ' ';
    append_code_point(result, code_point);
    if (alone) result += ' ';
  }
  text = std::move(result);
}

void remove_punctuation(std::string& text) {
  static constexpr std::string_view kMarks = ".,?:;!\"()";
  std::erase_if(text, [](char byte) { return kMarks.find(byte) != std::string_view::npos; });
}

void remove_asian_punctuation(std::string& text) {
  std::string result;
  for (char32_t code_point : code_points(text)) {
    if (!is_asian_mark(code_point)) append_code_point(result, code_point);
  }
  text = std::move(result);
}

/// The line without white space at its end: a possessive is known by the plain space behind it.
std::string_view without_trailing_space(std::string_view line) {
  auto words = split_at_white_space(line);
  if (words.empty()) return {};
  return {line.data(),
          static_cast<size_t>(words.back().data() + words.back().size() - line.data())};
}

}  // namespace

std::string ter_text(std::string_view line, const TerOptions& options) {
  std::string text = options.case_sensitive ? std::string(line) : lower_case(line);
  if (options.normalized) {
    text = std::string(without_trailing_space(text));
    set_off_punctuation(text);
    if (options.asian_support) set_off_asian_words(text);
  }
  if (options.no_punct) {
    remove_punctuation(text);
    if (options.asian_support) remove_asian_punctuation(text);
  }
  return text;
}

}  // namespace bough
