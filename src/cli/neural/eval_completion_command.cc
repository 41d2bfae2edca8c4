// bough eval completion: the paper's experiment of section 4.2. Three random words of each sentence
// are given, one completion is sampled, and BLEU says how like real sentences it is.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/data/corpus.h"
#include "bough/generate/settings.h"
#include "bough/metrics/samples.h"
#include "bough/model/seed_folders.h"
#include "bough/train/run_options.h"
#include "eval_completion_verb.h"
#include "eval_report.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "run_names.h"

namespace bough::cli {

namespace {

constexpr size_t kMaxOrder = 5;

class EvalCompletionCommand : public EvalCompletionVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    std::vector<std::string> folders = with_models_of_seeds(models_);
    std::vector<std::string> names = tell_apart(folders, name_of_folder);
    if (!completions_.empty() && folders.size() > 1) {
      throw UsageError("--completions takes those of one model, not of {}", folders.size());
    }
    std::vector<RunNumbers> runs;
    for (size_t i = 0; i < folders.size(); ++i) runs.push_back(run_of(folders[i], names[i], set));
    OutputFile output(output_);
    output.write(to_text(runs, format_));
    output.commit();
  }

 private:
  RunNumbers run_of(const std::string& folder, const std::string& run_name, OptionSet& given) {
    WritingOptions writing = writing_;  // with what was tuned for this model
    OptionSet set;
    writing.declare(set);
    mark_as_set(set, given);
    ask::check_writer_options(writing.options, set);
    ask::OpenModel open = open_for_writing(folder, writing.options, writing.compute, set);
    ask::check_task(open, name());
    const Model& model = *open.model;
    writing.options.precision = open.precision;
    std::string settings = settings_name("complete", writing.options);
    tell_of_settings(settings, apply_tuned_settings(fs::path(folder), settings, set));
    SplitSentences real = read_sentences(valid_, model.text.tokenizer, corpus_);
    SplitSentences completions = complete(model, writing.options, real);
    if (!completions_.empty()) {
      OutputFile file(completions_);
      for (const auto& words : completions) file.write_line(model.text.tokenizer.join(words));
      file.commit();
    }
    SampleStatistics statistics =
        measure_samples(completions, {}, real, kMaxOrder, thread_count(writing_.compute.threads));
    return {
        .name = run_name, .recipe = recipe_of(model, folder), .numbers = numbers_of(statistics)};
  }

  SplitSentences complete(const Model& model, const WriterOptions& options,
                          const SplitSentences& real) const {
    size_t count = count_ > 0 ? std::min(static_cast<size_t>(count_), real.size()) : real.size();
    std::vector<Prompt> prompts;
    for (size_t i = 0; i < count; ++i) {
      prompts.push_back(completion_prompt(options, real[i], i, model.text.vocabulary));
    }
    SplitSentences completions;
    WriteRequest request{.count = static_cast<int64_t>(count), .prompts = prompts};
    write_sentences(options, model, request, [&](std::vector<Written>&& found) {
      completions.push_back(found.front().trace.sentence());
    });
    return completions;
  }

  static nlohmann::ordered_json numbers_of(const SampleStatistics& statistics) {
    nlohmann::ordered_json json = {{"completions", statistics.samples},
                                   {"unique", statistics.unique_percent},
                                   {"mean_tokens", statistics.mean_tokens}};
    add_by_order(json, "bleu", statistics.bleu);
    return json;
  }
};

}  // namespace

std::unique_ptr<Command> make_eval_completion_command() {
  return std::make_unique<EvalCompletionCommand>();
}

}  // namespace bough::cli
