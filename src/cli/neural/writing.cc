#include "neural/writing.h"

#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "bough/model/orders.h"
#include "neural/compute.h"
#include "neural/signals.h"

namespace bough::cli {

namespace {

void check_task(const Model& model, const std::string& folder, std::string_view verb) {
  if (traits_of(model.config.task).has_verb(verb)) return;
  throw UsageError("bough {} needs a model trained with --task {}, but '{}' is one for --task {}",
                   verb, tasks_where([&](const TaskTraits& task) { return task.has_verb(verb); }),
                   folder, name_of(model.config.task));
}

/// UsageError for bounds on the length that contradict each other; a default contradicts nothing.
void check_bounds(const DecodeBounds& bounds, OptionSet& set) {
  auto given = [&](std::string_view name) { return set.find(name)->was_set; };
  auto contradict = [](std::string_view one, int64_t value, std::string_view other, int64_t bound) {
    throw UsageError("--{} {} contradicts --{} {}: leave one of them out", one, value, other,
                     bound);
  };
  bool least = given("min-length");
  bool most = given("max-length");
  if (bounds.length > 0 && most && bounds.length > bounds.max_length) {
    contradict("length", bounds.length, "max-length", bounds.max_length);
  }
  if (bounds.length > 0 && least && bounds.length < bounds.min_length) {
    contradict("length", bounds.length, "min-length", bounds.min_length);
  }
  if (least && most && bounds.min_length > bounds.max_length) {
    contradict("min-length", bounds.min_length, "max-length", bounds.max_length);
  }
}

/// UsageError where lists of several orders are to be one, and one sentence is all that there is.
void check_orders(const WriterOptions& options) {
  if (options.orders.size() < 2 || options.method() != "greedy") return;
  throw UsageError(
      "several orders make one list of the best, and greedy decoding has none: give --beam-size, "
      "--mbr or --decode sample, or one --order");
}

/// UsageError where nothing is ranked anew that options are given for, or where one sentence is all
/// that there is.
void check_rerank(const WritingOptions& writing, OptionSet& set) {
  if (writing.rerank.by == RerankBy::kNothing) {
    for (const char* name : {"rerank-model", "rerank-samples", "rerank-among"}) {
      const Option* option = set.find(name);
      if (option != nullptr && option->was_set) {
        throw UsageError("--{} goes with --rerank likelihood", name);
      }
    }
  } else if (writing.options.method() == "greedy") {
    throw UsageError(
        "--rerank chooses among several sentences, and greedy decoding finds one: give "
        "--beam-size, --mbr or --decode sample");
  }
}

}  // namespace

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
  check_bounds(options.bounds, set);
  check_rerank(writing, set);
  check_orders(options);
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
