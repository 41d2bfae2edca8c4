#include "bough/generate/decoder.h"

#include <cmath>
#include <numeric>

#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

/// Scores below this number aren't worth waking a second thread.
constexpr size_t kWorthAThread = 1 << 14;

/// The policy's distribution at a row, before anything is forbidden or truncated.
class RowDistribution {
 public:
  RowDistribution(std::span<const float> logits, const float* end_logit)
      : normaliser_(log_sum_exp(logits)), end_logit_(end_logit), logits_(logits) {
    for (float logit : logits) {
      double log_probability = static_cast<double>(logit) - normaliser_;
      entropy_ -= std::exp(log_probability) * log_probability;
    }
    if (end_logit_ != nullptr) {
      // First "stop or not", then the word: entropies of both choices add up.
      double stop = 1.0 / (1.0 + std::exp(-static_cast<double>(*end_logit_)));
      double coin = stop <= 0.0 || stop >= 1.0
                        ? 0.0
                        : -stop * std::log(stop) - (1.0 - stop) * std::log1p(-stop);
      entropy_ = coin + (1.0 - stop) * entropy_;
    }
  }

  StepScore score(WordId action) const {
    double own = static_cast<double>(logits_[static_cast<size_t>(action)]) - normaliser_;
    if (end_logit_ != nullptr) {
      double logit = *end_logit_;
      double log_stop = -std::log1p(std::exp(-logit));
      double log_go_on = -std::log1p(std::exp(logit));
      own = action == kEnd ? log_stop : log_go_on + own;
    }
    return {.logprob = own, .entropy = entropy_};
  }

 private:
  double normaliser_;
  const float* end_logit_;
  std::span<const float> logits_;
  double entropy_ = 0.0;
};

}  // namespace

Allowed Decoder::allowed_at(const Tree& tree) const {
  bool too_long = tree.word_count() >= bounds_.max_length;
  bool too_deep = bounds_.max_depth > 0 && tree.front_slot().depth >= bounds_.max_depth;
  return {.end = tree.steps() > 0, .word = !too_long && !too_deep};
}

std::vector<DecodedTree> Decoder::decode(Stepper& stepper, const DecodeRequest& request) const {
  auto count = static_cast<size_t>(request.count);
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  std::vector<DecodedTree> results(count);
  std::vector<RandomStream> random;
  for (int64_t i = 0; i < request.count; ++i) {
    random.emplace_back(request.seed, Purpose::kGenerate, static_cast<uint64_t>(request.first + i));
  }
  std::vector<size_t> active(count);  // row → result
  std::iota(active.begin(), active.end(), 0);
  std::vector<float> logits(count * vocabulary);
  std::vector<WordId> actions(count);
  stepper.start(request.count);
  while (!active.empty()) {
    stepper.all_scores({logits.data(), active.size() * vocabulary});
#pragma omp parallel for schedule(dynamic, 1) if (active.size() * vocabulary > kWorthAThread)
    for (size_t row = 0; row < active.size(); ++row) {
      DecodedTree& result = results[active[row]];
      std::span<float> own(logits.data() + row * vocabulary, vocabulary);
      const float* end_logit = stepper.end_logits().empty() ? nullptr : &stepper.end_logits()[row];
      Allowed allowed = allowed_at(result.tree);
      std::vector<float> before;
      if (request.with_scores) before.assign(own.begin(), own.end());
      WordId action = sampler_.choose(own, end_logit, allowed, random[active[row]]);
      if (request.with_scores) {
        result.scores.push_back(RowDistribution(before, end_logit).score(action));
      }
      if (action == kEnd) {
        result.finished = result.finished && allowed.word;
        result.tree.add_end();
      } else {
        result.tree.add_word(action);
      }
      actions[row] = action;
    }
    std::vector<int64_t> kept;
    for (size_t row = 0; row < active.size(); ++row) {
      if (results[active[row]].tree.complete()) continue;
      actions[kept.size()] = actions[row];
      active[kept.size()] = active[row];
      kept.push_back(static_cast<int64_t>(row));
    }
    if (kept.size() < active.size()) stepper.keep(kept);
    active.resize(kept.size());
    if (!active.empty()) stepper.advance({actions.data(), active.size()});
  }
  return results;
}

}  // namespace bough
