// bough tune: chooses when a model stops, on validation data.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/data/corpus.h"
#include "bough/generate/generator.h"
#include "bough/generate/settings.h"
#include "bough/metrics/bleu.h"
#include "commands.h"
#include "signals.h"

namespace bough::cli {

namespace {

class TuneCommand : public Command {
 public:
  TuneCommand() { request_.sampler.decode = Decode::kGreedy; }

  std::string_view name() const override { return "tune"; }
  std::string_view summary() const override {
    return "Choose on validation data when a model stops.";
  }
  std::string_view usage() const override { return "tune --model DIR --valid FILE [options]"; }
  void declare(OptionSet& set) override {
    set.group("Tuning");
    set.text("model", model_, "DIR", "the model's folder; settings go to its generation.json")
        .required = true;
    set.text("valid", valid_, "FILE", "sentences, one a line").required = true;
    set.integer("count", count_, {1, 1'000'000'000}, "use the first so many").short_name = 'n';
    set.flag("exact", exact_, "for decoding with --exact");
    set.text("output", output_, "FILE", "where to write the table; -: standard output").short_name =
        'o';
    set.integer("batch-size", request_.batch_size, {1, 1'000'000},
                "sentences written side by side; changes speed, not output");
    common_.declare(set);
    compute_.declare(set);
  }

  void run(std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    compute_.apply();
    Model model = load_model(model_, compute_.device);
    check_task(model, Task::kReorder, model_, name());
    read_valid(model);
    nlohmann::ordered_json best;
    double best_bleu = -1.0;
    std::string table = "end-rule\tend-threshold\tBLEU\n";
    auto attempt = [&](EndRule rule, double threshold) {
      request_.sampler.end_rule = rule;
      request_.sampler.end_threshold = threshold;
      double bleu = score(model);
      bool by_threshold = rule == EndRule::kThreshold;
      table += fmt::format("{}\t{}\t{:.2f}\n", name_of(rule),
                           by_threshold ? fmt::format("{:.2f}", threshold) : "-", bleu);
      if (bleu <= best_bleu) return;
      best_bleu = bleu;
      best = {{"end-rule", name_of(rule)}};
      if (by_threshold) best["end-threshold"] = threshold;
    };
    attempt(EndRule::kArgmax, 0.5);
    for (int percent = 20; percent <= 90; percent += 10) {
      attempt(EndRule::kThreshold, percent / 100.0);
    }
    OutputFile output(output_);
    output.write(table);
    output.commit();
    save_tuned_settings(model_, exact_ ? "exact" : "free", best);
    spdlog::info("kept {} in generation.json (BLEU {:.2f})", best.dump(), best_bleu);
  }

 private:
  void read_valid(const Model& model) {
    read_corpus(valid_, Tokenizer(model.config.tokenizer), {},
                [&](std::vector<std::string>&& words) {
                  if (static_cast<int64_t>(lines_.size()) >= count_) return;
                  lines_.push_back(join_words(words));
                  bags_.push_back(model.vocabulary.ids(words));
                  if (exact_) demands_.push_back(demand_permutation(words, model.vocabulary));
                });
    if (lines_.empty()) throw DataError("'{}' has no sentences", valid_);
  }

  double score(const Model& model) {
    std::vector<Source> sources(bags_.begin(), bags_.end());
    request_.count = static_cast<int64_t>(sources.size());
    request_.sources = sources;
    request_.demands = demands_;
    std::vector<std::string> hypotheses;
    const std::atomic<bool>& stop = stop_requested();
    generate(*model.policy, model.vocabulary, request_, [&](Trace&& trace) {
      hypotheses.push_back(join_words(trace.sentence()));
      if (stop) throw Interrupted("interrupted");
    });
    auto bleu = make_bleu({.tokenizer = BleuTokenizer::kNone});
    References references({lines_});
    return bleu->score(
        measure_text(*bleu, hypotheses, references, thread_count(compute_.threads)).sum());
  }

  std::string model_;
  std::string valid_;
  int64_t count_ = 1000;
  bool exact_ = false;
  std::string output_ = "-";
  GenerateRequest request_;
  std::vector<std::string> lines_;
  std::vector<std::vector<WordId>> bags_;
  std::vector<std::shared_ptr<const Demands>> demands_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace

std::unique_ptr<Command> make_tune_command() {
  return std::make_unique<TuneCommand>();
}

}  // namespace bough::cli
