#include "bough/text/vocabulary.h"

#include <algorithm>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

void Vocabulary::add(std::string word) {
  if (size() >= kSpecials) numbers_.add(word);
  words_.push_back(std::move(word));
}

Vocabulary Vocabulary::build(const WordCounts& counts, const VocabularyOptions& options) {
  std::vector<std::pair<std::string_view, int64_t>> sorted;
  sorted.reserve(counts.size());
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) sorted.emplace_back(word, count);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (options.max_vocab > 0 && sorted.size() > static_cast<size_t>(options.max_vocab)) {
    sorted.resize(static_cast<size_t>(options.max_vocab));
  }
  Vocabulary vocabulary;
  for (std::string_view name : kSpecialNames) vocabulary.add(std::string(name));
  for (const auto& [word, count] : sorted) vocabulary.add(std::string(word));
  return vocabulary;
}

Vocabulary Vocabulary::load(const fs::path& path) {
  Vocabulary vocabulary;
  LineReader reader(path.string());
  std::string line;
  while (reader.next(line)) {
    auto index = static_cast<size_t>(reader.line_number() - 1);
    if (index < std::size(kSpecialNames) && line != kSpecialNames[index]) {
      throw DataError("{}, line {}: '{}' where '{}' should stand: not a vocabulary of bough",
                      reader.name(), index + 1, for_message(line), kSpecialNames[index]);
    }
    if (line.empty() || find_bad_utf8(line) != std::string::npos) {
      throw DataError("{}, line {}: not a word in UTF-8", reader.name(), index + 1);
    }
    if (vocabulary.numbers_.find(line) != WordNumbers::kUnknown) {
      throw DataError("{}, line {}: the word '{}' stands there twice", reader.name(), index + 1,
                      for_message(line));
    }
    vocabulary.add(line);
  }
  if (vocabulary.size() < kSpecials) {
    throw DataError("{} is no vocabulary: it has {} lines", reader.name(), vocabulary.size());
  }
  return vocabulary;
}

void Vocabulary::save(const fs::path& path) const {
  std::string text;
  for (const std::string& word : words_) text += word + "\n";
  write_file(path, text);
}

WordId Vocabulary::id(std::string_view word) const {
  uint32_t number = numbers_.find(word);
  return number == WordNumbers::kUnknown ? kUnknown : kSpecials + static_cast<WordId>(number);
}

std::vector<WordId> Vocabulary::ids(std::span<const std::string> words) const {
  std::vector<WordId> result;
  result.reserve(words.size());
  for (const std::string& text : words) result.push_back(id(text));
  return result;
}

std::vector<std::string> Vocabulary::words(std::span<const WordId> ids) const {
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (WordId id : ids) result.push_back(word(id));
  return result;
}

}  // namespace bough
