// One update of a policy: roll-in → forward → loss → backward → Adam, and what each part took.
#pragma once

#include <array>
#include <string_view>

#include "bough/train/adam.h"
#include "bough/train/loss_parts.h"
#include "bough/train/rollin.h"

namespace bough {

class GradientExchange;

enum class Phase { kData, kRollIn, kForward, kLoss, kBackward, kExchange, kOptimizer };
inline constexpr std::array<std::string_view, 7> kPhaseNames = {
    "data", "rollin", "forward", "loss", "backward", "exchange", "optimizer"};

/// Seconds by phase.
struct PhaseTimes {
  std::array<double, kPhaseNames.size()> seconds{};

  double& operator[](Phase phase) { return seconds[static_cast<size_t>(phase)]; }
};

struct UpdateRequest {
  RollInRequest rollin;
  double loss_beta = 1.0;
  double label_smoothing = 0.0;
  double end_weight = 0.0;
  double learning_rate = 1e-3;
  double clip = 1.0;
  double share = 1.0;  // that these sentences are of the batch; others have the rest
};

struct UpdateResult {
  LossParts loss;  // means over the batch's sentences
  double gradient_norm = 0.0;
  int64_t steps = 0;  // of all sentences
  PhaseTimes times;
};

/// A gradient that isn't finite changes nothing. Where others have a part of the batch, `exchange`
/// adds up the gradients of all; the loss is this part's share of the batch's mean.
UpdateResult update_policy(const Policy& policy, const RollInWalker& walker, Adam& adam,
                           const Dataset& data, const UpdateRequest& request,
                           GradientExchange* exchange = nullptr);

}  // namespace bough
