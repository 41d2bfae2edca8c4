#include "bough/generate/sentence_job.h"

namespace bough {

namespace {

int choose_given(const Demanded& demanded, const Demanded::Choice& choice,
                 const ActionDistribution& slot, SeedShape shape) {
  int ranked = demanded.ranked(choice);
  if (ranked >= 0) return ranked;
  if (shape == SeedShape::kChain) return choice.first;
  if (shape == SeedShape::kBalanced) return (choice.first + choice.last) / 2;
  auto logit = [&](int index) { return slot.logit(demanded.given(index).word); };
  int best = choice.first;
  for (int i = choice.first + 1; i < choice.last; ++i) {
    if (logit(i) > logit(best)) best = i;
  }
  return best;
}

}  // namespace

void SentenceJob::choose(std::span<ActionDistribution> slots) {
  ActionDistribution& slot = slots.front();
  Draft& draft = request_.draft;
  Demanded::Choice choice = draft.demanded().choice();
  std::optional<KeptDistribution> before;
  if (request_.with_scores) before.emplace(slot);
  if (choice.first < choice.last) {
    int index = choose_given(draft.demanded(), choice, slot, request_.shape);
    action_.word = draft.demanded().given(index).word;
    request_.sampler.adjust_end(slot, draft.words_due());
    action_.open =
        request_.sampler.choose_sides(slot, action_.word, draft.sides(index), request_.random);
    draft.place_given(index, action_.open);
  } else {
    draft.forbid_words(slot);
    std::optional<Action> chosen = request_.sampler.choose(slot, draft.allowed(), request_.random);
    stuck_ = !chosen;
    if (stuck_) return;
    action_ = *chosen;
    draft.take(action_);
  }
  if (before) draft.add_score(before->score(action_, request_.alternatives));
}

NextRows SentenceJob::take() {
  const Tree& tree = request_.draft.tree();
  if (stuck_) {
    DecodedTree part = std::move(request_.draft).finish();
    part.finished = false;
    part.stuck = true;
    request_.on_end(std::move(part));
    return {};
  }
  if (request_.on_action) request_.on_action(request_.draft, action_);
  if (!tree.complete()) return {{0}, {step_input(tree)}};
  request_.on_end(std::move(request_.draft).finish());
  return {};
}

}  // namespace bough
