#include "bough/text/bpe_splitter.h"

#include <algorithm>
#include <utility>

namespace bough {

namespace {

constexpr size_t kMostKnownWords = 1U << 20;

}  // namespace

const std::vector<std::string>& BpeSplitter::pieces_of(std::string_view word) {
  auto found = known_.find(word);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMostKnownWords) known_.clear();
  return known_.emplace(word, bpe_.split_word(word)).first->second;
}

std::vector<std::string> BpeSplitter::split(std::span<const std::string> words) {
  std::vector<std::string> pieces;
  for (const std::string& word : words) {
    const auto& of_word = pieces_of(word);
    pieces.insert(pieces.end(), of_word.begin(), of_word.end());
  }
  return pieces;
}

std::string BpeSplitter::split_line(std::string_view line) {
  std::string_view text = without_blanks_around(line);
  size_t begin = text.empty() ? 0 : static_cast<size_t>(text.data() - line.data());
  std::string result(line.substr(0, begin));
  for (bool is_first = true; !text.empty();) {
    size_t end = std::min(text.find(' '), text.size());
    for (const std::string& piece : pieces_of(text.substr(0, end))) {
      if (!std::exchange(is_first, false)) result += ' ';
      result += piece;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result += line.substr(line.find_last_not_of("\r\n ") + 1);
}

std::vector<std::string> join_bpe(std::span<const std::string> pieces) {
  std::vector<std::string> words;
  bool is_open = false;  // the last word goes on
  for (std::string_view piece : pieces) {
    if (!is_open) words.emplace_back();
    is_open = goes_on(piece);
    if (is_open) piece.remove_suffix(kBpeSeparator.size());
    words.back() += piece;
  }
  return words;
}

std::string join_bpe_line(std::string_view line) {
  const std::string inside = std::string(kBpeSeparator) + ' ';
  std::string text;
  for (size_t at; (at = line.find(inside)) != std::string_view::npos;) {
    text += line.substr(0, at);
    line.remove_prefix(at + inside.size());
  }
  if (goes_on(line)) line.remove_suffix(kBpeSeparator.size());
  return text += line;
}

}  // namespace bough
