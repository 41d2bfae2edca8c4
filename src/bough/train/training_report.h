// What a run tells while it goes on: to whoever listens, and to its history.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bough/train/judge.h"
#include "bough/train/loss_parts.h"
#include "bough/tree/trace.h"

namespace bough {

struct UpdateReport {
  int64_t update = 0;
  int64_t epoch = 0;         // counted from 1, for people
  int64_t epoch_update = 0;  // of …
  int64_t updates_in_epoch = 0;
  double loss = 0.0;  // mean over the epoch so far
  LossParts batch;    // of this update alone
  double beta = 1.0;
  double rollin_beta = 1.0;
  double learning_rate = 0.0;
  double gradient_norm = 0.0;  // before clipping
  double sentences_per_second = 0.0;
  double seconds = 0.0;  // trained, in all runs
};

struct EpochReport {
  int64_t update = 0;  // updates done
  int64_t epoch = 0;   // counted from 1
  LossParts train;
  bool validated = false;
  LossParts valid;
  std::optional<Quality> quality = {};
  bool best = false;
  double beta = 1.0;
  double learning_rate = 0.0;
  double seconds = 0.0;
  std::vector<Trace> samples;  // a language model's: the first is decoded greedily
};

/// Hears how a run goes; the library itself never prints.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_note(const std::string& note) = 0;
  virtual void on_warning(const std::string& warning) = 0;
  virtual void on_update(const UpdateReport& report) = 0;
  virtual void on_epoch(const EpochReport& report) = 0;
  /// While a model is validated and judged: how far that is, from 0 to 1.
  virtual void on_judging(double share) = 0;
};

}  // namespace bough
