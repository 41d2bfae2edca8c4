// What steppers have in common whose rows end in the policy's heads: what they say of actions.
#pragma once

#include "bough/model/policy.h"

namespace bough {

/// `Face` is what it is to its users: a Stepper or a Recorder.
template <typename Face>
class HeadedStepper : public Face {
 public:
  void scores(int64_t row, std::span<const WordId> actions,
              std::span<float> logits) const override {
    heads_.scores(row, actions, logits);
  }
  void all_scores(std::span<float> logits) const override { heads_.all_scores(logits); }
  void listed_scores(std::span<const std::span<const WordId>> lists,
                     std::span<float> logits) const override {
    heads_.listed_scores(lists, logits);
  }
  std::span<const float> end_logits() const override { return heads_.end_logits(); }
  Shape shape() const override { return heads_.shape(); }
  SideScores side_logits(int64_t row, WordId word) const override {
    return heads_.side_logits(row, word);
  }
  int64_t vocabulary() const override { return heads_.vocabulary(); }

 protected:
  HeadedStepper(const Policy& policy, Precision precision) : heads_(policy.heads(), precision) {}

  HeadRows heads_;
};

}  // namespace bough
