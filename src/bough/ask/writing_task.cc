#include "bough/ask/writing_task.h"

#include "bough/ask/writing_tasks.h"
#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "bough/generate/template.h"
#include "bough/model/orders.h"

namespace bough::ask {

namespace {

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
      if (set.find(name)->was_set) throw UsageError("--{} goes with --rerank likelihood", name);
    }
  } else if (writing.options.method() == "greedy") {
    throw UsageError(
        "--rerank chooses among several sentences, and greedy decoding finds one: give "
        "--beam-size, --mbr or --decode sample");
  }
}

}  // namespace

std::unique_ptr<WritingTask> make_writing_task(std::string_view verb) {
  if (verb == "generate") return make_generate_task();
  if (verb == "complete") return make_complete_task();
  if (verb == "reorder") return make_reorder_task();
  if (verb == "translate") return make_translate_task();
  return nullptr;
}

WriteRequest WritingTask::request(bool with_scores) const {
  const TextOptions& text = writing().text;
  return {.best = text.nbest,
          .with_scores = with_scores || text.nbest > 0,
          .alternatives = text.alternatives};
}

std::string WritingTask::settings_name() const {
  return bough::settings_name(way(), writing().options);
}

void WritingTask::check(const nlohmann::ordered_json& settings, OptionSet& set) {
  writing().text.check();
  choose_method(settings.contains(settings_name()), set);
  check_own(set);
  check_writer_options(writing().options, set);
  check_rerank(writing(), set);
}

nlohmann::json WritingTask::make_ready(const OpenModel& open, OptionSet& set) {
  check(open.settings, set);
  check_task(open, verb());
  writing().options.precision = open.precision;
  std::string file = (fs::path(open.folder) / "generation.json").string();
  nlohmann::json tuned = apply_tuned_settings(open.settings, settings_name(), set, file);
  prepare(open, set);
  return tuned;
}

void check_writer_options(const WriterOptions& options, OptionSet& set) {
  check_bounds(options.bounds, set);
  check_orders(options);
}

std::optional<Demands> demand_root(const RootOptions& options, const Model& model) {
  if (options.root.empty()) return std::nullopt;
  // The first slot takes one of the given words: the only one.
  Demands demands =
      demand_phrases({&options.root, 1}, {model.text.tokenizer, model.text.vocabulary});
  if (demands.given.empty()) throw UsageError("--root names no word");
  return demands;
}

void search_unless_told(WriterOptions& options, OptionSet& set) {
  constexpr int64_t kBeam = 10;
  for (const char* name : {"decode", "beam-size", "mbr"}) {
    if (set.find(name)->was_set) return;
  }
  options.beam.size = kBeam;
}

std::unique_ptr<Reranker> make_reranker(const WritingOptions& writing, const OpenModel& open,
                                        const std::string& device) {
  const RerankOptions& rerank = writing.rerank;
  if (rerank.by == RerankBy::kNothing) return nullptr;
  std::shared_ptr<const Model> judge = open.model;
  if (!rerank.model.empty()) judge = load_model(rerank.model, device, writing.options.precision);
  if (judge->config.task != open.model->config.task) {
    throw UsageError(
        "--rerank-model '{}' is one for --task {}, but '{}' is one for --task {}: give one of the "
        "same task",
        rerank.model, name_of(judge->config.task), open.name, name_of(open.model->config.task));
  }
  return std::make_unique<Reranker>(std::move(judge), rerank, writing.options);
}

void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const Writer::TakeWritten& take) {
  WriteRequest ordered = request;
  for (const Order& order : chosen_orders(model, options.orders)) {
    ordered.starts.push_back(order.start);
  }
  if (ordered.starts.size() > 1 && ordered.best == 0) ordered.best = ordered.each;
  Writer(*model.policy, model.text, options).write(ordered, take);
}

void write_jobs(const WritingTask& task, const Model& model, std::span<const NumberedJob> jobs,
                WriteRequest request, const TakeJob& take) {
  std::vector<Prompt> prompts;
  for (const NumberedJob& line : jobs) {
    int64_t way = 0;
    for (const auto& demands : line.job.ways) {
      prompts.push_back({.source = line.job.source,
                         .demands = demands,
                         .name = PromptName{line.number, way++},
                         .words = line.job.words,
                         .source_text = line.job.source_text});
    }
  }
  size_t index = 0;
  std::vector<std::vector<Written>> found;  // by way of the job under way
  auto take_finished = [&] {
    for (; index < jobs.size() && found.size() == jobs[index].job.ways.size(); ++index) {
      std::vector<std::vector<Written>> ways = std::exchange(found, {});
      take(index, ways.empty() ? std::vector<Written>() : task.choose(std::move(ways)));
    }
  };
  take_finished();
  request.count = static_cast<int64_t>(prompts.size());
  request.prompts = prompts;
  write_sentences(task.writing().options, model, request, [&](std::vector<Written>&& sentences) {
    found.push_back(std::move(sentences));
    take_finished();
  });
}

void write_only(const WritingTask& task, const Model& model, const WriteRequest& request,
                const Writer::TakeWritten& take) {
  NumberedJob only{.number = 0, .job = task.parse("")};
  if (only.job.ways.empty()) {
    write_sentences(task.writing().options, model, request, take);
  } else {
    write_jobs(task, model, {&only, 1}, request,
               [&](size_t /*index*/, std::vector<Written>&& found) { take(std::move(found)); });
  }
}

}  // namespace bough::ask
