// The corpora of a training run, read once and held as numbers.
#pragma once

#include "bough/data/corpus.h"
#include "bough/data/dataset.h"
#include "bough/text/vocabulary.h"
#include "bough/train/train_options.h"

namespace bough {

struct TrainingData {
  Vocabulary vocabulary;
  Dataset train;
  Dataset valid;
  CorpusReport train_report;
  CorpusReport valid_report;
  int64_t unknown_words = 0;  // words of the training data outside the vocabulary

  /// Names the training data: a run can only be resumed on the same.
  std::string fingerprint() const;
};

/// Reads both corpora. The vocabulary is built from the training data, or is `given` (resuming).
TrainingData read_training_data(const TrainOptions& options, const Vocabulary* given);

}  // namespace bough
