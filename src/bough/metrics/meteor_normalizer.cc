#include "bough/metrics/meteor_normalizer.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "bough/base/utf8.h"

namespace bough {

namespace {

/// A dot of a run of dots, which no rule may touch; no character of Unicode has this number.
constexpr char32_t kDotOfRun = 0x110000;

/// Abbreviations whose dot belongs to the word, whatever follows; so does that of a single capital
/// letter. Sorted.
constexpr std::u32string_view kAbbreviations[] = {
    U"Adj",  U"Adm",  U"Adv",   U"Asst", U"Bart",   U"Bldg", U"Brig", U"Bros", U"Capt",
    U"Cmdr", U"Col",  U"Comdr", U"Con",  U"Corp",   U"Cpl",  U"DR",   U"Dr",   U"Drs",
    U"Ens",  U"Gen",  U"Gov",   U"Hon",  U"Hosp",   U"Hr",   U"Insp", U"Lt",   U"MM",
    U"MR",   U"MRS",  U"MS",    U"Maj",  U"Messrs", U"Mlle", U"Mme",  U"Mr",   U"Mrs",
    U"Ms",   U"Msgr", U"Nos",   U"Nr",   U"Op",     U"Ord",  U"Pfc",  U"Ph",   U"Prof",
    U"Pvt",  U"Rep",  U"Reps",  U"Res",  U"Rev",    U"Rt",   U"Sen",  U"Sens", U"Sfc",
    U"Sgt",  U"Sr",   U"St",    U"Supt", U"Surg",   U"rev",  U"v",    U"vs"};

/// Abbreviations only before a number.
constexpr std::u32string_view kAbbreviationsOfNumbers[] = {U"Art", U"No", U"pp"};

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  if (c <= 0x017E) return c >= 0x00C0 && c != 0x00D7 && c != 0x00F7;
  return (c >= 0x0400 && c <= 0x0527) || (c >= 0x1D00 && c <= 0x1D7F) ||
         (c >= 0xA640 && c <= 0xA66E) || (c >= 0xA67E && c <= 0xA697);
}

bool is_letter_or_digit(char32_t c) {
  return is_letter(c) || is_digit(c);
}

/// What separates words for METEOR. A vertical tab doesn't.
bool is_separator(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/// Characters for which later rules care.
bool has_own_rule(char32_t c) {
  return is_separator(c) || c == '\v' || c == '.' || c == ',' || c == '-' || c == '\'' ||
         c == '`' || c == U'‘' || c == U'’';
}

/// Sets off all characters but letters, digits and those with rules of their own.
std::u32string separate_marks(std::u32string_view line) {
  std::u32string result = U" ";
  for (char32_t c : line) {
    bool alone = !is_letter_or_digit(c) && !has_own_rule(c);
    if (alone) result += ' ';
    result += c;
    if (alone) result += ' ';
  }
  return result += ' ';
}

/// Sets off runs of dots and hides them from the rules about dots.
std::u32string hide_runs_of_dots(std::u32string_view line) {
  std::u32string result;
  for (size_t at = 0; at < line.size();) {
    size_t end = std::min(line.find_first_not_of(U'.', at), line.size());
    if (end - at < 2) {
      result += line[at++];
      continue;
    }
    result += ' ';
    result.append(end - at, kDotOfRun);
    result += ' ';
    at = end;
  }
  return result;
}

/// Writes `replacement` for `mark` wherever the characters before and behind it are as asked for;
/// from left to right, and a character belongs to one such place only.
template <typename Before, typename Behind>
void replace_between(std::u32string& line, Before before, char32_t mark, Behind behind,
                     std::u32string_view replacement) {
  if (line.find(mark) == std::u32string::npos) return;
  std::u32string result;
  size_t at = 0;
  while (at + 2 < line.size()) {
    if (line[at + 1] == mark && before(line[at]) && behind(line[at + 2])) {
      result += line[at];
      result += replacement;
      result += line[at + 2];
      at += 3;
    } else {
      result += line[at++];
    }
  }
  result.append(line, at);
  line = std::move(result);
}

void replace_all(std::u32string& line, std::u32string_view what, std::u32string_view replacement) {
  for (size_t at = line.find(what); at != std::u32string::npos; at = line.find(what, at)) {
    line.replace(at, what.size(), replacement);
    at += replacement.size();
  }
}

void separate_commas(std::u32string& line) {
  auto other = [](char32_t c) { return !is_digit(c); };
  replace_between(line, other, ',', other, U" , ");
  replace_between(line, is_digit, ',', other, U" , ");
  replace_between(line, other, ',', is_digit, U" , ");
}

void simplify_quotes_and_dashes(std::u32string& line) {
  for (char32_t& c : line) {
    if (c == '`' || c == U'‘' || c == U'’') c = '\'';
    if (c == U'“' || c == U'”') c = '"';
    if (c == U'–') c = '-';
  }
  replace_all(line, U"''", U" \" ");
  replace_all(line, U"--", U"-");
}

/// `well-known` and `U.S.-based` become two words.
void remove_dashes_in_words(std::u32string& line) {
  auto before = [](char32_t c) { return is_letter_or_digit(c) || c == '.'; };
  replace_between(line, before, '-', is_letter_or_digit, U" ");
}

void separate_apostrophes(std::u32string& line) {
  auto no_letter = [](char32_t c) { return !is_letter(c); };
  auto neither = [](char32_t c) { return !is_letter_or_digit(c); };
  auto is_s = [](char32_t c) { return c == 's'; };
  replace_between(line, no_letter, '\'', no_letter, U" ' ");
  replace_between(line, neither, '\'', is_letter, U" ' ");
  replace_between(line, is_letter, '\'', no_letter, U" ' ");
  replace_between(line, is_letter, '\'', is_letter, U" '");
  replace_between(line, is_digit, '\'', is_s, U" '");  // `1990's`
}

std::vector<std::u32string_view> split(std::u32string_view line) {
  std::vector<std::u32string_view> words;
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() && !is_separator(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Whether the dot behind `stem` belongs to it; `next` is the next word, or empty.
bool keeps_dot(std::u32string_view stem, std::u32string_view next) {
  bool is_initial = stem.size() == 1 && stem[0] >= 'A' && stem[0] <= 'Z';
  if (is_initial || std::ranges::binary_search(kAbbreviations, stem)) return true;
  if (next.empty()) return false;
  // Abbreviations that aren't listed show themselves by a lower-case word behind them.
  if (next[0] >= 'a' && next[0] <= 'z') return true;
  return is_digit(next[0]) && std::ranges::binary_search(kAbbreviationsOfNumbers, stem);
}

/// Appends a word with its last dot set off, kept, or dropped with all others (`U.S.` → `US`).
void append_word(std::u32string& line, std::u32string_view word, std::u32string_view next) {
  if (word.size() < 2 || word.back() != '.') {
    line += word;
    return;
  }
  std::u32string_view stem = word.substr(0, word.size() - 1);
  if (stem.find('.') != stem.npos && std::ranges::any_of(stem, is_letter)) {
    std::ranges::copy_if(stem, std::back_inserter(line), [](char32_t c) { return c != '.'; });
  } else if (keeps_dot(stem, next)) {
    line += word;
  } else {
    line += stem;
    line += U" .";
  }
}

std::u32string separate_dots(std::u32string_view line) {
  auto words = split(line);
  std::u32string result;
  for (size_t i = 0; i < words.size(); ++i) {
    append_word(result, words[i], i + 1 < words.size() ? words[i + 1] : std::u32string_view());
    result += ' ';
  }
  return result;
}

bool is_space(char32_t c) {
  return c == ' ' || (c >= 0x80 && u_charType(static_cast<UChar32>(c)) == U_SPACE_SEPARATOR);
}

std::string normalize(std::string_view text, bool keep_punctuation) {
  std::u32string line = hide_runs_of_dots(separate_marks(code_points(text)));
  separate_commas(line);
  simplify_quotes_and_dashes(line);
  remove_dashes_in_words(line);
  separate_apostrophes(line);
  std::string result;
  for (char32_t c : separate_dots(line)) {
    if (c == kDotOfRun) c = '.';
    if (is_space(c) || (!keep_punctuation && !is_letter_or_digit(c))) c = ' ';
    append_code_point(result, c);
  }
  return result;
}

}  // namespace

std::vector<std::string> meteor_words(std::string_view line, MeteorNormalization normalization) {
  std::string text(line);
  if (normalization == MeteorNormalization::kFull) text = normalize(line, true);
  if (normalization == MeteorNormalization::kNoPunctuation) text = normalize(line, false);
  if (normalization != MeteorNormalization::kNone) text = lower_case(text);
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find_first_of(" \t\n\r\f", at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace bough
