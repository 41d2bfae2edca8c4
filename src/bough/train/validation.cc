#include "bough/train/validation.h"

#include "bough/model/runtime.h"
#include "bough/train/loss.h"

namespace bough {

LossSum validate(const Policy& policy, const RollInWalker& walker,
                 const ValidationRequest& request) {
  torch::NoGradGuard no_gradients;
  BatchPlan plan = BatchPlan::sorted(request.data, request.batches);
  LossSum sum;
  for (int64_t i = request.part.index; i < plan.size(); i += request.part.count) {
    request.between_batches(static_cast<double>(i) / static_cast<double>(plan.size()));
    with_plain_errors([&] {
      RolledIn rolled = walker.walk(request.data, {.batch = plan.batch(i),
                                                   .sources = request.sources,
                                                   .beta = request.rollin_beta,
                                                   .seed = request.seed,
                                                   .purpose = Purpose::kValidation});
      LossResult loss = compute_loss(rolled.trajectory, rolled.output(policy, {}), policy.output(),
                                     {.beta = request.loss_beta, .gradient = false});
      sum.add(loss.mean, rolled.trajectory.sentences());
    });
  }
  return sum;
}

LikelihoodTotals valid_likelihood(const Policy& policy, const ValidLikelihoodRequest& request) {
  torch::NoGradGuard no_gradients;
  std::vector<SentenceToScore> sentences;
  for (int64_t i = request.part.begin(request.data.size());
       i < request.part.end(request.data.size()); ++i) {
    sentences.push_back(
        {.words = request.data.sentence(i),
         .source = request.sources == nullptr ? SourceIds() : request.sources->sentence(i),
         .number = i});
  }
  LikelihoodTotals totals;
  with_plain_errors([&] {
    LikelihoodScorer({.samples = request.samples}, request.order)
        .score(
            *policy.stepper(),
            {.sentences = sentences, .seed = request.seed, .between_steps = request.between_steps},
            [&](Likelihood&& one) {
              totals.add(one, std::ssize(sentences[static_cast<size_t>(totals.sentences)].words));
            });
  });
  return totals;
}

}  // namespace bough
