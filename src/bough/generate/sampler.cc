#include "bough/generate/sampler.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/rows.h"
#include "bough/model/kernels/top_k.h"

namespace bough {

namespace {

std::vector<float> values_at(std::span<const float> logits, std::span<const int64_t> indices) {
  std::vector<float> values;
  for (int64_t i : indices) values.push_back(logits[static_cast<size_t>(i)]);
  return values;
}

/// The fewest of the k best actions that hold `share` of the k best ones' probability.
std::vector<int64_t> best_that_hold(std::span<const float> logits, int64_t k, double share) {
  auto size = static_cast<int64_t>(logits.size());
  double log_total =
      k < size ? log_sum_exp(values_at(logits, largest_k(logits, k))) : log_sum_exp(logits);
  constexpr double kRounding = 1e-6;
  for (int64_t count = std::min<int64_t>(64, k);; count = std::min(8 * count, k)) {
    std::vector<int64_t> best = largest_k(logits, count);  // a few mostly hold enough
    std::sort(best.begin(), best.end(), [&](int64_t a, int64_t b) {
      float first = logits[static_cast<size_t>(a)];
      float second = logits[static_cast<size_t>(b)];
      return first != second ? first > second : a < b;
    });
    double held = 0.0;
    for (size_t i = 0; i < best.size(); ++i) {
      held += std::exp(static_cast<double>(logits[static_cast<size_t>(best[i])]) - log_total);
      if (held < share - kRounding) continue;
      best.resize(i + 1);
      return best;
    }
    if (count == k) return best;
  }
}

}  // namespace

void Sampler::adjust_end(ActionDistribution& slot, double words_due) const {
  slot.adjust_end(options_.end_temperature, -options_.length_bias * words_due);
}

Stop Sampler::decide(ActionDistribution& slot, const Allowed& allowed) const {
  bool by_threshold = options_.end_rule == EndRule::kThreshold ||
                      (options_.end_rule == EndRule::kAuto && slot.has_end_head());
  adjust_end(slot, allowed.words_due);
  auto due = [&] { return slot.end_probability() >= options_.end_threshold; };
  if (by_threshold && (!allowed.word || (allowed.end && due()))) return Stop::kYes;
  for (WordId special : {kStart, kPad, kBagEnd}) slot.forbid(special);
  if (!options_.allow_unknown && !allowed.unknown) slot.forbid(kUnknown);
  if (!by_threshold) return Stop::kOpen;
  slot.forbid_end();
  return Stop::kNo;
}

std::optional<Action> Sampler::choose(ActionDistribution& slot, const Allowed& allowed,
                                      RandomStream& random) const {
  constexpr Action kStopped{kEnd};
  if (!allowed.word) return kStopped;
  Stop stop = decide(slot, allowed);
  if (!allowed.end) slot.forbid_end();
  if (stop == Stop::kOpen && allowed.end && options_.end_rule == EndRule::kSample) {
    if (random.uniform() < slot.end_probability()) return kStopped;
    slot.forbid_end();
  }
  if (stop == Stop::kYes) return kStopped;
  std::span<float> logits = slot.joint();
  if (allowed.avoids && std::isinf(*std::ranges::max_element(logits))) return std::nullopt;
  WordId word = slot.action_at(pick(logits, random));
  if (word == kEnd) return kStopped;
  return Action{word, choose_sides(slot, word, allowed.sides, random)};
}

Sides Sampler::choose_sides(const ActionDistribution& slot, WordId word,
                            const AllowedSides& allowed, RandomStream& random) const {
  if (!slot.has_sides()) return Sides::kBoth;
  SideScores scores = slot.side_logprobs(word);
  if (options_.end_rule == EndRule::kThreshold) {
    auto closed = [&](bool (*opens)(Sides)) {
      double probability = 0.0;
      for (Sides open : kAllSides) {
        if (!opens(open)) probability += std::exp(static_cast<double>(scores[index_of(open)]));
      }
      return probability >= options_.end_threshold;
    };
    Sides open = sides_of(!closed(opens_left), !closed(opens_right));
    if (allowed[index_of(open)]) return open;
  }
  bool sampled = options_.end_rule == EndRule::kSample ||
                 (options_.end_rule != EndRule::kThreshold && options_.decode == Decode::kSample);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!allowed[i]) scores[i] = -std::numeric_limits<float>::infinity();
  }
  if (!sampled) return kAllSides[static_cast<size_t>(largest_index(scores))];
  if (options_.decode == Decode::kSample && options_.temperature != 1.0) {
    scale(scores, static_cast<float>(1.0 / options_.temperature));
  }
  exponentiate(scores);
  return kAllSides[static_cast<size_t>(random.draw(std::span<const float>(scores)))];
}

int64_t Sampler::pick(std::span<float> logits, RandomStream& random) const {
  if (options_.decode == Decode::kGreedy) return largest_index(logits);
  if (options_.temperature != 1.0) scale(logits, static_cast<float>(1.0 / options_.temperature));
  if (options_.top_k > 0 || options_.top_p < 1.0) return pick_from_best(logits, random);
  exponentiate(logits);
  return draw_index(logits, random.uniform());
}

int64_t Sampler::pick_from_best(std::span<const float> logits, RandomStream& random) const {
  auto size = static_cast<int64_t>(logits.size());
  int64_t k = options_.top_k > 0 ? std::min(options_.top_k, size) : size;
  std::vector<int64_t> best =
      options_.top_p < 1.0 ? best_that_hold(logits, k, options_.top_p) : largest_k(logits, k);
  std::vector<float> weights = values_at(logits, best);
  exponentiate(weights);
  return best[static_cast<size_t>(draw_index(weights, random.uniform()))];
}

}  // namespace bough
