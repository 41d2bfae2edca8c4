// The training loop: batch → roll-in → forward → loss → backward → Adam, with validation, samples
// and checkpoints each epoch.
//
// What it stands on: the folder and its rules (run_folder.h), where the run stands (checkpoint.h),
// one update (update.h), what a model costs (validation.h) and writes (judge.h), which one is kept
// (best_model.h), what is told of it all (training_report.h, history.h, model_card.h).
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bough/generate/writer.h"
#include "bough/train/checkpoint.h"
#include "bough/train/history.h"
#include "bough/train/ranks.h"
#include "bough/train/run_folder.h"
#include "bough/train/run_options.h"
#include "bough/train/training_data.h"

namespace bough {

class Adam;
class GradientExchange;
class RollInWalker;
struct UpdateRequest;

/// One of the orders that a model learns; mostly the only one.
struct LearnedOrder {
  OracleOptions oracle;
  std::unique_ptr<RollInWalker> walker;
};

class Trainer {
 public:
  /// UsageError for options that contradict each other. `stop` is watched after every update, and
  /// while a model is judged: when it turns true the run is saved and Interrupted is thrown.
  /// `device` is where to compute.
  /// `ranks` are those that train with it, and call the same; all must outlive it.
  Trainer(TrainOptions options, TrainingObserver& observer, const std::atomic<bool>& stop,
          std::string device = "cpu", Ranks& ranks = no_other_ranks());
  ~Trainer();

  /// Trains until a bound is reached; the model is in the folder afterwards.
  void run();

 private:
  void begin();
  void begin_anew();
  /// DataError where other ranks have read something else.
  void check_same_data();
  /// Where several train together: the leader's weights and state are everybody's.
  void take_leaders_state();
  /// Adds up numbers over all ranks, and with them whether somebody was asked to stop, and whether
  /// the leader's time is up: what all go by from then on.
  void agree(std::span<double> numbers);
  /// The sentences of a batch that are this rank's.
  std::vector<int64_t> own_share(std::span<const int64_t> batch) const;
  /// The vocabulary of the run in the folder; UsageError where its options differ from ours.
  void load_setting();
  void read_data(bool resuming);
  void restore();
  void update(const BatchPlan& plan);
  /// The order that an update is about.
  const LearnedOrder& drawn_order() const;
  UpdateRequest update_request(std::span<const int64_t> batch, const OracleOptions& oracle) const;
  /// Validates and samples the model as it is now, and notes whether it is the best so far. None
  /// where that was stopped, by the user or because time is up; nothing has changed then.
  std::optional<EpochReport> judge();
  /// What a rank finds of the validation sentences that are its own.
  struct JudgedPart {
    LossSum valid;
    WrittenSentences written;
    double logprob = 0.0;
    int64_t words = 0;
  };
  JudgedPart judge_part(double beta) const;
  /// Over all ranks.
  void put_together(JudgedPart& part);
  std::optional<Quality> quality_of(const JudgedPart& all) const;
  /// Throws where judging has to stop.
  void check_judging(double share) const;
  /// What is left of a run that stopped while its model was judged: it is judged on --resume.
  void leave_unjudged();
  [[noreturn]] void stop_here();
  /// False where judging was stopped.
  bool finish_epoch();
  void judge_unfinished_epoch();
  bool out_of_time(double reserve) const;
  enum class Part { kTrain, kValid };
  /// What the sentences of a part of the data are written from; null for a language model.
  const Dataset* sources_of(Part part) const;
  /// Names what the model writes at this epoch.
  uint64_t judging_seed() const;
  std::vector<Trace> sample() const;
  Learned learned() const;
  void save_model();
  void save_state();
  void save_state_here();
  /// Says what β will be when the run has spent its budget, if β changes at all.
  void tell_beta() const;
  /// A loss above that of knowing nothing. Watched over an epoch, so that one bad update isn't it.
  bool diverged(const EpochReport& report) const;
  bool finished() const;
  /// Whether --max-minutes are over, or judging as long as last time would make them be.
  bool time_is_up() const {
    return ranks_.size() > 1 ? time_is_up_ : out_of_time(1.1 * judging_seconds_);
  }
  bool is_stopped() const { return ranks_.size() > 1 ? is_stopped_ : stop_.load(); }
  double run_seconds() const;
  double all_seconds() const { return seconds_before_ + run_seconds(); }

  const TrainOptions options_;
  TrainingObserver& observer_;
  const std::atomic<bool>& stop_;
  std::string device_;
  Ranks& ranks_;
  uint64_t seed_;
  RunFolder folder_;
  History history_;
  TrainingData data_;
  Model model_;
  std::vector<std::unique_ptr<LearnedOrder>> orders_;  // judged by the first
  std::unique_ptr<Adam> adam_;
  std::unique_ptr<GradientExchange> exchange_;  // null where nobody else trains
  std::unique_ptr<WeightAverage> average_;      // or null
  std::unique_ptr<Judge> judge_;
  TrainingState state_;
  bool diverged_ = false;    // in the last epoch
  bool time_is_up_ = false;  // as all ranks have agreed, as the next
  bool is_stopped_ = false;
  std::chrono::steady_clock::time_point started_;
  int64_t begun_at_ = 0;          // the update that this run has begun at
  int64_t bytes_before_ = 0;      // sent to other ranks before it
  double seconds_before_ = 0.0;   // trained by earlier runs
  double judging_seconds_ = 0.0;  // what judging took last
};

}  // namespace bough
