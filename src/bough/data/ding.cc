#include "bough/data/ding.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kEndMarks = ".!?";
constexpr std::string_view kMarks = ".,:!?";
constexpr std::string_view kRemedy =
    "Install Debian's package trans-de-en, or name Ding's dictionary with --file";

/// Words of the dictionary's language that stand for other words.
constexpr std::array<std::string_view, 12> kStandIns = {
    "jd", "jdm", "jdn", "jds", "jdr", "jmd", "jmdm", "jmdn", "jmds", "etw", "sb", "sth"};

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == kNowhere) return pieces;
    text.remove_prefix(at + separator.size());
  }
}

/// The words between single spaces.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::string_view word : split_at(line, " ")) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

/// The text outside brackets; nothing where one has no partner.
std::optional<std::string> without_brackets(std::string_view text) {
  std::string kept;
  std::string expected;  // the closing brackets that have to come, innermost last
  for (char character : text) {
    size_t opening = std::string_view("([{<").find(character);
    if (opening != kNowhere) {
      expected += ")]}>"[opening];
    } else if (std::string_view(")]}>").find(character) != kNowhere) {
      if (expected.empty() || expected.back() != character) return std::nullopt;
      expected.pop_back();
    } else if (expected.empty()) {
      kept += character;
    }
  }
  if (!expected.empty()) return std::nullopt;
  return kept;
}

bool is_abbreviation(std::string_view word) {
  return word.size() > 2 && word.front() == '/' && word.back() == '/';
}

/// An alternative as a line of text: without abbreviations, and with marks that lost the word
/// before them to a bracket drawn to the word that is left.
std::string tidy(std::string_view alternative) {
  std::vector<std::string> kept;
  for (std::string& word : words_of(one_line(alternative))) {
    if (is_abbreviation(word)) continue;
    bool only_marks = word.find_first_not_of(kMarks) == std::string::npos;
    if (only_marks && !kept.empty()) {
      kept.back() += word;
    } else {
      kept.push_back(std::move(word));
    }
  }
  return join_words(kept);
}

/// The alternatives of a part; none where its brackets don't fit together.
std::vector<std::string> alternatives_of(std::string_view part) {
  std::vector<std::string> alternatives;
  auto text = without_brackets(part);
  if (!text) return alternatives;
  for (std::string_view alternative : split_at(*text, ";")) {
    alternatives.push_back(tidy(alternative));
  }
  return alternatives;
}

UChar32 first_character(std::string_view text) {
  int32_t at = 0;
  UChar32 code_point = -1;
  auto length = static_cast<int32_t>(text.size());
  if (length > 0) U8_NEXT(text.data(), at, length, code_point);
  return code_point;
}

bool starts_upper(std::string_view text) {
  return u_isUUppercase(first_character(text)) != 0;
}

bool has_control_character(std::string_view text) {
  auto length = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < length;) {
    UChar32 code_point;
    U8_NEXT_OR_FFFD(text.data(), at, length, code_point);
    if (u_iscntrl(code_point)) return true;
  }
  return false;
}

/// Whether a text is as people write it: rule 5.
bool is_plain(std::string_view text) {
  if (text.find("…") != kNowhere || text.find("...") != kNowhere) return false;
  if (text.find_first_of("+=~*_^\\|") != kNowhere) return false;
  for (const std::string& word : Tokenizer({.lowercase = true}).split(text)) {
    if (std::find(kStandIns.begin(), kStandIns.end(), word) != kStandIns.end()) return false;
  }
  return true;
}

/// The marks at the end of a word.
std::string_view marks_behind(std::string_view word) {
  return word.substr(word.find_last_not_of(kMarks) + 1);
}

/// Whether `second` can replace `first` word for word. A short word behind a long one, or one of
/// another case, rather starts an alternative of several words: `the farmer/the sofa`.
bool are_exchangeable(std::string_view first, std::string_view second, bool starts_sentence) {
  constexpr int kShort = 4;
  if (first.empty() || second.empty() || first.ends_with('-') || second.starts_with('-')) {
    return false;
  }
  if (first.find('-') == kNowhere && second.find('-') != kNowhere) return false;
  if (!marks_behind(first).empty()) return false;
  if (!marks_behind(second).empty()) return true;  // nothing follows that could belong to it
  if (!starts_sentence && starts_upper(first) != starts_upper(second)) return false;
  if (display_width(second) == 1) return false;
  return display_width(first) <= kShort || display_width(second) > kShort;
}

/// Whether the slash belongs to the word: `24/7`, `km/h`.
bool is_notation(const std::vector<std::string_view>& options) {
  std::string_view last = options.back();
  if (options[0].size() <= 2 && last.size() - marks_behind(last).size() == 1) return true;
  return std::all_of(options.begin(), options.end(), [](std::string_view option) {
    return !option.empty() && std::isdigit(static_cast<unsigned char>(option[0])) != 0;
  });
}

/// The first of the words in `may/might`, with the marks behind the last.
std::optional<std::string> first_option(std::string_view word, bool starts_sentence) {
  auto options = split_at(word, "/");
  if (is_notation(options)) return std::string(word);
  for (size_t i = 1; i < options.size(); ++i) {
    if (!are_exchangeable(options[0], options[i], starts_sentence)) return std::nullopt;
  }
  return std::string(options[0]) + std::string(marks_behind(options.back()));
}

/// Whether words before a slash come again behind it, as they do in alternatives of several words:
/// `to go with it/to accompany it`.
bool words_come_again(const std::vector<std::string>& kept, std::string_view word,
                      std::string_view next) {
  constexpr size_t kNear = 3;
  auto options = split_at(word, "/");
  std::vector<std::string_view> before(
      kept.end() - static_cast<int64_t>(std::min(kNear, kept.size())), kept.end());
  before.push_back(options[0]);
  options[0] = next;
  return std::any_of(options.begin(), options.end(), [&](std::string_view behind) {
    behind.remove_suffix(marks_behind(behind).size());
    return std::find(before.begin(), before.end(), behind) != before.end();
  });
}

/// The text without what stands behind slashes; nothing where that can't be told: rule 3.
std::optional<std::string> without_slashes(std::string_view text) {
  if (text.find('/') == kNowhere) return std::string(text);
  std::vector<std::string> words = words_of(text);
  std::vector<std::string> kept;
  bool was_slashed = false;  // two in a row: `released/set free/freed`
  for (size_t i = 0; i < words.size(); ++i) {
    bool is_slashed = words[i].find('/') != std::string::npos;
    if (!is_slashed) {
      kept.push_back(words[i]);
    } else if (words[i] == "/") {
      // Only one last word before a mark is certain to be all of the alternative.
      if (kept.empty() || i + 1 == words.size()) return std::nullopt;
      const std::string& next = words[++i];
      std::string_view marks = marks_behind(next);
      if (marks.empty() || next.find('/') != std::string::npos) return std::nullopt;
      if (!are_exchangeable(kept.back(), next, false)) return std::nullopt;
      kept.back() += marks;
    } else {
      auto option = first_option(words[i], kept.empty());
      if (!option || was_slashed) return std::nullopt;
      std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
      if (words_come_again(kept, words[i], next)) return std::nullopt;
      kept.push_back(std::move(*option));
    }
    was_slashed = is_slashed;
  }
  return join_words(kept);
}

/// The first alternative that is a sentence, or nothing: rule 2.
std::string first_sentence(const std::vector<std::string>& alternatives) {
  for (const std::string& alternative : alternatives) {
    auto text = without_slashes(alternative);
    if (text && starts_upper(*text) && kEndMarks.find(text->back()) != kNowhere &&
        is_plain(*text)) {
      return *text;
    }
  }
  return "";
}

size_t word_count(std::string_view line) {
  return line.empty() ? 0 : 1 + static_cast<size_t>(std::count(line.begin(), line.end(), ' '));
}

/// Rule 4.
bool is_phrase(std::string_view text) {
  UChar32 first = first_character(text);
  return word_count(text) >= 2 && text.find('/') == kNowhere && u_isalnum(first) != 0 &&
         std::string_view("-,:").find(text.back()) == kNowhere && is_plain(text);
}

std::optional<GermanEnglish> pair_of(std::string_view german, std::string_view english,
                                     bool phrases) {
  auto german_alternatives = alternatives_of(german);
  auto english_alternatives = alternatives_of(english);
  if (german_alternatives.empty() || english_alternatives.empty()) return std::nullopt;
  GermanEnglish pair{first_sentence(german_alternatives), first_sentence(english_alternatives)};
  if (!pair.german.empty() && !pair.english.empty()) {
    bool is_long = word_count(pair.german) >= 2 || word_count(pair.english) >= 2;
    return is_long ? std::optional(pair) : std::nullopt;
  }
  pair = {german_alternatives[0], english_alternatives[0]};
  if (!phrases || !is_phrase(pair.german) || !is_phrase(pair.english)) return std::nullopt;
  return pair;
}

}  // namespace

std::vector<GermanEnglish> ding_line_pairs(std::string_view line, bool phrases) {
  auto sides = split_at(line, " :: ");
  if (sides.size() != 2) {
    throw DataError("expected 'German :: English', but found '{}'", for_message(line));
  }
  std::vector<GermanEnglish> pairs;
  auto german = split_at(sides[0], "|");
  auto english = split_at(sides[1], "|");
  if (german.size() != english.size() || has_control_character(line)) return pairs;
  for (size_t i = 0; i < german.size(); ++i) {
    if (auto pair = pair_of(german[i], english[i], phrases)) pairs.push_back(std::move(*pair));
  }
  return pairs;
}

std::vector<GermanEnglish> ding_pairs(const DingOptions& options) {
  if (!fs::exists(options.file)) {
    throw DataError("there is no file '{}'. {}", options.file, kRemedy);
  }
  LineReader reader(options.file);
  std::vector<GermanEnglish> pairs;
  std::string line;
  while (reader.next(line)) {
    if (line.empty() || line.starts_with('#')) continue;
    size_t bad = find_bad_utf8(line);
    if (bad != kNowhere) {
      throw DataError("{}, line {}: not UTF-8 at byte {}. Convert the dictionary to UTF-8",
                      reader.name(), reader.line_number(), bad + 1);
    }
    try {
      for (auto& pair : ding_line_pairs(line, options.phrases)) pairs.push_back(std::move(pair));
    } catch (const DataError& error) {
      throw DataError("{}, line {}: {}. {}", reader.name(), reader.line_number(), error.what(),
                      kRemedy);
    }
  }
  return pairs;
}

SplitCounts write_ding(const DingOptions& options, const Tokenizer& tokenizer,
                       const fs::path& out) {
  SplitCorpus corpus(options.endings());
  const Tokenizer key_tokenizer({.lowercase = true});
  auto written = [&](const std::string& text) {
    if (options.tokenize) return join_words(tokenizer.split(text));
    return tokenizer.options().lowercase ? lower_case(text) : text;
  };
  for (const GermanEnglish& pair : ding_pairs(options)) {
    std::string key = join_words(key_tokenizer.split(pair.german));
    std::array<std::string, 2> row = {written(pair.german), written(pair.english)};
    corpus.add(split_of(key), row);
  }
  if (corpus.counts().total() == 0) {
    throw DataError("'{}' has no pairs of sentences. {}", options.file, kRemedy);
  }
  corpus.write(out);
  return corpus.counts();
}

}  // namespace bough
