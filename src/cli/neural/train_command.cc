// bough train: learns a model from sentences.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <thread>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/model/seed_folders.h"
#include "bough/text/tokenizer.h"
#include "bough/train/run_end.h"
#include "bough/train/run_folder.h"
#include "bough/train/run_options.h"
#include "bough/train/trainer.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "neural/signals.h"
#include "neural/workers.h"
#include "progress.h"
#include "train_verb.h"

namespace bough::cli {

namespace {

/// Tells a person how training goes.
class ConsoleObserver : public TrainingObserver {
 public:
  explicit ConsoleObserver(bool quiet) : progress_(quiet) {}

  void on_note(const std::string& note) override { spdlog::info(note); }
  void on_warning(const std::string& warning) override { spdlog::warn(warning); }

  void on_update(const UpdateReport& report) override {
    progress_.show(static_cast<double>(report.epoch_update) /
                       static_cast<double>(std::max<int64_t>(1, report.updates_in_epoch)),
                   fmt::format("epoch {} · {}/{} · loss {:.3f} · β {:.2f} · {:.0f} sentences/s",
                               report.epoch, report.epoch_update, report.updates_in_epoch,
                               report.loss, report.beta, report.sentences_per_second));
  }

  void on_judging(double share) override {
    progress_.show(share, fmt::format("judging the model · {:.0f} %", 100.0 * share));
  }

  void on_epoch(const EpochReport& report) override {
    progress_.clear();
    std::string valid =
        report.validated ? fmt::format(", validation {:.4f}{}", report.valid.loss, why_kept(report))
                         : "";
    last_beta_ = report.beta;
    if (report.quality) {
      for (const auto& [name, value] : report.quality->numbers) {
        valid += fmt::format(", {} {:.3f}", name, value);
      }
    }
    spdlog::info("epoch {}: loss {:.4f}{}, β {:.2f}, learning rate {:g}, {:.1f} min", report.epoch,
                 report.train.loss, valid, report.beta, report.learning_rate,
                 report.seconds / 60.0);
    for (const Trace& sample : report.samples) spdlog::info("  {}", sample.text);
  }

 private:
  /// A model with a higher loss may be kept: the loss isn't what counts, or not the same.
  std::string why_kept(const EpochReport& report) const {
    if (!report.best) return "";
    if (report.quality && report.quality->goal) {
      return fmt::format(" (kept: the best {})", report.quality->goal_name);
    }
    if (last_beta_ && *last_beta_ != report.beta) return " (kept: β is new, losses don't compare)";
    return " (kept)";
  }

  Progress progress_;
  std::optional<double> last_beta_;
};

/// The command line beats the environment, which beats a file.
int rank_of(const std::string& set_by) {
  if (set_by.starts_with("--")) return 2;
  return set_by.starts_with("BOUGH_") ? 1 : 0;
}

class TrainCommand : public TrainVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    stop_requested();  // heard from here on, also while processes meet
    Workers workers(workers_);
    if (workers.place().rank > 0) spdlog::set_level(spdlog::level::err);
    set_up(share_of_cores(workers.place()));
    if (workers.place().size > 1) {
      train_together(workers, set);
      return;
    }
    if (set.find("seeds")->was_set) {
      train_seeds(set);
      return;
    }
    if (!has_model(options_.out) && !models_of_seeds(options_.out).empty()) {
      throw UsageError("'{}' holds models of seeds: give --seeds, or another --out", options_.out);
    }
    take_options_of_run(options_, set);
    train(options_);
    tell_of_model();
  }

 private:
  /// Processes of one machine share its cores.
  ComputeOptions share_of_cores(const RankPlace& place) const {
    ComputeOptions compute = compute_;
    int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    if (compute.threads == 0 && place.local_size > 1) {
      compute.threads = std::max<int64_t>(1, cores / place.local_size);
    }
    return compute;
  }

  void train_together(Workers& workers, OptionSet& set) {
    if (set.find("seeds")->was_set) {
      throw UsageError(
          "--seeds trains one model after the other: give one --seed to many processes");
    }
    if (compute_.device != "cpu") throw UsageError("several processes train on --device cpu");
    Ranks& ranks = workers.meet(rank_timeout_);
    if (ranks.leads()) {
      take_options_of_run(options_, set);
      spdlog::info("seed {}; {} processes train together", options_.seed, ranks.size());
    }
    // All go by the leader's options, but for where things are.
    nlohmann::json values = nlohmann::json::parse(ranks.share(values_of(options_).dump()));
    if (!ranks.leads()) {
      OptionSet own;
      options_.declare(own);
      for (const char* place : {"train", "valid", "source-train", "source-valid", "embeddings"}) {
        if (set.find(place)->was_set) values.erase(place);
      }
      set_from_json(own, values, "rank 0");
    }
    ConsoleObserver observer(common_.quiet || !ranks.leads());
    Trainer(options_, observer, stop_requested(), compute_.device, ranks).run();
    if (!ranks.leads()) return;
    workers.wait();
    tell_of_model();
  }

  void tell_of_model() const {
    spdlog::info("the model is in '{}': try `bough {} --model {}`", options_.out,
                 traits_of(options_.task).verbs.front(), options_.out);
  }

  void train(const TrainOptions& options) const {
    spdlog::info("seed {}", options.seed);
    ConsoleObserver observer(common_.quiet);
    Trainer(options, observer, stop_requested(), compute_.device).run();
  }

  void train_seeds(OptionSet& set) const {
    std::vector<int64_t> seeds = parse_seeds(seeds_);
    const Option& several = *set.find("seeds");
    const Option& single = *set.find("seed");
    // A recipe may name one seed and the command line several.
    if (single.was_set && rank_of(several.set_by) <= rank_of(single.set_by)) {
      throw UsageError("{} and {}: give one of them", several.set_by, single.set_by);
    }
    if (has_model(options_.out)) {
      throw UsageError("'{}' holds a model of its own: --seeds takes a folder for several",
                       options_.out);
    }
    // What is wrong with any of them shows before the first one is trained.
    std::vector<TrainOptions> runs;
    for (int64_t seed : seeds) {
      const TrainOptions& run = runs.emplace_back(options_of(seed, set));
      RunFolder(run.out, run.resume, run.force).check();
    }
    for (TrainOptions& run : runs) {
      if (stop_requested()) {
        throw Interrupted("interrupted before seed {}: go on with --resume", run.seed);
      }
      go_on(run);
    }
    spdlog::info("{} models are in '{}'", runs.size(), options_.out);
  }

  /// The options of one seed's run: those given, then those that the run was begun with.
  TrainOptions options_of(int64_t seed, OptionSet& given) const {
    TrainOptions options = options_;
    OptionSet set;
    options.declare(set);
    mark_as_set(set, given);
    options.out = seed_folder(options_.out, seed).string();
    options.seed = seed;
    set.find("seed")->was_set = true;
    take_options_of_run(options, set);
    return options;
  }

  /// Trains a seed's model as far as it isn't; all seeds get the same time.
  void go_on(TrainOptions& options) const {
    std::optional<TrainingState> state = state_to_resume(options);
    if (state && is_finished(options, *state)) {
      spdlog::info("seed {} is finished: '{}'", options.seed, options.out);
      return;
    }
    constexpr double kLeastMinutes = 1e-6;  // 0 would be no bound
    if (state && options.max_minutes > 0.0) {
      options.max_minutes = std::max(kLeastMinutes, options.max_minutes - state->seconds / 60.0);
    }
    train(options);
  }
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace bough::cli
