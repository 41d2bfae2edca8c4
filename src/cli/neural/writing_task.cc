#include "neural/writing_task.h"

#include "bough/base/error.h"
#include "neural/neural_commands.h"

namespace bough::cli {

std::unique_ptr<WritingTask> make_writing_task(std::string_view verb) {
  if (verb == "generate") return make_generate_task();
  if (verb == "complete") return make_complete_task();
  if (verb == "reorder") return make_reorder_task();
  if (verb == "translate") return make_translate_task();
  return nullptr;
}

void check_task(const Model& model, const std::string& name, std::string_view verb) {
  if (traits_of(model.config.task).has_verb(verb)) return;
  throw UsageError("bough {} needs a model trained with --task {}, but '{}' is one for --task {}",
                   verb, tasks_where([&](const TaskTraits& task) { return task.has_verb(verb); }),
                   name, name_of(model.config.task));
}

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

void check_writing(const WritingOptions& writing, OptionSet& set) {
  check_bounds(writing.options.bounds, set);
  check_rerank(writing, set);
  check_orders(writing.options);
}

std::shared_ptr<const Shortlist> load_shortlist(const OpenModel& open) {
  fs::path path = fs::path(open.folder) / Shortlist::kFile;
  if (!fs::exists(path)) {
    throw DataError(
        "'{}' has no shortlist: make one with `bough shortlist --model {}`, or leave --shortlist "
        "out",
        open.folder, open.folder);
  }
  return std::make_shared<const Shortlist>(
      Shortlist::load(path, open.model->source_text().vocabulary, open.model->text.vocabulary));
}

void write_jobs(
    std::span<const NumberedJob> jobs, WriteRequest request,
    const std::function<void(const WriteRequest&, const Writer::TakeWritten&)>& write,
    const std::function<void(size_t index, std::vector<std::vector<Written>>&& found)>& take) {
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
      take(index, std::exchange(found, {}));
    }
  };
  take_finished();
  request.count = static_cast<int64_t>(prompts.size());
  request.prompts = prompts;
  write(request, [&](std::vector<Written>&& sentences) {
    found.push_back(std::move(sentences));
    take_finished();
  });
}

}  // namespace bough::cli
