// How good a model is at its task, judged at each validation by what it writes.
//
// A language model: BLEU-4 of sampled sentences, against the validation sentences (are they like
// real text?) and against each other (does the model repeat itself?). Putting words in order: BLEU,
// F1 and exact match of greedily decoded validation sentences; translating: BLEU and chrF of such
// ones. BLEU says which model is the best.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bough/base/shard.h"
#include "bough/model/model.h"
#include "bough/train/training_data.h"

namespace bough {

struct Quality {
  std::vector<std::pair<std::string, double>> numbers;  // by name
  std::optional<double> goal;  // the higher the better; none: the validation loss says it
  std::string_view goal_name = "BLEU";
};

using WrittenSentences = std::vector<std::vector<WordId>>;

class Judge {
 public:
  virtual ~Judge() = default;
  /// The sentences to judge a model by, or a part of them. `between_steps` is called often; it ends
  /// the writing by throwing.
  virtual WrittenSentences write(const Policy& policy, uint64_t seed, Shard part,
                                 const std::function<void()>& between_steps) const = 0;
  virtual Quality judge(const WrittenSentences& all) const = 0;
};

/// By `count` samples, or the first `count` of the validation sentences. Both must outlive it.
std::unique_ptr<Judge> make_judge(TaskKind task, const TrainingData& data, const Language& text,
                                  int64_t count);

}  // namespace bough
