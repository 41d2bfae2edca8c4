// What a stepper says about one of its rows.
#pragma once

#include "test_models.h"

namespace bough {

/// All logits of a row, the <end> head's behind them.
inline std::vector<float> logits_of(const Stepper& stepper, int64_t row) {
  std::vector<float> all(static_cast<size_t>(stepper.rows() * kSmallVocabulary));
  stepper.all_scores(all);
  auto begin = all.begin() + row * kSmallVocabulary;
  std::vector<float> logits(begin, begin + kSmallVocabulary);
  logits.push_back(stepper.end_logits()[static_cast<size_t>(row)]);
  return logits;
}

}  // namespace bough
