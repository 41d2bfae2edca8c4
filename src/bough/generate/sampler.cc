#include "bough/generate/sampler.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

/// Sets all but the k largest logits to −∞; of equal ones the first stay.
void keep_top_k(std::span<float> logits, int64_t k) {
  if (k <= 0 || static_cast<size_t>(k) >= logits.size()) return;
  std::vector<float> copy(logits.begin(), logits.end());
  std::nth_element(copy.begin(), copy.begin() + (k - 1), copy.end(), std::greater<>());
  float bound = copy[static_cast<size_t>(k - 1)];
  int64_t above = std::count_if(logits.begin(), logits.end(), [&](float x) { return x > bound; });
  int64_t equal = k - above;
  for (float& logit : logits) {
    if (logit > bound) continue;
    if (logit == bound && equal > 0) {
      --equal;
    } else {
      logit = -INFINITY;
    }
  }
}

/// Zeroes the weights outside the smallest set of best ones that holds `share` of the sum.
void keep_top_p(std::span<float> weights, double sum, double share) {
  if (share >= 1.0) return;
  std::vector<size_t> order;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0F) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
  });
  double held = 0.0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && held >= share * sum) weights[order[i]] = 0.0F;
    held += weights[order[i]];
  }
}

}  // namespace

WordId Sampler::choose(std::span<float> logits, const float* end_logit, Allowed allowed,
                       RandomStream& random) const {
  if (!allowed.word) return kEnd;
  bool by_threshold = options_.end_rule == EndRule::kThreshold ||
                      (options_.end_rule == EndRule::kAuto && end_logit != nullptr);
  double end_probability = 0.0;
  if (end_logit != nullptr) {
    end_probability = 1.0 / (1.0 + std::exp(-static_cast<double>(*end_logit)));
  } else if (by_threshold) {
    end_probability = std::exp(static_cast<double>(logits[kEnd]) - log_sum_exp(logits));
  }
  if (allowed.end && by_threshold && end_probability >= options_.end_threshold) return kEnd;

  for (WordId special : {kStart, kPad, kBagEnd}) logits[static_cast<size_t>(special)] = -INFINITY;
  if (!options_.allow_unknown) logits[kUnknown] = -INFINITY;
  if (!allowed.end || by_threshold) {
    logits[kEnd] = -INFINITY;
  } else if (end_logit != nullptr) {
    // The head's probability in place of the softmax's: log p/(1−p) against the words' sum.
    logits[kEnd] = -INFINITY;
    logits[kEnd] = log_sum_exp(logits) + *end_logit;
  }
  return pick(logits, random);
}

WordId Sampler::pick(std::span<float> logits, RandomStream& random) const {
  if (options_.decode == Decode::kGreedy) {
    return static_cast<WordId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  }
  if (options_.temperature != 1.0) scale(logits, static_cast<float>(1.0 / options_.temperature));
  keep_top_k(logits, options_.top_k);
  ExpSum sum = exponentiate(logits);
  keep_top_p(logits, sum.sum, options_.top_p);
  return static_cast<WordId>(random.draw(std::span<const float>(logits)));
}

}  // namespace bough
