// bough train: learns a model from sentences.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/text/tokenizer.h"
#include "bough/train/trainer.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "neural/signals.h"
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
    if (report.quality && report.quality->goal) return " (kept: the best BLEU)";
    if (last_beta_ && *last_beta_ != report.beta) return " (kept: β is new, losses don't compare)";
    return " (kept)";
  }

  Progress progress_;
  std::optional<double> last_beta_;
};

class TrainCommand : public TrainVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    set_up(compute_);
    take_options_of_run(options_, set);
    ConsoleObserver observer(common_.quiet);
    Trainer trainer(options_, observer, stop_requested(), compute_.device);
    spdlog::info("seed {}", options_.seed);
    trainer.run();
    std::string_view verb = options_.task == Task::kLm ? "generate" : name_of(options_.task);
    spdlog::info("the model is in '{}': try `bough {} --model {}`", options_.out, verb,
                 options_.out);
  }
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace bough::cli
