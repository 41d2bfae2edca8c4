// bough tune: chooses decoding settings on validation data.
//
// Settings are tried one after the other: first when to stop, then the others that the method has,
// each with the best of those before it. An <end> head is calibrated first (train/calibration.h). A
// model for reordering is judged by BLEU against the sentences whose words it puts in order, a
// language model by the BLEU of completions of three words of each (as `bough eval completion` is),
// one that translates by BLEU of its translations.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/options_json.h"
#include "bough/base/parallel.h"
#include "bough/data/corpus.h"
#include "bough/generate/settings.h"
#include "bough/metrics/bleu.h"
#include "bough/metrics/samples.h"
#include "bough/train/calibration.h"
#include "bough/train/run_options.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "tune_verb.h"

namespace bough::cli {

namespace {

class TuneCommand : public TuneVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (exact_) ask::search_unless_told(writing_.options, set);
    std::string method = writing_.options.method();
    set_up(writing_.compute);
    ask::OpenModel open = ask::open_model(writing_.folder, writing_.compute.device,
                                          precision_said(writing_.options.precision, set));
    const Model& model = *open.model;
    const TaskTraits& task = traits_of(model.config.task);
    writing_.options.precision = open.precision;
    if (exact_ && !task.can_be_exact()) {
      throw UsageError("--exact is for models that put words in order");
    }
    if (source_valid_.empty() == task.needs_source_file()) {
      throw UsageError("--source-valid is for models that translate, and they need it");
    }
    read_valid(model);
    table_ = fmt::format("{}\tBLEU\n", fmt::join(kSettings, "\t"));
    for (std::string_view setting : kSettings) {
      best_[std::string(setting)] = json_of(set.find(setting)->get());
    }
    attempt(model, set, nlohmann::ordered_json::object());
    tune_stopping(model, set);
    if (!sources_.empty() && !exact_) {  // exactly all words: the length is known
      double ratio = length_ratio();
      for (double bias : {0.25, 0.5, 1.0, 2.0}) {
        attempt(model, set, {{"length-bias", bias}, {"length-ratio", ratio}});
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
    if (dry_run_) {
      spdlog::info("would keep {} (BLEU {:.2f}); --dry-run keeps nothing", kept.dump(), best_bleu_);
      return;
    }
    save_tuned_settings(writing_.folder, settings_name(way(task), writing_.options), kept);
    spdlog::info("kept {} in generation.json (BLEU {:.2f})", kept.dump(), best_bleu_);
  }

 private:
  /// When to stop, where that isn't a matter of the words: by an <end> head, or by words' sides.
  void tune_stopping(const Model& model, OptionSet& set) {
    bool searches = writing_.options.method() == "beam";
    bool end_head = model.config.policy.end_head;
    bool sides = model.config.policy.shape == Shape::kArity;
    if (sides && searches) return;  // they compete, whatever the rule says
    if (writing_.options.method() == "greedy" || searches || end_head || sides) {
      attempt(model, set, {{"end-rule", "argmax"}});
      for (int percent = 20; percent <= 90; percent += 10) {
        attempt(model, set, {{"end-rule", "threshold"}, {"end-threshold", percent / 100.0}});
      }
    }
    if (searches || !(end_head || sides)) return;  // no probability is drawn by
    attempt(model, set, {{"end-rule", "sample"}});
    if (!end_head) return;
    double temperature = calibrated_temperature(model);
    attempt(model, set, {{"end-rule", "sample"}, {"end-temperature", temperature}});
  }

  std::string way(const TaskTraits& task) const {
    return std::string(task.tuned_verb) + (exact_ ? " exact" : "");
  }

  static constexpr std::array<std::string_view, 7> kSettings = {
      "end-rule",     "end-threshold", "end-temperature", "length-bias",
      "length-ratio", "temperature",   "length-power"};

  void read_valid(const Model& model) {
    if (traits_of(model.config.task).needs_source_file()) {
      read_pairs(model);
    } else {
      read_own_words(model);
    }
    if (prompts_.empty()) throw DataError("'{}' has no sentences", valid_);
    for (size_t i = 0; i < sources_.size(); ++i) prompts_[i].source = sources_[i];
  }

  /// Words (or pieces) that should be written for one of a source.
  double length_ratio() const {
    size_t source_words = 0;
    for (const auto& source : sources_) source_words += source.size();
    double ratio = static_cast<double>(targets_.word_count()) / static_cast<double>(source_words);
    return std::round(ratio * 1000.0) / 1000.0;
  }

  /// Of the <end> head, along trees of the validation sentences.
  double calibrated_temperature(const Model& model) const {
    Dataset sources;
    for (const auto& source : sources_) sources.add(source);
    Calibration found = calibrate(end_decisions(
        *model.policy, options_of(model).oracle, targets_, sources_.empty() ? nullptr : &sources,
        model.text.tokenizer.unfinished_pieces(model.text.vocabulary)));
    spdlog::info(
        "the <end> head's probabilities are true at temperature {:.3f}: cross-entropy {:.4f} a "
        "slot, {:.4f} without",
        found.temperature, found.loss_after, found.loss_before);
    return std::round(found.temperature * 1000.0) / 1000.0;
  }

  bool enough() const { return static_cast<int64_t>(prompts_.size()) >= count_; }

  /// Words of each sentence are what it is written from, or given.
  void read_own_words(const Model& model) {
    const Language& text = model.text;
    bool has_source = traits_of(model.config.task).has_source();
    sentences_ = read_sentences(valid_, text.tokenizer, {});
    for (const std::vector<std::string>& own : sentences_) {
      if (enough()) return;
      targets_.add(text.vocabulary.ids(own));
      if (!has_source) {
        prompts_.push_back(
            completion_prompt(writing_.options, own, prompts_.size(), text.vocabulary));
        continue;
      }
      Prompt& prompt = prompts_.emplace_back();
      if (exact_) prompt.demands = demand_permutation(own, text.vocabulary);
      sources_.push_back(text.vocabulary.ids(own));
      lines_.push_back(join_words(own));
    }
  }

  void read_pairs(const Model& model) {
    auto take = [&](std::vector<std::string>&& from, std::vector<std::string>&& to) {
      if (enough()) return;
      prompts_.emplace_back();
      sources_.push_back(model.source->vocabulary.ids(from));
      targets_.add(model.text.vocabulary.ids(to));
      lines_.push_back(model.text.tokenizer.join(to));
    };
    read_parallel({.path = source_valid_, .tokenizer = model.source->tokenizer},
                  {.path = valid_, .tokenizer = model.text.tokenizer}, {}, take);
  }

  /// Tries the best settings so far with these changes.
  void attempt(const Model& model, OptionSet& set, const nlohmann::ordered_json& changes) {
    nlohmann::ordered_json settings = best_;
    for (const auto& [setting, value] : changes.items()) {
      settings[setting] = value;
      tried_.insert(setting);
    }
    set_from_json(set, settings, "bough tune");
    double bleu = score(model);
    for (std::string_view setting : kSettings) {
      nlohmann::ordered_json value = json_of(set.find(setting)->get());
      table_ += (value.is_string() ? value.get<std::string>() : value.dump()) + "\t";
    }
    table_ += fmt::format("{:.2f}\n", bleu);
    if (bleu > best_bleu_) {
      best_bleu_ = bleu;
      best_ = settings;
    }
    set_from_json(set, best_, "bough tune");
  }

  double score(const Model& model) const {
    SplitSentences written;
    std::vector<std::string> texts;
    WriteRequest request{.count = static_cast<int64_t>(prompts_.size()), .prompts = prompts_};
    write_sentences(writing_.options, model, request, [&](std::vector<Written>&& found) {
      written.push_back(found.front().trace.sentence());
      texts.push_back(std::move(found.front().trace.text));
    });
    size_t threads = thread_count(writing_.compute.threads);
    const TaskTraits& task = traits_of(model.config.task);
    if (!task.has_source()) {
      return 100.0 * measure_samples(written, {}, sentences_, 4, threads).bleu.back();
    }
    auto bleu = make_bleu({.tokenizer = task.bleu_tokenizer});
    return bleu->score(measure_text(*bleu, texts, References({lines_}), threads).sum());
  }

  SplitSentences sentences_;        // all, but of a translation
  std::vector<std::string> lines_;  // what should be written
  Dataset targets_;                 // the same as numbers
  std::vector<std::vector<WordId>> sources_;
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
