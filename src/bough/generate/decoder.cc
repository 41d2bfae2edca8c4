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

int choose_given(const Demanded& demanded, const Demanded::Choice& choice,
                 std::span<const float> logits, SeedShape shape) {
  int ranked = demanded.ranked(choice);
  if (ranked >= 0) return ranked;
  if (shape == SeedShape::kChain) return choice.first;
  if (shape == SeedShape::kBalanced) return (choice.first + choice.last) / 2;
  auto logit = [&](int index) { return logits[static_cast<size_t>(demanded.given(index).word)]; };
  int best = choice.first;
  for (int i = choice.first + 1; i < choice.last; ++i) {
    if (logit(i) > logit(best)) best = i;
  }
  return best;
}

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

bool forbid_words(const Demanded& demanded, std::span<float> logits) {
  for (WordId word : demanded.avoided()) logits[static_cast<size_t>(word)] = -INFINITY;
  std::span<const WordId> bag = demanded.bag_words();
  if (bag.empty()) return false;
  float end = logits[kEnd];
  std::vector<float> kept;
  for (WordId word : bag) kept.push_back(logits[static_cast<size_t>(word)]);
  std::fill(logits.begin(), logits.end(), -INFINITY);
  for (size_t i = 0; i < bag.size(); ++i) logits[static_cast<size_t>(bag[i])] = kept[i];
  logits[kEnd] = end;
  return bag.front() == kUnknown;
}

Demands DecodeBounds::demands() const {
  Demands demands;
  demands.min_length = length > 0 ? length : std::max<int64_t>(1, min_length);
  demands.max_length = length > 0 ? length : max_length;
  return demands;
}

Decoder::Sentence Decoder::begin(int64_t index, const DecodeRequest& request) const {
  return {.index = index,
          .random = RandomStream(request.seed, Purpose::kGenerate, static_cast<uint64_t>(index)),
          .demanded = demanded(index, request),
          .result = {}};
}

WordId Decoder::grow(Sentence& sentence, std::span<float> logits, const float* end_logit,
                     const DecodeRequest& request) const {
  DecodedTree& result = sentence.result;
  Demanded& demanded = sentence.demanded;
  Demanded::Choice choice = demanded.choice();
  std::vector<float> before;
  if (request.with_scores) before.assign(logits.begin(), logits.end());
  WordId action = kEnd;
  if (choice.first < choice.last) {
    int index = choose_given(demanded, choice, logits, request.shape);
    action = demanded.given(index).word;
    demanded.place_given(index);
    result.tree.add_word(action);
  } else {
    bool too_deep =
        bounds_.max_depth > 0 && result.tree.front_slot().depth >= bounds_.max_depth && choice.end;
    Allowed allowed{.end = choice.end,
                    .word = choice.word && !too_deep,
                    .unknown = forbid_words(demanded, logits)};
    action = sampler_.choose(logits, end_logit, allowed, sentence.random);
    if (action == kEnd) {
      bool by_bound = too_deep || (choice.too_long && !choice.word);
      result.finished = result.finished && !by_bound;
      demanded.take_end();
      result.tree.add_end();
    } else {
      demanded.take_word(action);
      result.tree.add_word(action);
    }
  }
  if (request.with_scores) {
    result.scores.push_back(RowDistribution(before, end_logit).score(action));
  }
  return action;
}

void Decoder::decode(Stepper& stepper, const DecodeRequest& request,
                     const std::function<void(DecodedTree&&)>& take) const {
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  InOrder output(take);
  std::vector<Sentence> active;   // by row
  std::vector<StepInput> inputs;  // by row, of those that have begun
  std::vector<WordId> actions;    // by row
  std::vector<float> logits;
  int64_t next = 0;
  while (true) {
    int64_t fresh =
        std::min(request.batch_size - static_cast<int64_t>(active.size()), request.count - next);
    std::vector<Source> sources;
    for (int64_t i = 0; i < fresh; ++i, ++next) {
      sources.push_back(request.sources.empty() ? Source()
                                                : request.sources[static_cast<size_t>(next)]);
      active.push_back(begin(next, request));
    }
    if (active.empty()) return;
    if (inputs.empty()) {
      stepper.start(sources);
    } else {
      stepper.advance(inputs, sources);
    }
    logits.resize(active.size() * vocabulary);
    stepper.all_scores(logits);
    actions.resize(active.size());
#pragma omp parallel for schedule(dynamic, 1) if (logits.size() > size_t{kWorthAThread})
    for (size_t row = 0; row < active.size(); ++row) {
      const float* end_logit = stepper.end_logits().empty() ? nullptr : &stepper.end_logits()[row];
      actions[row] =
          grow(active[row], {logits.data() + row * vocabulary, vocabulary}, end_logit, request);
    }
    std::vector<int64_t> kept;
    inputs.clear();
    for (size_t row = 0; row < active.size(); ++row) {
      const Tree& tree = active[row].result.tree;
      if (tree.complete()) {
        if (!request.demands.empty()) {
          active[row].result.texts = active[row].demanded.texts();
          active[row].result.given = active[row].demanded.was_given();
        }
        output.add(active[row].index, std::move(active[row].result));
        continue;
      }
      inputs.push_back(step_input(tree, tree.steps(), actions[row]));
      if (kept.size() < row) active[kept.size()] = std::move(active[row]);
      kept.push_back(static_cast<int64_t>(row));
    }
    if (kept.size() == active.size()) continue;
    stepper.keep(kept);
    active.erase(active.begin() + static_cast<int64_t>(kept.size()), active.end());
  }
}

}  // namespace bough
