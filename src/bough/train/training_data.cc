#include "bough/train/training_data.h"

#include <algorithm>
#include <array>

#include "bough/base/error.h"
#include "bough/model/policy.h"
#include "bough/text/bpe_learn.h"

namespace bough {

namespace {

/// Training sentences of one language. Words are numbered in the order they are met, and counted,
/// so that the corpus is read once and never held as text; cutting into pieces is done once a word.
class NumberedCorpus {
 public:
  void add(const std::vector<std::string>& words) {
    std::vector<WordId> numbers;
    for (const std::string& word : words) numbers.push_back(number(word));
    sentences_.add(numbers);
  }

  const Dataset& sentences() const { return sentences_; }

  /// Adds up how often each word is there.
  void count(WordCounts& counts) const {
    for (uint32_t i = 0; i < words_.size(); ++i) counts[std::string(words_.word(i))] += counts_[i];
  }

  /// Adds up how often each of the tokenizer's pieces is there.
  void count_pieces(const Tokenizer& tokenizer, WordCounts& counts) const {
    for (uint32_t i = 0; i < words_.size(); ++i) {
      for (std::string& piece : tokenizer.pieces_of(std::string(words_.word(i)))) {
        counts[std::move(piece)] += counts_[i];
      }
    }
  }

  /// The sentences as ids of the vocabulary.
  Dataset translate(const Language& text, int64_t& unknown) const {
    std::vector<std::vector<WordId>> ids;  // by number
    for (uint32_t i = 0; i < words_.size(); ++i) {
      ids.push_back(text.vocabulary.ids(text.tokenizer.pieces_of(std::string(words_.word(i)))));
    }
    Dataset data;
    std::vector<WordId> sentence;
    for (int64_t i = 0; i < sentences_.size(); ++i) {
      sentence.clear();
      for (WordId number : sentences_.sentence(i)) {
        const std::vector<WordId>& pieces = ids[static_cast<size_t>(number)];
        sentence.insert(sentence.end(), pieces.begin(), pieces.end());
      }
      unknown += std::count(sentence.begin(), sentence.end(), kUnknown);
      data.add(sentence);
    }
    return data;
  }

 private:
  WordId number(std::string_view word) {
    uint32_t number = words_.add(word);
    if (number == counts_.size()) counts_.push_back(0);
    ++counts_[number];
    return static_cast<WordId>(number);
  }

  WordNumbers words_;
  std::vector<int64_t> counts_;
  Dataset sentences_;
};

void check_not_empty(const Dataset& data, const std::string& path) {
  if (data.size() == 0) throw DataError("'{}' has no sentences", path);
}

/// Merges and vocabulary of one language, or of several together.
Language learn_text(std::span<const NumberedCorpus* const> corpora, const TrainOptions& options) {
  Language text{.tokenizer = Tokenizer(options.tokenizer), .vocabulary = {}};
  if (options.bpe_merges > 0) {
    WordCounts words;
    for (const NumberedCorpus* corpus : corpora) corpus->count(words);
    text.tokenizer = Tokenizer(options.tokenizer, learn_bpe(words, {.merges = options.bpe_merges}));
  }
  WordCounts pieces;
  for (const NumberedCorpus* corpus : corpora) corpus->count_pieces(text.tokenizer, pieces);
  text.vocabulary = Vocabulary::build(pieces, options.vocabulary);
  if (text.vocabulary.size() == kSpecials) {
    throw UsageError("--min-count {} leaves no word of '{}' in the vocabulary: lower it",
                     options.vocabulary.min_count, options.train);
  }
  return text;
}

void learn_texts(const NumberedCorpus& source, const NumberedCorpus& target,
                 const TrainOptions& options, Model& model) {
  model.shares_text = options.source_sharing == SourceSharing::kShared;
  if (!traits_of(options.task).needs_source_file()) {
    model.text = learn_text(std::array{&target}, options);
  } else if (model.shares_text) {
    model.text = learn_text(std::array{&source, &target}, options);
    model.source = model.text;
  } else {
    model.text = learn_text(std::array{&target}, options);
    model.source = learn_text(std::array{&source}, options);
  }
}

/// Calls `take` with the words of each sentence and of what it is translated from, if anything.
CorpusReport read_examples(
    const std::string& path, const std::string& source_path, const TrainOptions& options,
    const Language& text, const Language& source,
    const std::function<void(std::vector<std::string>&&, std::vector<std::string>&&)>& take) {
  if (!traits_of(options.task).needs_source_file()) {
    return read_corpus(path, text.tokenizer, options.corpus,
                       [&](std::vector<std::string>&& words) { take({}, std::move(words)); });
  }
  bool one_file = source_path.empty();
  int64_t column = options.corpus.column;
  if (one_file && column == options.source_column) column = options.source_column == 1 ? 2 : 1;
  return read_parallel({.path = one_file ? path : source_path,
                        .tokenizer = source.tokenizer,
                        .column = options.source_column},
                       {.path = path, .tokenizer = text.tokenizer, .column = column},
                       options.corpus, take);
}

std::string fingerprint_of(const Dataset& data, const Dataset& source) {
  uint32_t sum = 0;
  for (const Dataset* part : {&data, &source}) {
    for (int64_t i = 0; i < part->size(); ++i) {
      std::span<const WordId> sentence = part->sentence(i);
      sum = checksum({reinterpret_cast<const char*>(sentence.data()), sentence.size_bytes()}, sum);
    }
  }
  return fmt::format("{} sentences, {} words, crc32 {:08x}", data.size(), data.word_count(), sum);
}

}  // namespace

std::string TrainingData::fingerprint() const {
  return fingerprint_of(train, train_source);
}

std::string TrainingData::valid_fingerprint() const {
  return fingerprint_of(valid, valid_source);
}

TrainingData read_training_data(const TrainOptions& options, Model& model, bool begun) {
  TrainingData data;
  NumberedCorpus source;
  NumberedCorpus target;
  Language whole_words{.tokenizer = Tokenizer(options.tokenizer), .vocabulary = {}};
  bool has_source = traits_of(options.task).needs_source_file();
  auto most = options.max_words > 0 ? static_cast<size_t>(options.max_words) : SIZE_MAX;
  data.train_report =
      read_examples(options.train, options.source_train, options, whole_words, whole_words,
                    [&](std::vector<std::string>&& from, std::vector<std::string>&& to) {
                      if (std::max(from.size(), to.size()) > most) {
                        ++data.too_long;
                        return;
                      }
                      target.add(std::move(to));
                      if (has_source) source.add(std::move(from));
                    });
  check_not_empty(target.sentences(), options.train);
  if (!begun) learn_texts(source, target, options, model);
  data.train = target.translate(model.text, data.unknown_words);
  int64_t unknown_in_sources = 0;
  if (model.source) data.train_source = source.translate(*model.source, unknown_in_sources);
  if (!options.valid.empty()) {
    data.valid_report =
        read_examples(options.valid, options.source_valid, options, model.text, model.source_text(),
                      [&](std::vector<std::string>&& from, std::vector<std::string>&& to) {
                        if (options.valid_limit > 0 && data.valid.size() >= options.valid_limit) {
                          return;
                        }
                        data.valid.add(model.text.vocabulary.ids(to));
                        if (model.source) {
                          data.valid_source.add(model.source->vocabulary.ids(from));
                          data.valid_lines.push_back(model.text.tokenizer.join(to));
                        }
                      });
    check_not_empty(data.valid, options.valid);
  }
  return data;
}

}  // namespace bough
