// Roll-in: walks down the trees of a batch's sentences.
//
// At each step of each sentence: with probability β the action is drawn from the oracle's weights,
// otherwise the policy chooses among the right answers (coaching). With learned roll-ins the policy
// may also take its own action, right or wrong. Where the policy isn't asked (β = 1), no network
// runs; where it is, it scores the few right answers only, and what it computes is kept for the
// training pass where the policy has a recorder.
#pragma once

#include <span>

#include "bough/base/random.h"
#include "bough/data/dataset.h"
#include "bough/model/policy.h"
#include "bough/oracle/oracle.h"
#include "bough/oracle/trajectory.h"

namespace bough {

struct RollInRequest {
  std::span<const int64_t> batch;    // sentences of the dataset
  const Dataset* sources = nullptr;  // what they are written from, line by line; null: nothing
  double beta = 1.0;
  uint64_t seed = 1;
  Purpose purpose = Purpose::kRollIn;
  uint64_t pass = 0;  // over the data: other draws for the same sentence
  DropoutMasks masks{};
};

struct RolledIn {
  Trajectory trajectory;               // its `source` counts in the request's batch
  std::vector<uint64_t> names;         // [sentences] what names their masks: themselves
  std::unique_ptr<Recorder> recorder;  // null where the policy's steps weren't kept

  /// What the policy says along the trajectory.
  PolicyOutput output(const Policy& policy, DropoutMasks masks) const {
    masks.sentences = names;
    return recorder ? recorder->output(trajectory) : policy.forward({trajectory, masks});
  }
};

class RollInWalker {
 public:
  /// Both must outlive the walker. `start` is what sentences begin with; none: the policy's own;
  /// `unfinished` as for make_oracle.
  RollInWalker(const Policy& policy, const OracleOptions& options, std::optional<WordId> start = {},
               std::span<const WordId> unfinished = {})
      : policy_(policy),
        options_(options),
        start_(start.value_or(policy.start())),
        oracle_(make_oracle(options, unfinished)) {}

  RolledIn walk(const Dataset& data, const RollInRequest& request) const;

 private:
  /// All walks side by side, with the policy's scores.
  void walk_with_policy(Stepper& stepper, std::span<const SourceIds> sources, std::span<Walk> walks,
                        std::span<RandomStream> random, double beta) const;

  const Policy& policy_;
  const OracleOptions& options_;
  WordId start_;
  std::unique_ptr<Oracle> oracle_;
};

}  // namespace bough
