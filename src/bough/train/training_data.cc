#include "bough/train/training_data.h"

#include "bough/base/error.h"

namespace bough {

namespace {

/// Numbers words in the order they are met, and counts them, so that the corpus is read once and
/// never held as text.
class WordTable {
 public:
  WordId number(std::string&& word) {
    auto [entry, fresh] =
        numbers_.try_emplace(std::move(word), static_cast<WordId>(counts_.size()));
    if (fresh) {
      counts_.push_back(0);
      words_.push_back(&entry->first);
    }
    ++counts_[static_cast<size_t>(entry->second)];
    return entry->second;
  }

  WordCounts counts() const {
    WordCounts result;
    for (size_t i = 0; i < words_.size(); ++i) result.emplace(*words_[i], counts_[i]);
    return result;
  }

  /// The vocabulary's id of each number.
  std::vector<WordId> translate(const Vocabulary& vocabulary) const {
    std::vector<WordId> ids;
    for (const std::string* word : words_) ids.push_back(vocabulary.id(*word));
    return ids;
  }

 private:
  std::unordered_map<std::string, WordId> numbers_;
  std::vector<const std::string*> words_;  // map nodes don't move
  std::vector<int64_t> counts_;
};

void check_not_empty(const Dataset& data, const std::string& path) {
  if (data.size() == 0) throw DataError("'{}' has no sentences", path);
}

}  // namespace

std::string TrainingData::fingerprint() const {
  uint32_t sum = 0;
  for (int64_t i = 0; i < train.size(); ++i) {
    std::span<const WordId> sentence = train.sentence(i);
    sum = checksum({reinterpret_cast<const char*>(sentence.data()), sentence.size_bytes()}, sum);
  }
  return fmt::format("{} sentences, {} words, crc32 {:08x}", train.size(), train.word_count(), sum);
}

TrainingData read_training_data(const TrainOptions& options, const Vocabulary* given) {
  TrainingData data;
  Tokenizer tokenizer(options.tokenizer);
  WordTable table;
  Dataset numbered;
  std::vector<WordId> ids;
  data.train_report =
      read_corpus(options.train, tokenizer, options.corpus, [&](std::vector<std::string>&& words) {
        ids.clear();
        for (std::string& word : words) {
          ids.push_back(table.number(std::move(word)));
        }
        numbered.add(ids);
      });
  check_not_empty(numbered, options.train);
  data.vocabulary =
      given != nullptr ? *given : Vocabulary::build(table.counts(), options.vocabulary);
  if (data.vocabulary.size() == kSpecials) {
    throw UsageError("--min-count {} leaves no word of '{}' in the vocabulary: lower it",
                     options.vocabulary.min_count, options.train);
  }
  std::vector<WordId> translation = table.translate(data.vocabulary);
  for (int64_t i = 0; i < numbered.size(); ++i) {
    ids.clear();
    for (WordId number : numbered.sentence(i)) {
      ids.push_back(translation[static_cast<size_t>(number)]);
      if (ids.back() == kUnknown) ++data.unknown_words;
    }
    data.train.add(ids);
  }
  if (!options.valid.empty()) {
    data.valid_report = read_corpus(
        options.valid, tokenizer, options.corpus, [&](std::vector<std::string>&& words) {
          if (options.valid_limit > 0 && data.valid.size() >= options.valid_limit) return;
          data.valid.add(data.vocabulary.ids(words));
        });
    check_not_empty(data.valid, options.valid);
  }
  return data;
}

}  // namespace bough
