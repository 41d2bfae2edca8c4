// A training run on disk, complete enough to go on bit for bit.
//
//     DIR/state/checkpoint.safetensors   weights, Adam's moments and the weights' average if there
//                                        is one, counters in the metadata
//
// The state is one file, so it is replaced in one step: a run killed at any moment finds the old or
// the new one, never a mix. Random numbers need no state: they are drawn by name (base/random.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bough/base/file.h"
#include "bough/train/best_model.h"
#include "bough/train/conditions.h"
#include "bough/train/loss_parts.h"

namespace bough {

class Adam;
class Policy;
class WeightAverage;

/// What updates change.
struct Learned {
  const Policy& policy;
  Adam& adam;
  const WeightAverage* average = nullptr;  // or none
};

/// Where a run stands.
struct TrainingState {
  int64_t update = 0;  // updates done
  int64_t epoch = 0;   // epochs done
  int64_t pass = 0;    // over the data
  int64_t batch = 0;   // next one of the pass
  int64_t epoch_update = 0;
  LossSum epoch_sum;  // of the current epoch
  BestModel best;
  double seconds = 0.0;  // trained, in all runs
  int64_t metrics_bytes = 0;
  bool judge_due = false;      // the epoch is over, but the run was stopped while it was judged
  int64_t judged_update = -1;  // at which the newest model was judged
  double minutes_spent = 0.0;  // where --max-minutes has ended the run: those of all its parts
  std::string data;            // fingerprint of the training data
  Conditions conditions;       // of the last run

  nlohmann::ordered_json to_json() const;
  static TrainingState from_json(const nlohmann::json& json);
};

bool has_checkpoint(const fs::path& folder);
void save_checkpoint(const fs::path& folder, const Learned& learned, const TrainingState& state);
TrainingState load_checkpoint(const fs::path& folder, const Learned& learned);

/// Where the run in the folder stands, if there is one.
std::optional<TrainingState> load_state(const fs::path& folder);

}  // namespace bough
