#include "bough/model/action_distribution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/model/kernels/top_k.h"

namespace bough {

ActionDistribution::ActionDistribution(std::span<float> logits, const float* end_logit,
                                       std::span<const WordId> listed)
    : logits_(logits), listed_(listed) {
  if (end_logit != nullptr) end_logit_ = *end_logit;
}

ActionDistribution::ActionDistribution(std::span<float> logits, const Stepper& stepper, int64_t row,
                                       std::span<const WordId> listed)
    : ActionDistribution(logits, stepper.end_logit(row), listed) {
  sides_ = stepper.shape() == Shape::kArity ? &stepper : nullptr;
  row_ = row;
}

SideScores ActionDistribution::side_logprobs(WordId word) const {
  SideScores scores = sides_->side_logits(row_, word);
  for (Sides open : kAllSides) {
    float& score = scores[index_of(open)];
    score = static_cast<float>(score / side_temperature_ + closed_bias_ * (2 - count_of(open)));
  }
  float total = log_sum_exp(scores);
  for (float& score : scores) score -= total;
  return scores;
}

int64_t ActionDistribution::place_of(WordId action) const {
  if (listed_.empty()) return action;
  auto found = std::ranges::lower_bound(listed_, action);
  return found != listed_.end() && *found == action ? found - listed_.begin() : -1;
}

void ActionDistribution::adjust_end(double temperature, double bias) {
  if (has_sides()) {
    side_temperature_ = temperature;
    closed_bias_ = bias;
    return;
  }
  if (end_logit_) {
    *end_logit_ = *end_logit_ / temperature + bias;
  } else {
    logits_[kEnd] += static_cast<float>(bias);
  }
}

void ActionDistribution::forbid_all_but(std::span<const WordId> words) {
  float end = logits_[kEnd];
  std::vector<float> kept;
  for (WordId word : words) kept.push_back(logit(word));
  std::fill(logits_.begin(), logits_.end(), kForbidden);
  for (size_t i = 0; i < words.size(); ++i) {
    int64_t place = place_of(words[i]);
    if (place >= 0) logits_[static_cast<size_t>(place)] = kept[i];
  }
  logits_[kEnd] = end;
}

void ActionDistribution::forbid_end() {
  may_end_ = false;
  logits_[kEnd] = kForbidden;
}

double ActionDistribution::end_probability() const {
  if (!may_end_) return 0.0;
  if (end_logit_) return 1.0 / (1.0 + std::exp(-*end_logit_));
  return std::exp(static_cast<double>(logits_[kEnd]) - log_sum_exp(logits_));
}

std::span<float> ActionDistribution::joint() {
  if (!joined_ && end_logit_ && may_end_) {
    logits_[kEnd] = kForbidden;
    float words = log_sum_exp(logits_);
    // log p/(1−p) against the words' sum; without words there is <end> alone.
    logits_[kEnd] = std::isinf(words) ? 0.0F : words + static_cast<float>(*end_logit_);
  }
  joined_ = true;
  return logits_;
}

const Distribution& ActionDistribution::totals() {
  if (!totals_) totals_ = distribution_of(joint());
  return *totals_;
}

double ActionDistribution::log_sum() {
  return totals().log_sum;
}

double ActionDistribution::logprob(WordId word) {
  double total = log_sum();  // joint() comes before the logit is read
  return static_cast<double>(logit(word)) - total;
}

double ActionDistribution::logprob(Action action) {
  double word = logprob(action.word);
  if (!has_sides() || action.word == kEnd) return word;
  return word + static_cast<double>(side_logprobs(action.word)[index_of(action.open)]);
}

double ActionDistribution::entropy() {
  return totals().entropy;
}

StepScore ActionDistribution::score(Action action, int64_t alternatives) {
  StepScore score{.logprob = logprob(action), .entropy = entropy()};
  if (alternatives <= 0) return score;
  auto size = static_cast<int64_t>(logits_.size());
  for (int64_t other : largest_k(logits_, std::min(alternatives, size))) {
    WordId word = action_at(other);
    score.alternatives.push_back({word, logprob(word)});
  }
  std::ranges::stable_sort(score.alternatives, std::greater{}, &Alternative::logprob);
  return score;
}

}  // namespace bough
