#include "bough/generate/decoder.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

/// What the policy thinks of each action at a row, before anything is forbidden or truncated.
class RowDistribution {
 public:
  RowDistribution(std::span<const float> logits, const float* end_logit)
      : words_(distribution_of(logits)),
        entropy_(words_.entropy),
        end_logit_(end_logit),
        logits_(logits) {
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
    double own = static_cast<double>(logits_[static_cast<size_t>(action)]) - words_.log_sum;
    if (end_logit_ != nullptr) {
      double logit = *end_logit_;
      double log_stop = -std::log1p(std::exp(-logit));
      double log_go_on = -std::log1p(std::exp(logit));
      own = action == kEnd ? log_stop : log_go_on + own;
    }
    return {.logprob = own, .entropy = entropy_};
  }

 private:
  Distribution words_;
  double entropy_;
  const float* end_logit_;
  std::span<const float> logits_;
};

/// Hands sentences on in the order of their index.
class InOrder {
 public:
  explicit InOrder(const std::function<void(DecodedTree&&)>& take) : take_(take) {}

  void add(int64_t index, DecodedTree&& tree) {
    waiting_.emplace(index, std::move(tree));
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; ++next_) {
      take_(std::move(it->second));
      it = waiting_.erase(it);
    }
  }

 private:
  const std::function<void(DecodedTree&&)>& take_;
  std::map<int64_t, DecodedTree> waiting_;
  int64_t next_ = 0;
};

}  // namespace

Allowed Decoder::allowed_at(const Tree& tree) const {
  bool too_long = tree.word_count() >= bounds_.max_length;
  bool too_deep = bounds_.max_depth > 0 && tree.front_slot().depth >= bounds_.max_depth;
  return {.end = tree.steps() > 0, .word = !too_long && !too_deep};
}

WordId Decoder::grow(Sentence& sentence, std::span<float> logits, const float* end_logit,
                     bool with_scores) const {
  DecodedTree& result = sentence.result;
  Allowed allowed = allowed_at(result.tree);
  std::vector<float> before;
  if (with_scores) before.assign(logits.begin(), logits.end());
  WordId action = sampler_.choose(logits, end_logit, allowed, sentence.random);
  if (with_scores) result.scores.push_back(RowDistribution(before, end_logit).score(action));
  if (action == kEnd) {
    result.finished = result.finished && allowed.word;
    result.tree.add_end();
  } else {
    result.tree.add_word(action);
  }
  return action;
}

void Decoder::decode(Stepper& stepper, const DecodeRequest& request,
                     const std::function<void(DecodedTree&&)>& take) const {
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  InOrder output(take);
  std::vector<Sentence> active;  // by row
  std::vector<WordId> actions;   // by row, of those that have begun
  std::vector<float> logits;
  int64_t next = 0;
  while (true) {
    int64_t fresh =
        std::min(request.batch_size - static_cast<int64_t>(active.size()), request.count - next);
    for (int64_t i = 0; i < fresh; ++i, ++next) {
      active.push_back(
          {.index = next,
           .random = RandomStream(request.seed, Purpose::kGenerate, static_cast<uint64_t>(next)),
           .result = {}});
    }
    if (active.empty()) return;
    if (actions.empty()) {
      stepper.start(fresh);
    } else {
      stepper.advance(actions, fresh);
    }
    logits.resize(active.size() * vocabulary);
    stepper.all_scores(logits);
    actions.resize(active.size());
#pragma omp parallel for schedule(dynamic, 1) if (logits.size() > size_t{kWorthAThread})
    for (size_t row = 0; row < active.size(); ++row) {
      const float* end_logit = stepper.end_logits().empty() ? nullptr : &stepper.end_logits()[row];
      actions[row] = grow(active[row], {logits.data() + row * vocabulary, vocabulary}, end_logit,
                          request.with_scores);
    }
    std::vector<int64_t> kept;
    for (size_t row = 0; row < active.size(); ++row) {
      if (active[row].result.tree.complete()) {
        output.add(active[row].index, std::move(active[row].result));
        continue;
      }
      if (kept.size() < row) {
        actions[kept.size()] = actions[row];
        active[kept.size()] = std::move(active[row]);
      }
      kept.push_back(static_cast<int64_t>(row));
    }
    if (kept.size() == active.size()) continue;
    stepper.keep(kept);
    active.erase(active.begin() + static_cast<int64_t>(kept.size()), active.end());
    actions.resize(kept.size());
  }
}

}  // namespace bough
