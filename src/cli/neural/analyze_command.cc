// bough analyze --model: sentences drawn from models for it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "analyze_command.h"
#include "bough/analysis/training_curves.h"
#include "bough/base/error.h"
#include "bough/model/seed_folders.h"
#include "bough/train/run_options.h"
#include "line_input.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "run_names.h"

namespace bough::cli {

namespace {

constexpr int64_t kAlternatives = 5;

/// Only sentences that are shown need them; of many others they would fill the memory.
void forget_alternatives(Trace& trace) {
  for (StepScore& score : trace.scores) score.alternatives = {};
}

/// What a line of --input is as ids, and which line it is, counted from 0.
struct NumberedSource {
  int64_t number = 0;
  std::vector<WordId> words;
};

class AnalyzeModelsCommand : public AnalyzeCommand {
 private:
  std::vector<Traced> draw_all(OptionSet& set) const override {
    std::vector<std::string> folders = with_models_of_seeds(models_);
    std::vector<std::string> names = tell_apart(folders, name_of_folder);
    set_up(writing_.compute);
    std::vector<Traced> all;
    for (size_t i = 0; i < folders.size(); ++i) {
      all.push_back(draw_from(folders[i], names[i], set));
    }
    return all;
  }

  Traced draw_from(const std::string& folder, const std::string& name, OptionSet& set) const {
    ask::OpenModel open = ask::open_model(folder, writing_.compute.device,
                                          precision_said(writing_.options.precision, set));
    const Model& model = *open.model;
    WriterOptions options = writing_.options;
    options.precision = open.precision;
    std::vector<NumberedSource> sources = read_sources(model, folder);
    std::vector<Prompt> prompts;
    for (const NumberedSource& source : sources) {
      prompts.push_back({.source = source.words, .name = PromptName{.number = source.number}});
    }
    Traced traced{.name = name,
                  .recipe = recipe_of(model, folder),
                  .facts = facts_of(model),
                  .traces = {},
                  .curves = {},
                  .tokenizer = model.text.tokenizer};
    WriteRequest request{.count = sources.empty() ? count_ : static_cast<int64_t>(sources.size()),
                         .prompts = prompts,
                         .with_scores = true,
                         .alternatives = kAlternatives};
    write_sentences(options, model, request, [&](std::vector<Written>&& written) {
      for (Written& one : written) {
        if (static_cast<int64_t>(traced.traces.size()) >= shown_) forget_alternatives(one.trace);
        traced.traces.push_back(std::move(one.trace));
      }
    });
    fs::path metrics = fs::path(folder) / "metrics.jsonl";
    if (fs::exists(metrics)) traced.curves = read_training_curves(metrics.string());
    spdlog::info("{}: {} sentences", traced.name, traced.traces.size());
    return traced;
  }

  /// What a model writes from; nothing for a language model.
  std::vector<NumberedSource> read_sources(const Model& model, const std::string& folder) const {
    std::vector<NumberedSource> sources;
    if (!traits_of(model.config.task).has_source()) return sources;
    if (input_.empty()) {
      throw UsageError("'{}' writes from a source (--task {}): give lines by --input FILE", folder,
                       name_of(model.config.task));
    }
    const Language& text = model.source_text();
    LineInput input(input_, corpus_.skip_bad_lines ? OnError::kSkip : OnError::kFail);
    auto take = [&](const std::string& line) {
      std::vector<std::string> words = source_.split(line, text.tokenizer);
      if (!words.empty()) sources.push_back({input.number(), text.vocabulary.ids(words)});
    };
    while (static_cast<int64_t>(sources.size()) < count_ && input.next(take)) {
    }
    input.warn_of_skipped();
    if (sources.empty()) throw DataError("'{}' has no lines to write from", input_);
    return sources;
  }

  static std::vector<std::pair<std::string, std::string>> facts_of(const Model& model) {
    const PolicyOptions& policy = model.config.policy;
    const auto& training = model.config.training;
    std::vector<std::pair<std::string, std::string>> facts = {
        {"task", std::string(name_of(model.config.task))},
        {"policy",
         fmt::format("{}, {} × {}", name_of(policy.policy), policy.layers, policy.hidden_size)},
        {"slot context", std::string(name_of(policy.slot_context))},
        {"vocabulary", std::to_string(model.text.vocabulary.size())}};
    if (training.contains("oracle")) facts.emplace_back("oracle", training["oracle"]);
    return facts;
  }
};

}  // namespace

std::unique_ptr<Command> make_analyze_models_command() {
  return std::make_unique<AnalyzeModelsCommand>();
}

}  // namespace bough::cli
