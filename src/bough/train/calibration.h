// How far an <end> head may be trusted: the temperature that makes its probabilities true.
//
// A head that says 0.9 should be right nine times in ten. Along the trees that the policy itself
// prefers for validation sentences, σ(logit / T) is fitted to whether <end> was right there.
#pragma once

#include <span>
#include <vector>

#include "bough/data/dataset.h"
#include "bough/oracle/oracle_options.h"

namespace bough {

class Policy;

/// Logits and whether <end> was right, for each slot.
struct EndDecisions {
  std::vector<float> logits;
  std::vector<bool> right;

  /// Mean cross-entropy of σ(logit / temperature), in nats.
  double loss(double temperature) const;
};

struct Calibration {
  double temperature = 1.0;
  double loss_before = 0.0;  // a slot, at temperature 1
  double loss_after = 0.0;
};

/// The temperature of the least loss, within [1/20, 20].
Calibration calibrate(const EndDecisions& decisions);

/// What the head says along the trees of the sentences that the oracle allows and the policy likes
/// best; `sources` are theirs, line by line, or null; `unfinished` as for make_oracle.
EndDecisions end_decisions(const Policy& policy, const OracleOptions& oracle, const Dataset& data,
                           const Dataset* sources, std::span<const WordId> unfinished = {});

}  // namespace bough
