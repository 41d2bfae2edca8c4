#include "neural/writing.h"

#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "neural/compute.h"
#include "neural/signals.h"

namespace bough::cli {

namespace {

void check_task(const Model& model, Task task, const std::string& folder, std::string_view verb) {
  if (model.config.task == task) return;
  throw UsageError("bough {} needs a model trained with --task {}, but '{}' is one for --task {}",
                   verb, name_of(task), folder, name_of(model.config.task));
}

}  // namespace

Model open_model(const WritingOptions& writing, Task task, std::string_view verb,
                 std::string_view way, OptionSet& set) {
  const WriterOptions& options = writing.options;
  std::string settings = settings_name(way, options);
  set_up(writing.compute);
  spdlog::info("seed {}", options.seed);
  Model model = load_model(writing.folder, writing.compute.device);
  check_task(model, task, writing.folder, verb);
  apply_tuned_settings(writing.folder, settings, set);
  model.set_precision(options.precision);
  return model;
}

Prompt completion_prompt(const WriterOptions& options, std::span<const std::string> sentence,
                         size_t index, const Vocabulary& vocabulary) {
  constexpr size_t kGivenWords = 3;
  RandomStream random(static_cast<uint64_t>(options.seed), Purpose::kValidation, index);
  Demands demands = demand_some_words(sentence, kGivenWords, vocabulary, random);
  options.bounds.apply(demands);
  demands.check();
  return {.source = {}, .demands = std::make_shared<Demands>(std::move(demands))};
}

void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const std::function<void(std::vector<Written>&&)>& take) {
  const std::atomic<bool>& stop = stop_requested();
  Writer(*model.policy, model.text, options).write(request, [&](std::vector<Written>&& written) {
    take(std::move(written));
    if (stop) throw Interrupted("interrupted");
  });
}

}  // namespace bough::cli
