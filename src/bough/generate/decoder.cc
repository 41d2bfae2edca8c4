#include "bough/generate/decoder.h"

#include <algorithm>
#include <map>

#include "bough/generate/row_distribution.h"
#include "bough/model/kernels/kernels.h"
#include "bough/model/team.h"

namespace bough {

namespace {

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

void DecodeBounds::apply(Demands& demands) const {
  demands.min_length = length > 0 ? length : std::max<int64_t>(1, min_length);
  demands.max_length = length > 0 ? length : max_length;
}

WordId Decoder::grow(Sentence& sentence, std::span<float> logits, const float* end_logit,
                     const DecodeRequest& request) const {
  Draft& draft = sentence.draft;
  Demanded::Choice choice = draft.demanded().choice();
  std::vector<float> before;
  if (request.with_scores) before.assign(logits.begin(), logits.end());
  WordId action = kEnd;
  if (choice.first < choice.last) {
    int index = choose_given(draft.demanded(), choice, logits, request.shape);
    action = draft.demanded().given(index).word;
    draft.place_given(index);
  } else {
    action = sampler_.choose(logits, end_logit, draft.allow(logits), sentence.random);
    draft.take(action);
  }
  if (request.with_scores) {
    draft.add_score(RowDistribution(before, end_logit, request.alternatives).score(action));
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
    int64_t fresh = std::min(request.batch_size - static_cast<int64_t>(active.size()),
                             request.count * request.draws - next);
    std::vector<Source> sources;
    for (int64_t i = 0; i < fresh; ++i, ++next) {
      Prompt prompt = request.prompt(next / request.draws);
      sources.push_back(prompt.source);
      RandomStream random(request.seed, Purpose::kGenerate,
                          static_cast<uint64_t>(request.first + next / request.draws),
                          static_cast<uint64_t>(next % request.draws));
      active.push_back({.index = next, .random = random, .draft = draft(prompt)});
    }
    if (active.empty()) return;
    if (request.between_steps) request.between_steps();
    if (inputs.empty()) {
      stepper.start(sources);
    } else {
      stepper.advance(inputs, sources);
    }
    logits.resize(active.size() * vocabulary);
    stepper.all_scores(logits);
    actions.resize(active.size());
    auto grow_row = [&](int64_t index) {
      auto row = static_cast<size_t>(index);
      const float* end_logit = stepper.end_logits().empty() ? nullptr : &stepper.end_logits()[row];
      actions[row] =
          grow(active[row], {logits.data() + row * vocabulary, vocabulary}, end_logit, request);
    };
    team_for(static_cast<int64_t>(active.size()), logits.size() > size_t{kWorthAThread},
             Share::kAsFree, grow_row);
    std::vector<int64_t> kept;
    inputs.clear();
    for (size_t row = 0; row < active.size(); ++row) {
      const Tree& tree = active[row].draft.tree();
      if (tree.complete()) {
        output.add(active[row].index, std::move(active[row].draft).finish());
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
