// The training loop: batch → roll-in → forward → loss → backward → Adam, with validation, samples
// and checkpoints each epoch.
//
// Which model is kept: where the task has a goal of its own (judge.h), the one that reaches most of
// it. Else the one with the lowest validation loss among the epochs with the newest loss β: another
// β is another objective, so its losses aren't compared; while β still falls, the newest model
// counts as the best.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bough/base/folder_lock.h"
#include "bough/generate/writer.h"
#include "bough/train/checkpoint.h"
#include "bough/train/judge.h"
#include "bough/train/train_options.h"
#include "bough/train/training_data.h"

namespace bough {

class Adam;
class RollInWalker;

struct UpdateReport {
  int64_t update = 0;
  int64_t epoch = 0;         // counted from 1, for people
  int64_t epoch_update = 0;  // of …
  int64_t updates_in_epoch = 0;
  double loss = 0.0;  // mean over the epoch so far
  double beta = 1.0;
  double learning_rate = 0.0;
  double sentences_per_second = 0.0;
};

struct EpochReport {
  int64_t epoch = 0;  // counted from 1
  double train_loss = 0.0;
  bool validated = false;
  double valid_loss = 0.0;
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

/// With --resume, gives options that nobody has set the values that the run in --out was begun
/// with; what changes nothing in a run (when to stop, what to show) is taken from there, too.
void take_options_of_run(const TrainOptions& options, OptionSet& set);

/// Whether there is a run in --out to go on with; throws where going on would destroy something.
bool check_folder(const TrainOptions& options);

/// Where the run stands that --resume goes on with, if there is one; UsageError where it was begun
/// with other options.
std::optional<TrainingState> state_to_resume(const TrainOptions& options);

/// Whether a run that was saved like this has come to its end: one of its bounds is reached and its
/// last model judged. Here --max-minutes bounds the time of all its parts together.
bool is_finished(const TrainOptions& options, const TrainingState& state);

class Trainer {
 public:
  /// `stop` is watched after every update, and while a model is judged: when it turns true the run
  /// is saved and Interrupted is thrown. `device` is where to compute.
  Trainer(const TrainOptions& options, TrainingObserver& observer, const std::atomic<bool>& stop,
          std::string device = "cpu");
  ~Trainer();

  /// Trains until a bound is reached; the model is in the folder afterwards.
  void run();

 private:
  /// No other process may write to the folder from here on.
  void lock_folder();
  void begin();
  /// The vocabulary of the run in the folder; UsageError where its options differ from `options`.
  void load_setting(const nlohmann::ordered_json& options);
  void read_data(bool resuming);
  void restore();
  void update(const BatchPlan& plan);
  /// Validates and samples the model as it is now, and notes whether it is the best so far. None
  /// where that was stopped, by the user or because time is up; nothing has changed then.
  std::optional<EpochReport> judge();
  EpochReport judge_to_the_end() const;
  /// Throws where judging has to stop.
  void check_judging(double share) const;
  /// What is left of a run that stopped while its model was judged: it is judged on --resume.
  void leave_unjudged();
  [[noreturn]] void stop_here();
  nlohmann::ordered_json epoch_line(const EpochReport& report) const;
  /// False where judging was stopped.
  bool finish_epoch();
  void judge_unfinished_epoch();
  bool is_best(const EpochReport& report) const;
  double validate() const;
  bool out_of_time(double reserve) const;
  enum class Part { kTrain, kValid };
  /// What the sentences of a part of the data are written from; null for a language model.
  const Dataset* sources_of(Part part) const;
  std::vector<Trace> sample() const;
  void save_model();
  void save_state();
  void log(nlohmann::ordered_json line);
  /// Says what β will be when the run has spent its budget, if β changes at all.
  void tell_beta() const;
  /// A loss above that of knowing nothing. Watched over an epoch, so that one bad update isn't it.
  bool diverged(const EpochReport& report) const;
  bool finished() const;
  /// Whether --max-minutes are over, or judging as long as last time would make them be.
  bool time_is_up() const { return out_of_time(1.1 * judging_seconds_); }
  double run_seconds() const;

  const TrainOptions& options_;
  TrainingObserver& observer_;
  const std::atomic<bool>& stop_;
  std::string device_;
  fs::path folder_;
  std::optional<FolderLock> lock_;
  TrainingData data_;
  Model model_;
  std::unique_ptr<RollInWalker> walker_;
  std::unique_ptr<Adam> adam_;
  std::unique_ptr<Judge> judge_;
  TrainingState state_;
  bool diverged_ = false;  // in the last epoch
  std::chrono::steady_clock::time_point started_;
  double seconds_before_ = 0.0;   // trained by earlier runs
  double judging_seconds_ = 0.0;  // what judging took last
};

}  // namespace bough
