#include "neural/writing.h"

#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "bough/model/orders.h"
#include "neural/compute.h"
#include "neural/signals.h"
#include "neural/writing_task.h"

namespace bough::cli {

void search_unless_told(WriterOptions& options, OptionSet& set) {
  constexpr int64_t kBeam = 10;
  for (const char* name : {"decode", "beam-size", "mbr"}) {
    if (set.find(name)->was_set) return;
  }
  options.beam.size = kBeam;
}

std::shared_ptr<const Model> open_model(WritingOptions& writing, std::string_view verb,
                                        std::string_view way, OptionSet& set) {
  WriterOptions& options = writing.options;
  check_writing(writing, set);
  std::string settings = settings_name(way, options);
  set_up(writing.compute);
  spdlog::info("seed {}", options.seed);
  std::shared_ptr<const Model> model =
      load_model(writing.folder, writing.compute.device, options.precision);
  check_task(*model, writing.folder, verb);
  options.precision = precision_for(*model, options.precision, set);
  if (!model->has_checksums) {
    spdlog::warn("'{}' is from before models had checksums: damage to its text files goes unseen",
                 writing.folder);
  }
  nlohmann::json tuned = apply_tuned_settings(writing.folder, settings, set);
  if (!tuned.empty()) spdlog::info("settings by `bough tune` for '{}': {}", settings, tuned.dump());
  return model;
}

std::unique_ptr<Reranker> open_reranker(const WritingOptions& writing,
                                        const std::shared_ptr<const Model>& model) {
  const RerankOptions& rerank = writing.rerank;
  if (rerank.by == RerankBy::kNothing) return nullptr;
  std::shared_ptr<const Model> judge = model;
  if (!rerank.model.empty()) {
    judge = load_model(rerank.model, writing.compute.device, writing.options.precision);
  }
  if (judge->config.task != model->config.task) {
    throw UsageError(
        "--rerank-model '{}' is one for --task {}, but '{}' is one for --task {}: give one of the "
        "same task",
        rerank.model, name_of(judge->config.task), writing.folder, name_of(model->config.task));
  }
  return std::make_unique<Reranker>(std::move(judge), rerank, writing.options);
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

void warn_of_greedy(const WriterOptions& options, const WriteRequest& request) {
  if (request.best < 2 || options.method() != "greedy") return;
  spdlog::warn(
      "greedy decoding finds one sentence a line: for --nbest give --beam-size, --mbr or "
      "--decode sample");
}

void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const std::function<void(std::vector<Written>&&)>& take) {
  const std::atomic<bool>& stop = stop_requested();
  WriteRequest stoppable = request;
  for (const Order& order : chosen_orders(model.config, options.orders)) {
    stoppable.starts.push_back(order.start);
  }
  if (stoppable.starts.size() > 1 && stoppable.best == 0) stoppable.best = stoppable.each;
  stoppable.between_steps = [&] {
    if (stop) throw Interrupted("interrupted");
  };
  Writer(*model.policy, model.text, options).write(stoppable, take);
}

}  // namespace bough::cli
