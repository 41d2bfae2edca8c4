#include "bough/analysis/conllu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr size_t kColumns = 10;
constexpr size_t kId = 0;
constexpr size_t kForm = 1;
constexpr size_t kTag = 3;
constexpr size_t kHead = 6;
constexpr std::string_view kNothing = "_";

using Columns = std::array<std::string_view, kColumns>;

/// A whole number, not negative; nothing for any other text.
std::optional<int> number_of(std::string_view text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// Two numbers with `mark` between them.
std::optional<std::pair<int, int>> numbers_of(std::string_view text, char mark) {
  size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  auto first = number_of(text.substr(0, at));
  auto second = number_of(text.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::pair(*first, *second);
}

/// How far each word is from the root; -1 for those that never come to it. Each word is walked over
/// twice at most: once on the way up, once to note the depth.
std::vector<int> depths_of(const std::vector<ConlluWord>& words) {
  constexpr int kUnknown = -2;
  constexpr int kUnderWay = -1;
  std::vector<int> depths(words.size(), kUnknown);
  std::vector<size_t> path;
  for (size_t start = 0; start < words.size(); ++start) {
    path.clear();
    size_t at = start;
    int above = -1;  // the depth of what the path ends at; -1: the place above the root
    bool comes_to_root = true;
    while (true) {
      if (depths[at] != kUnknown) {
        above = depths[at];
        comes_to_root = above >= 0;
        break;
      }
      depths[at] = kUnderWay;
      path.push_back(at);
      if (words[at].head == 0) break;
      at = static_cast<size_t>(words[at].head) - 1;
    }
    if (!comes_to_root) continue;
    for (size_t i = path.size(); i-- > 0;) depths[path[i]] = ++above;
  }
  return depths;
}

/// The lines of one sentence, checked one by one and, at the end, as a tree.
class SentenceBuilder {
 public:
  SentenceBuilder(ConlluSentence& sentence, const LineReader& reader)
      : sentence_(sentence), reader_(reader) {
    sentence_ = {};
  }

  bool empty() const { return first_line_ == 0; }

  void add(std::string_view line) {
    if (empty()) first_line_ = reader_.line_number();
    if (find_bad_utf8(line) != std::string_view::npos) {
      fail("the line is not valid UTF-8. Convert the file to UTF-8");
    }
    Columns columns = split(line);
    std::string_view id = columns[kId];
    if (auto number = number_of(id)) {
      add_word(*number, columns);
    } else if (auto range = numbers_of(id, '-')) {
      add_token(*range, columns[kForm]);
    } else if (auto place = numbers_of(id, '.')) {
      check_empty_node(*place, id);
    } else {
      fail("ID '{}' is no number, no range (3-4) and no empty node (8.1)", for_message(id));
    }
  }

  /// The sentence is whole.
  void finish() {
    auto count = static_cast<int>(sentence_.words.size());
    if (count == 0) fail_sentence("it has no words");
    if (token_end_ > count) {
      fail_sentence("the multi-word token '{}' ends at word {}, but the last word is {}",
                    for_message(sentence_.tokens.back().form), token_end_, count);
    }
    if (heads_ == 0) return;
    if (heads_ < count) {
      fail_sentence("HEAD is '_' for some words and a number for others. Give all or none");
    }
    check_tree(count);
    sentence_.has_tree = true;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw DataError("{}, line {}: {}", reader_.name(), reader_.line_number(),
                    fmt::format(format, std::forward<Args>(args)...));
  }

  template <typename... Args>
  [[noreturn]] void fail_sentence(fmt::format_string<Args...> format, Args&&... args) const {
    throw DataError("{}, the sentence at line {}: {}", reader_.name(), first_line_,
                    fmt::format(format, std::forward<Args>(args)...));
  }

  Columns split(std::string_view line) const {
    Columns columns;
    size_t count = 0;
    for (size_t begin = 0; begin <= line.size(); ++count) {
      size_t end = std::min(line.find('\t', begin), line.size());
      if (count < kColumns) columns[count] = line.substr(begin, end - begin);
      begin = end + 1;
    }
    if (count != kColumns) {
      fail("{} columns, but CoNLL-U has {} with a tab between them", count, kColumns);
    }
    for (size_t i = 0; i < kColumns; ++i) {
      if (columns[i].empty()) fail("column {} is empty; write _ where there is nothing", i + 1);
    }
    return columns;
  }

  void add_word(int number, const Columns& columns) {
    int expected = static_cast<int>(sentence_.words.size()) + 1;
    if (number != expected) fail("ID is {}, but {} comes next", number, expected);
    ConlluWord word{.form = std::string(columns[kForm]), .tag = tag_of(columns[kTag]), .head = 0};
    if (columns[kHead] != kNothing) {
      auto head = number_of(columns[kHead]);
      if (!head) fail("HEAD '{}' is no number from 0 on, nor _", for_message(columns[kHead]));
      if (*head == number) fail("HEAD is the word itself ({})", number);
      word.head = *head;
      ++heads_;
    }
    sentence_.words.push_back(std::move(word));
    lines_.push_back(reader_.line_number());
    empty_nodes_ = 0;
  }

  std::optional<UniversalTag> tag_of(std::string_view name) const {
    if (name == kNothing) return std::nullopt;
    if (name == "SPACE") return UniversalTag::kOther;  // spaCy's own, for white space
    auto tag = universal_tag(name);
    if (!tag) {
      std::vector<std::string_view> names;
      for (const auto& entry : EnumNames<UniversalTag>::kNames) names.push_back(entry.second);
      fail("UPOS '{}' is no universal tag, which are: {}, or _ for none", for_message(name),
           fmt::join(names, " "));
    }
    return tag;
  }

  void add_token(std::pair<int, int> range, std::string_view form) {
    int next = static_cast<int>(sentence_.words.size()) + 1;
    if (range.first != next || range.second < range.first) {
      fail("ID {}-{}: the words of a multi-word token follow its line, so it begins with {}",
           range.first, range.second, next);
    }
    if (next <= token_end_)
      fail("ID {}-{} is part of a range before it", range.first, range.second);
    token_end_ = range.second;
    sentence_.tokens.push_back({.first = static_cast<size_t>(range.first) - 1,
                                .last = static_cast<size_t>(range.second) - 1,
                                .form = std::string(form)});
  }

  void check_empty_node(std::pair<int, int> place, std::string_view id) {
    auto last = static_cast<int>(sentence_.words.size());
    ++empty_nodes_;
    if (place.first != last || place.second != empty_nodes_) {
      fail("ID {} is out of order; the empty node after word {} is {}.{}", id, last, last,
           empty_nodes_);
    }
  }

  void check_tree(int count) const {
    int root = 0;
    for (int i = 0; i < count; ++i) {
      int head = sentence_.words[static_cast<size_t>(i)].head;
      if (head > count) {
        fail_word(i, fmt::format("HEAD is {}, but the sentence has {} words", head, count));
      }
      if (head != 0) continue;
      if (root != 0) fail_word(i, fmt::format("a second root (HEAD 0); word {} is one", root));
      root = i + 1;
    }
    if (root == 0) fail_sentence("no word is the root: one has to have HEAD 0");
    std::vector<int> depths = depths_of(sentence_.words);
    for (int i = 0; i < count; ++i) {
      if (depths[static_cast<size_t>(i)] < 0) {
        fail_word(i, "the HEADs go round in a circle and never come to the root");
      }
    }
  }

  [[noreturn]] void fail_word(int word, const std::string& what) const {
    throw DataError("{}, line {}: {}", reader_.name(), lines_[static_cast<size_t>(word)], what);
  }

  ConlluSentence& sentence_;
  const LineReader& reader_;
  int64_t first_line_ = 0;
  std::vector<int64_t> lines_;  // of the words
  int heads_ = 0;               // words that have one
  int token_end_ = 0;           // the last word of the last multi-word token
  int empty_nodes_ = 0;         // since the last word
};

}  // namespace

std::vector<std::string> ConlluSentence::forms() const {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const ConlluWord& word : words) result.push_back(word.form);
  return result;
}

bool ConlluReader::next(ConlluSentence& sentence) {
  SentenceBuilder builder(sentence, reader_);
  while (reader_.next(line_)) {
    if (line_.starts_with('#')) continue;
    if (line_.find_first_not_of(" \t") != std::string::npos) {
      builder.add(line_);
    } else if (!builder.empty()) {
      break;
    }
  }
  if (builder.empty()) return false;
  builder.finish();
  return true;
}

std::vector<ConlluSentence> read_conllu(const std::string& path) {
  ConlluReader reader(path);
  std::vector<ConlluSentence> sentences;
  for (ConlluSentence sentence; reader.next(sentence);) sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<int> dependency_depths(const ConlluSentence& sentence) {
  return sentence.has_tree ? depths_of(sentence.words) : std::vector<int>();
}

}  // namespace bough
