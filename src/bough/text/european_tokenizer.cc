#include "bough/text/european_tokenizer.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

#include "bough/base/utf8.h"
#include "bough/text/grapheme.h"
#include "bough/text/vocabulary.h"

namespace bough {

namespace {

constexpr std::string_view kJoiner = "￭";
// In text, U+FFED is written as the first and U+FFEE as the second.
constexpr std::string_view kEscape = "￮";
constexpr std::string_view kEscapedJoiner = "￮j";
constexpr std::string_view kEscapedEscape = "￮e";

/// Abbreviations with a period at their end, German and English, that are no words without it. The
/// first letter may be a capital.
constexpr auto kAbbreviations = std::to_array<std::string_view>(
    {"abb",  "abs",  "abt",  "allg", "anm",   "approx", "apr",  "aufl", "aug",  "ave", "bd",
     "betr", "bldg", "blvd", "bsp",  "bspw",  "bzgl",   "bzw",  "ca",   "capt", "cf",  "co",
     "col",  "corp", "dec",  "dept", "dez",   "dipl",   "dr",   "ebd",  "engl", "esq", "etc",
     "evtl", "exkl", "feb",  "fr",   "geb",   "gen",    "gest", "ggf",  "gov",  "hon", "hr",
     "hrsg", "inc",  "ing",  "inkl", "insb",  "jh",     "jhd",  "jr",   "lt",   "ltd", "messrs",
     "mio",  "mlle", "mme",  "mr",   "mrd",   "mrs",    "ms",   "mt",   "nov",  "nr",  "oct",
     "okt",  "pp",   "pres", "prof", "rd",    "resp",   "rev",  "sen",  "sept", "sgt", "sog",
     "sr",   "st",   "str",  "tel",  "ungef", "usw",    "vgl",  "viz",  "vol",  "vs",  "zzgl"});

/// What is cut off before an apostrophe, and what behind one. In lower case.
constexpr auto kEndings = std::to_array<std::string_view>({"s", "t", "d", "m", "re", "ve", "ll"});
constexpr auto kElisions =
    std::to_array<std::string_view>({"l", "d", "j", "n", "s", "c", "m", "t", "qu", "jusqu"});

template <size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

enum class Kind { kLetter, kDigit, kMark, kOther };

/// What a reader takes for one (grapheme.h), with the combining marks and invisible characters
/// behind it.
struct Character {
  size_t begin, end;   // in the chunk's bytes
  UChar32 code_point;  // the first
  Kind kind;
};

Kind kind_of(UChar32 code_point) {
  uint32_t mask = U_GET_GC_MASK(code_point);
  if ((mask & U_GC_L_MASK) != 0) return Kind::kLetter;
  if ((mask & U_GC_ND_MASK) != 0) return Kind::kDigit;
  return (mask & (U_GC_P_MASK | U_GC_S_MASK)) != 0 ? Kind::kMark : Kind::kOther;
}

std::vector<Character> characters_of(std::string_view chunk) {
  std::vector<Character> characters;
  auto length = static_cast<int32_t>(chunk.size());
  for (int32_t at = 0; at < length;) {
    auto begin = static_cast<size_t>(at);
    UChar32 code_point;
    U8_NEXT_OR_FFFD(chunk.data(), at, length, code_point);
    size_t end = grapheme_end(chunk, begin);
    at = static_cast<int32_t>(end);
    bool is_attached = (U_GET_GC_MASK(code_point) & (U_GC_M_MASK | U_GC_CF_MASK)) != 0;
    if (is_attached && !characters.empty()) {
      characters.back().end = end;
    } else {
      bool keycap = is_keycap(chunk.substr(begin, end - begin));
      characters.push_back({begin, end, code_point, keycap ? Kind::kMark : kind_of(code_point)});
    }
  }
  return characters;
}

/// Cuts what stands between white space.
class Chunk {
 public:
  Chunk(std::string_view text, bool is_last)
      : text_(text), ends_line_(is_last), characters_(characters_of(text)) {}

  void add_tokens(std::vector<std::string>& tokens) {
    for (size_t at = 0; at < characters_.size(); at = pieces_.back().end) {
      if (is_word(at)) {
        pieces_.push_back({at, end_of_word(at), false});
      } else if (is_ending(at)) {
        pieces_.push_back({at, end_of_letters(at + 1), false});
      } else {
        pieces_.push_back({at, end_of_run(at), true});
      }
    }
    find_leading_marks();
    for (size_t i = 0; i < pieces_.size(); ++i) {
      bool joins_left = i > 0 && !carries_joiner(i - 1);
      bool joins_right = i + 1 < pieces_.size() && carries_joiner(i);
      tokens.push_back(token_of(pieces_[i], joins_left, joins_right));
    }
  }

 private:
  struct Piece {
    size_t begin, end;  // of its characters
    bool is_mark;
    bool leads = false;  // a mark that belongs to what follows it
  };

  UChar32 code_point(size_t at) const { return characters_[at].code_point; }
  bool is(size_t at, Kind kind) const {
    return at < characters_.size() && characters_[at].kind == kind;
  }
  bool is_word(size_t at) const { return at < characters_.size() && !is(at, Kind::kMark); }
  bool is_mark(size_t at, UChar32 mark) const {
    return at < characters_.size() && code_point(at) == mark;
  }
  bool is_apostrophe(size_t at) const { return is_mark(at, '\'') || is_mark(at, 0x2019); }
  bool is_hyphen(size_t at) const {
    return is_mark(at, '-') || is_mark(at, 0x2010) || is_mark(at, 0x2011);
  }

  std::string_view text_of(size_t begin, size_t end) const {
    size_t first = characters_[begin].begin;
    return text_.substr(first, characters_[end - 1].end - first);
  }

  /// How many letters stand right before a place.
  size_t letters_before(size_t at, size_t begin) const {
    size_t count = 0;
    while (at - count > begin && is(at - count - 1, Kind::kLetter)) ++count;
    return count;
  }

  size_t end_of_letters(size_t at) const {
    while (is(at, Kind::kLetter)) ++at;
    return at;
  }

  size_t end_of_run(size_t at) const {
    std::string_view mark = text_of(at, at + 1);
    while (at < characters_.size() && text_of(at, at + 1) == mark) ++at;
    return at;
  }

  /// Whether `'s` or its like stands here, behind a word.
  bool is_ending(size_t at) const {
    if (at == 0 || !is_apostrophe(at)) return false;
    size_t end = end_of_letters(at + 1);
    return end > at + 1 && !is_word(end) && is_one_of(kEndings, lower_case(text_of(at + 1, end)));
  }

  size_t end_of_word(size_t begin) const {
    for (size_t at = begin + 1;; ++at) {
      if (is_word(at)) continue;
      if (at == characters_.size()) return at;
      if (is_apostrophe(at) && is_word(at + 1)) {
        if (is_ending(at)) return at;
        if (is_elision(begin, at)) return at + 1;
        continue;
      }
      if (!stays_inside(begin, at)) return keeps_mark(begin, at) ? at + 1 : at;
    }
  }

  bool is_elision(size_t begin, size_t at) const {
    constexpr size_t kLongest = 5;  // looking no further keeps long words cheap
    return at - begin <= kLongest && is(at + 1, Kind::kLetter) &&
           is_one_of(kElisions, lower_case(text_of(begin, at)));
  }

  /// Whether a mark ties what stands before it to what follows.
  bool stays_inside(size_t begin, size_t at) const {
    if (is(at - 1, Kind::kDigit) && is(at + 1, Kind::kDigit)) {
      return is_mark(at, '.') || is_mark(at, ',') || is_mark(at, ':');
    }
    if (is_hyphen(at)) return is_word(at - 1) && is_word(at + 1);
    if (!is_mark(at, '.') || !is(at - 1, Kind::kLetter) || !is(at + 1, Kind::kLetter)) {
      return false;
    }
    // `end.Next` rather lacks a space.
    return letters_before(at, begin) <= 3 || !u_isupper(code_point(at + 1));
  }

  /// Whether the mark behind a word belongs to it.
  bool keeps_mark(size_t begin, size_t at) const {
    if (end_of_run(at) != at + 1 || is_word(at + 1)) return false;
    if (is_hyphen(at)) return is(at - 1, Kind::kLetter);
    return is_mark(at, '.') && is_abbreviation(begin, at);
  }

  bool is_abbreviation(size_t begin, size_t end) const {
    if (end == begin + 1) {
      return is(begin, Kind::kLetter) && code_point(begin) != 'I' && !ends_line(end + 1);
    }
    std::string word(text_of(begin, end));
    if (is_initials(begin, end)) return true;
    if (word[0] >= 'A' && word[0] <= 'Z') word[0] = static_cast<char>(word[0] - 'A' + 'a');
    return is_one_of(kAbbreviations, word);
  }

  /// One or two letters between periods: `z.B`, `U.S`, `Ph.D`.
  bool is_initials(size_t begin, size_t end) const {
    size_t periods = 0;
    for (size_t at = begin; at < end; ++at) {
      size_t letters = end_of_letters(at) - at;
      if (letters < 1 || letters > 2) return false;
      at += letters;
      if (at < end && !is_mark(at, '.')) return false;
      if (at < end) ++periods;
    }
    return periods > 0;
  }

  /// Whether no word follows in the line.
  bool ends_line(size_t at) const {
    while (is(at, Kind::kMark)) ++at;
    return ends_line_ && at == characters_.size();
  }

  /// Those before the chunk's first word, and opening ones right before a word.
  void find_leading_marks() {
    auto word = std::find_if(pieces_.begin(), pieces_.end(),
                             [](const Piece& piece) { return !piece.is_mark; });
    if (word == pieces_.end()) return;
    for (auto piece = pieces_.begin(); piece != word; ++piece) piece->leads = true;
    for (; word + 1 < pieces_.end(); ++word) {
      uint32_t mask = U_GET_GC_MASK(code_point(word->begin));
      bool opens = (mask & (U_GC_PS_MASK | U_GC_PI_MASK)) != 0;
      word->leads = word->is_mark && opens && !(word + 1)->is_mark;
    }
  }

  /// Whether a piece joins itself to the next one; otherwise the next one does it.
  bool carries_joiner(size_t i) const {
    const Piece& piece = pieces_[i];
    if (piece.is_mark) return piece.leads || !pieces_[i + 1].is_mark;
    return !pieces_[i + 1].is_mark && is_apostrophe(piece.end - 1);
  }

  std::string token_of(const Piece& piece, bool joins_left, bool joins_right) const {
    std::string token;
    if (joins_left) token += kJoiner;
    std::string_view text = text_of(piece.begin, piece.end);
    for (size_t at; (at = std::min(text.find(kJoiner), text.find(kEscape))) < text.size();) {
      token += text.substr(0, at);
      token += text.substr(at).starts_with(kJoiner) ? kEscapedJoiner : kEscapedEscape;
      text.remove_prefix(at + kJoiner.size());
    }
    token += text;
    if (joins_right) token += kJoiner;
    return token;
  }

  std::string_view text_;
  bool ends_line_;  // no other chunk follows
  std::vector<Character> characters_;
  std::vector<Piece> pieces_;
};

/// The text that a token stands for, without joiners.
void append_text(std::string& text, std::string_view token) {
  while (!token.empty()) {
    if (token.starts_with(kJoiner)) {
      token.remove_prefix(kJoiner.size());
    } else if (token.starts_with(kEscapedJoiner)) {
      text += kJoiner;
      token.remove_prefix(kEscapedJoiner.size());
    } else if (token.starts_with(kEscapedEscape)) {
      text += kEscape;
      token.remove_prefix(kEscapedEscape.size());
    } else {
      text += token.front();
      token.remove_prefix(1);
    }
  }
}

}  // namespace

std::vector<std::string> split_european(std::string_view line) {
  std::vector<std::string> tokens;
  auto chunks = split_at_white_space(line);
  for (size_t i = 0; i < chunks.size(); ++i) {
    Chunk(chunks[i], i + 1 == chunks.size()).add_tokens(tokens);
  }
  return tokens;
}

std::string join_european(std::span<const std::string> tokens) {
  std::string text;
  bool is_joined = true;  // what comes next follows without a space
  for (std::string_view token : tokens) {
    if (token.empty()) continue;
    if (!is_joined && !token.starts_with(kJoiner)) text += ' ';
    append_text(text, token);
    is_joined = token.ends_with(kJoiner);
  }
  return text;
}

std::string shown_token(std::string_view token) {
  std::string text;
  append_text(text, token);
  return text;
}

bool joins(std::string_view token, std::string_view next) {
  return token.ends_with(kJoiner) || next.starts_with(kJoiner);
}

std::string known_token(std::string token, const Vocabulary& vocabulary) {
  if (vocabulary.id(token) != kUnknown) return token;
  std::string closing = std::string(kJoiner) + token;
  return vocabulary.id(closing) == kUnknown ? token : closing;
}

}  // namespace bough
