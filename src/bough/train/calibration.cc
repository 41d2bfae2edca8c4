#include "bough/train/calibration.h"

#include "bough/model/policy.h"

#include <cmath>

#include "bough/model/layers/functions.h"
#include "bough/model/runtime.h"
#include "bough/train/rollin.h"

namespace bough {

double EndDecisions::loss(double temperature) const {
  double total = 0.0;
  for (size_t i = 0; i < logits.size(); ++i) {
    double logit = logits[i] / temperature;
    double against = right[i] ? -logit : logit;
    total += std::max(against, 0.0) + std::log1p(std::exp(-std::abs(against)));
  }
  return total / static_cast<double>(std::max<size_t>(1, logits.size()));
}

Calibration calibrate(const EndDecisions& decisions) {
  // The loss is convex in 1/T, so it has one valley in log T: golden-section search.
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  double low = std::log(1.0 / 20.0);
  double high = std::log(20.0);
  auto at = [&](double log_temperature) { return decisions.loss(std::exp(log_temperature)); };
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double loss_left = at(left);
  double loss_right = at(right);
  while (high - low > 1e-4) {
    if (loss_left < loss_right) {
      high = right;
      right = left;
      loss_right = loss_left;
      left = high - golden * (high - low);
      loss_left = at(left);
    } else {
      low = left;
      left = right;
      loss_left = loss_right;
      right = low + golden * (high - low);
      loss_right = at(right);
    }
  }
  double temperature = std::exp((low + high) / 2.0);
  return {.temperature = temperature,
          .loss_before = decisions.loss(1.0),
          .loss_after = decisions.loss(temperature)};
}

EndDecisions end_decisions(const Policy& policy, const OracleOptions& oracle, const Dataset& data,
                           const Dataset* sources, std::span<const WordId> unfinished) {
  torch::NoGradGuard no_gradients;
  RollInWalker walker(policy, oracle, {}, unfinished);
  BatchPlan plan = BatchPlan::sorted(data, {});
  EndDecisions decisions;
  for (int64_t i = 0; i < plan.size(); ++i) {
    with_plain_errors([&] {
      RolledIn rolled = walker.walk(data, {.batch = plan.batch(i),
                                           .sources = sources,
                                           .beta = 0.0,
                                           .purpose = Purpose::kValidation});
      torch::Tensor logits = rolled.output(policy, {}).end_logits.cpu().contiguous();
      std::span<const float> numbers = numbers_of(logits);
      decisions.logits.insert(decisions.logits.end(), numbers.begin(), numbers.end());
      for (int due : rolled.trajectory.due) decisions.right.push_back(due == 0);
    });
  }
  return decisions;
}

}  // namespace bough
