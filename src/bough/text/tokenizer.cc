#include "bough/text/tokenizer.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <array>

#include "bough/base/utf8.h"
#include "bough/text/european_tokenizer.h"
#include "bough/text/grapheme.h"

namespace bough {

namespace {

bool is_mark(UChar32 code_point) {
  return (U_GET_GC_MASK(code_point) & (U_GC_P_MASK | U_GC_S_MASK)) != 0;
}

/// The only code point of a word, or -1.
UChar32 single_code_point(std::string_view word) {
  int32_t at = 0;
  UChar32 code_point;
  U8_NEXT(word.data(), at, static_cast<int32_t>(word.size()), code_point);
  return at == static_cast<int32_t>(word.size()) ? code_point : -1;
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_letters(std::string_view word) {
  int32_t at = 0;
  UChar32 code_point = -1;
  U8_NEXT(word.data(), at, static_cast<int32_t>(word.size()), code_point);
  return code_point >= 0 && u_isalpha(code_point);
}

/// What stands behind an apostrophe inside an English word.
bool is_contraction(std::string_view word) {
  static constexpr std::array<std::string_view, 14> kEndings = {
      "s", "t", "re", "ve", "ll", "d", "m", "S", "T", "RE", "VE", "LL", "D", "M"};
  for (std::string_view ending : kEndings) {
    if (word == ending) return true;
  }
  return false;
}

/// Whether words[i], a mark, ties its two neighbours together: `don't`, `3.5`, `10:30`.
bool ties_neighbours(std::span<const std::string> words, size_t i) {
  if (i == 0 || i + 1 >= words.size()) return false;
  const std::string& mark = words[i];
  if (mark == "'" || mark == "’") return is_letters(words[i - 1]) && is_contraction(words[i + 1]);
  if (mark == "." || mark == "," || mark == ":") {
    return all_digits(words[i - 1]) && all_digits(words[i + 1]);
  }
  return mark == "-" || mark == "/";
}

bool hugs_left(UChar32 mark) {  // no space before it
  int type = u_charType(mark);
  return type == U_END_PUNCTUATION || type == U_FINAL_PUNCTUATION || mark == '%' ||
         (type == U_OTHER_PUNCTUATION && mark != '&' && mark != '@' && mark != '#' && mark != '*' &&
          mark != '"' && mark != '\'' && mark != 0x00BF && mark != 0x00A1);
}

bool hugs_right(UChar32 mark) {  // no space behind it
  int type = u_charType(mark);
  return type == U_START_PUNCTUATION || type == U_INITIAL_PUNCTUATION || mark == '#' ||
         mark == '@' || mark == '$' || mark == 0x00A3 || mark == 0x00BF || mark == 0x00A1;
}

/// Whether a reader would take the end of one and the beginning of the other for one character.
bool run_together(const std::string& before, const std::string& word) {
  if (U8_IS_SINGLE(word[0])) return false;
  std::string both = before + word;
  size_t at = 0;
  while (at < before.size()) at = grapheme_end(both, at);
  return at != before.size();
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerOptions& options, BpeCodes codes)
    : options_(options),
      codes_(std::make_shared<BpeCodes>(std::move(codes))),
      bpe_(std::make_shared<Bpe>(*codes_)) {}

std::vector<std::string> Tokenizer::split(std::string_view line) const {
  std::string lowered;
  if (options_.lowercase) line = lowered = lower_case(line);
  std::vector<std::string> words = is_european() ? split_european(line) : split_at_marks(line);
  if (!bpe_) return words;
  std::vector<std::string> pieces;
  for (const std::string& word : words) {
    for (std::string& piece : pieces_of(word)) pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::vector<WordId> Tokenizer::unfinished_pieces(const Vocabulary& vocabulary) const {
  std::vector<WordId> pieces;
  if (!codes_) return pieces;
  for (auto id = kSpecials; id < vocabulary.size(); ++id) {
    if (vocabulary.word(id).ends_with(kBpeSeparator)) pieces.push_back(id);
  }
  return pieces;
}

std::string Tokenizer::join(std::span<const std::string> words) const {
  std::vector<std::string> whole;
  if (bpe_) words = whole = join_bpe(words);
  return is_european() ? join_european(words) : join_words(words);
}

std::string Tokenizer::join_for_people(std::span<const std::string> words) const {
  if (is_european()) return join(words);
  return bpe_ ? detokenize(join_bpe(words)) : detokenize(words);
}

std::vector<std::string> Tokenizer::split_at_marks(std::string_view line) const {
  std::vector<std::string> words;
  std::string word;
  auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  auto length = static_cast<int32_t>(line.size());
  for (int32_t at = 0; at < length;) {
    int32_t start = at;
    UChar32 code_point;
    U8_NEXT_OR_FFFD(line.data(), at, length, code_point);
    if (options_.pretokenized) {
      if (code_point == ' ' || (code_point >= '\t' && code_point <= '\r')) {
        finish();
      } else {
        word += line.substr(start, at - start);
      }
      continue;
    }
    if (u_isUWhiteSpace(code_point) || u_charType(code_point) == U_CONTROL_CHAR) {
      finish();
      continue;
    }
    at = static_cast<int32_t>(grapheme_end(line, start));
    std::string_view character = line.substr(start, at - start);
    if (is_mark(code_point) || is_keycap(character)) {
      finish();
      words.emplace_back(character);
    } else {
      word += character;
    }
  }
  finish();
  return words;
}

std::string join_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

std::string detokenize(std::span<const std::string> words) {
  std::string text;
  bool glue = true;  // the next word follows without a space
  bool inside_double = false;
  bool inside_single = false;
  for (size_t i = 0; i < words.size(); ++i) {
    UChar32 mark = single_code_point(words[i]);
    bool is_punctuation = mark >= 0 && is_mark(mark);
    bool space_before = !glue;
    glue = false;
    if (is_punctuation && ties_neighbours(words, i)) {
      space_before = false;
      glue = true;
    } else if (mark == '"' || mark == '\'') {
      bool& inside = mark == '"' ? inside_double : inside_single;
      space_before = space_before && !inside;
      glue = !inside;
      inside = !inside;
    } else if (is_punctuation) {
      space_before = space_before && !hugs_left(mark);
      glue = hugs_right(mark);
    }
    if (!space_before && i > 0 && run_together(words[i - 1], words[i])) space_before = true;
    if (space_before) text += ' ';
    text += words[i];
  }
  return text;
}

}  // namespace bough
