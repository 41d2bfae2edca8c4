// bough tune: chooses decoding settings on validation data.
//
// Settings are tried one after the other: first when to stop, then the others that the method has,
// each with the best of those before it. A model for reordering is judged by BLEU against the
// sentences whose words it puts in order, a language model by the BLEU of completions of three
// words of each (as `bough eval completion` is).
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <set>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/data/corpus.h"
#include "bough/generate/settings.h"
#include "bough/metrics/bleu.h"
#include "bough/metrics/samples.h"
#include "commands.h"
#include "writing.h"

namespace bough::cli {

namespace {

class TuneCommand : public Command {
 public:
  TuneCommand() { writing_.options.sampler.decode = Decode::kGreedy; }

  std::string_view name() const override { return "tune"; }
  std::string_view summary() const override {
    return "Choose decoding settings of a model on validation data.";
  }
  std::string_view usage() const override { return "tune --model DIR --valid FILE [options]"; }
  void declare(OptionSet& set) override {
    set.group("Tuning");
    writing_.declare_model(set);
    set.text("valid", valid_, "FILE", "sentences, one a line").required = true;
    set.integer("count", count_, {1, 1'000'000'000}, "use the first so many").short_name = 'n';
    set.flag("exact", exact_, "for reordering with --exact");
    set.text("output", output_, "FILE", "where to write the table; -: standard output").short_name =
        'o';
    writing_.declare(set);
  }

  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    std::string method = writing_.options.method();
    writing_.compute.apply();
    Model model = load_model(writing_.folder, writing_.compute.device);
    bool reorder = model.config.task == Task::kReorder;
    if (exact_ && !reorder) throw UsageError("--exact is for models that put words in order");
    std::string way = !reorder ? "complete" : exact_ ? "reorder exact" : "reorder";
    read_valid(model);
    table_ = fmt::format("{}\tBLEU\n", fmt::join(kSettings, "\t"));
    for (std::string_view setting : kSettings) {
      best_[std::string(setting)] = set.find(setting)->get();
    }
    attempt(model, set, nlohmann::ordered_json::object());
    bool end_rule_counts = method == "greedy" || method == "beam" || model.config.policy.end_head;
    if (end_rule_counts) {
      attempt(model, set, {{"end-rule", "argmax"}});
      for (int percent = 20; percent <= 90; percent += 10) {
        attempt(model, set, {{"end-rule", "threshold"}, {"end-threshold", percent / 100.0}});
      }
    }
    if (method == "sample" || method == "mbr") {
      for (double value : {0.3, 0.5, 0.7, 0.85, 1.0}) attempt(model, set, {{"temperature", value}});
    }
    if (method == "beam") {
      for (double value : {0.0, 0.5, 1.0, 1.5}) attempt(model, set, {{"length-power", value}});
    }
    OutputFile output(output_);
    output.write(table_);
    output.commit();
    nlohmann::ordered_json kept;
    for (const std::string& setting : tried_) kept[setting] = best_[setting];
    save_tuned_settings(writing_.folder, settings_name(way, writing_.options), kept);
    spdlog::info("kept {} in generation.json (BLEU {:.2f})", kept.dump(), best_bleu_);
  }

 private:
  static constexpr std::array<std::string_view, 4> kSettings = {"end-rule", "end-threshold",
                                                                "temperature", "length-power"};

  void read_valid(const Model& model) {
    read_corpus(valid_, Tokenizer(model.config.tokenizer), {},
                [&](std::vector<std::string>&& words) { sentences_.push_back(std::move(words)); });
    if (sentences_.empty()) throw DataError("'{}' has no sentences", valid_);
    size_t count = std::min(sentences_.size(), static_cast<size_t>(count_));
    bool reorder = model.config.task == Task::kReorder;
    for (size_t i = 0; i < count; ++i) {
      const std::vector<std::string>& words = sentences_[i];
      Prompt& prompt = prompts_.emplace_back();
      if (reorder) {
        lines_.push_back(join_words(words));
        bags_.push_back(model.vocabulary.ids(words));
        if (exact_) prompt.demands = demand_permutation(words, model.vocabulary);
      } else {
        prompt = writing_.completion_prompt(words, i, model.vocabulary);
      }
    }
    for (size_t i = 0; i < bags_.size(); ++i) prompts_[i].source = bags_[i];
  }

  /// Tries the best settings so far with these changes.
  void attempt(const Model& model, OptionSet& set, const nlohmann::ordered_json& changes) {
    nlohmann::ordered_json settings = best_;
    for (const auto& [setting, value] : changes.items()) {
      settings[setting] = value;
      tried_.insert(setting);
    }
    set.from_json(settings, "bough tune");
    double bleu = score(model);
    for (std::string_view setting : kSettings) {
      nlohmann::json value = set.find(setting)->get();
      table_ += (value.is_string() ? value.get<std::string>() : value.dump()) + "\t";
    }
    table_ += fmt::format("{:.2f}\n", bleu);
    if (bleu > best_bleu_) {
      best_bleu_ = bleu;
      best_ = settings;
    }
    set.from_json(best_, "bough tune");
  }

  double score(const Model& model) const {
    Sentences written;
    WriteRequest request{.count = static_cast<int64_t>(prompts_.size()), .prompts = prompts_};
    writing_.write(model, request, [&](std::vector<Written>&& found) {
      written.push_back(found.front().trace.sentence());
    });
    size_t threads = thread_count(writing_.compute.threads);
    if (lines_.empty()) {
      return 100.0 * measure_samples(written, {}, sentences_, 4, threads).bleu.back();
    }
    std::vector<std::string> hypotheses;
    for (const std::vector<std::string>& words : written) hypotheses.push_back(join_words(words));
    auto bleu = make_bleu({.tokenizer = BleuTokenizer::kNone});
    return bleu->score(measure_text(*bleu, hypotheses, References({lines_}), threads).sum());
  }

  std::string valid_;
  int64_t count_ = 1000;
  bool exact_ = false;
  std::string output_ = "-";
  Writing writing_;
  Sentences sentences_;             // all
  std::vector<std::string> lines_;  // of the bags
  std::vector<std::vector<WordId>> bags_;
  std::vector<Prompt> prompts_;
  std::string table_;
  std::set<std::string> tried_;  // settings
  nlohmann::ordered_json best_;  // of all settings
  double best_bleu_ = -1.0;
};

}  // namespace

std::unique_ptr<Command> make_tune_command() {
  return std::make_unique<TuneCommand>();
}

}  // namespace bough::cli
