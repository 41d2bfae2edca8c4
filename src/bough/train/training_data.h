// The corpora of a training run, read once and held as numbers.
#pragma once

#include "bough/data/corpus.h"
#include "bough/data/dataset.h"
#include "bough/model/model.h"
#include "bough/text/vocabulary.h"
#include "bough/train/train_options.h"

namespace bough {

struct TrainingData {
  Dataset train;
  Dataset valid;
  Dataset train_source;  // translation: line by line what `train` is translated from
  Dataset valid_source;
  std::vector<std::string> valid_lines;  // translation: the text of `valid`
  CorpusReport train_report;
  CorpusReport valid_report;
  int64_t unknown_words = 0;  // words of the training data outside the vocabulary
  int64_t too_long = 0;       // sentences or pairs left out by --max-words

  /// Names the training data: a run can only be resumed on the same.
  std::string fingerprint() const;
  std::string valid_fingerprint() const;
};

/// Reads both corpora. Vocabularies and byte-pair codes are made from the training data and put
/// into the model, or are those that it has (`begun`, when resuming).
TrainingData read_training_data(const TrainOptions& options, Model& model, bool begun);

}  // namespace bough
