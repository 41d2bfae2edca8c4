#include "bough/bough.h"

#include <fmt/format.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "bough/ask/score_task.h"
#include "bough/ask/writing_task.h"
#include "bough/data/shipped_models.h"
#include "bough/generate/reranker.h"
#include "bough/model/policy.h"
#include "bough/model/runtime.h"
#include "bough/train/run_folder.h"
#include "bough/train/run_options.h"
#include "bough/train/trainer.h"

namespace bough {

namespace {

/// Fields that are set become options by name.
class Fields {
 public:
  explicit Fields(NamedOptions others) : options_(std::move(others)) {}

  template <typename Value>
  void add(const char* name, const std::optional<Value>& value) {
    if (value) add_value(name, *value);
  }
  void add(const char* name, const std::vector<std::string>& phrases) {
    if (!phrases.empty()) add_value(name, fmt::format("{}", fmt::join(phrases, ", ")));
  }

  NamedOptions options() && { return std::move(options_); }

 private:
  void add_value(const char* name, OptionValue value) {
    if (!options_.emplace(name, std::move(value)).second) {
      throw UsageError("'{}' is set twice: as a field, and among the others", name);
    }
  }

  NamedOptions options_;
};

NamedOptions named(const WritingOptions& options) {
  Fields fields(options.others);
  fields.add("count", options.count);
  fields.add("seed", options.seed);
  fields.add("decode", options.decode);
  fields.add("temperature", options.temperature);
  fields.add("top-k", options.top_k);
  fields.add("top-p", options.top_p);
  fields.add("beam-size", options.beam_size);
  fields.add("mbr", options.mbr);
  fields.add("nbest", options.nbest);
  fields.add("length", options.length);
  fields.add("min-length", options.min_length);
  fields.add("max-length", options.max_length);
  fields.add("must", options.must);
  fields.add("avoid", options.avoid);
  fields.add("exact", options.exact);
  fields.add("alternatives", options.alternatives);
  return std::move(fields).options();
}

NamedOptions named(const ScoreOptions& options) {
  Fields fields(options.others);
  fields.add("samples", options.samples);
  fields.add("seed", options.seed);
  fields.add("by-word", options.by_word);
  return std::move(fields).options();
}

Precision precision_of(const std::string& name) {
  Precision precision{};
  OptionSet set;
  set.choice("precision", precision, "");
  set.set("precision", name, "'precision'");
  return precision;
}

void set_up(const LoadOptions& options) {
  check_device(options.device);
  set_up_runtime(options.threads);
  use_signal_stack();
}

/// What a question is about, for messages.
std::string named_line(size_t number, const char* message) {
  return fmt::format("text {}: {}", number + 1, message);
}

/// A task that is ready for a model, with the options that it refers to.
struct ReadyTask {
  ReadyTask(std::string_view verb, const ask::OpenModel& open, const NamedOptions& options)
      : task(ask::make_writing_task(verb)) {
    task->declare(set);
    set_by_name(set, options);
    task->make_ready(open, set);
  }

  std::unique_ptr<ask::WritingTask> task;
  OptionSet set;
};

/// Turns what a run reports into figures.
class Reporter : public TrainingObserver {
 public:
  Reporter(const TrainingListener& listener, std::atomic<bool>& stop)
      : listener_(listener), stop_(stop) {}

  void on_note(const std::string& note) override {
    if (listener_.on_note) listener_.on_note(note);
  }
  void on_warning(const std::string& warning) override { on_note(warning); }
  void on_update(const UpdateReport& /*report*/) override { ask(); }
  void on_judging(double /*share*/) override { ask(); }

  void on_epoch(const EpochReport& report) override {
    if (!listener_.on_epoch) return;
    EpochFigures figures{.epoch = report.epoch,
                         .update = report.update,
                         .loss = report.train.loss,
                         .best = report.best,
                         .beta = report.beta,
                         .learning_rate = report.learning_rate,
                         .seconds = report.seconds};
    if (report.validated) figures.valid_loss = report.valid.loss;
    if (report.quality) {
      for (const auto& [name, value] : report.quality->numbers) figures.quality[name] = value;
    }
    for (const Trace& sample : report.samples) figures.samples.push_back(sample.text);
    listener_.on_epoch(figures);
  }

 private:
  void ask() {
    if (listener_.should_stop && listener_.should_stop()) stop_ = true;
  }

  const TrainingListener& listener_;
  std::atomic<bool>& stop_;
};

}  // namespace

struct LoadedModel::State {
  ask::OpenModel open;
  std::string device;

  Sentence sentence_of(Written&& written, const ask::TextOptions& text) const {
    Sentence sentence;
    sentence.text = text.text_of(written.trace, open.model->text.tokenizer);
    sentence.tokens = written.trace.sentence();
    sentence.logprob = written.trace.logprob();
    sentence.score = written.score;
    sentence.likelihood = written.likelihood;
    sentence.trace = std::move(written.trace);
    sentence.trace.text = sentence.text;
    return sentence;
  }

  /// The sentences of each line, or, without lines, of what the options ask for.
  std::vector<SentenceList> write(std::string_view verb,
                                  std::optional<std::span<const std::string>> lines,
                                  const WritingOptions& options, const Listener& listener) const {
    return with_plain_errors([&] {
      ReadyTask ready(verb, open, named(options));
      const ask::WritingTask& task = *ready.task;
      if (lines && !task.takes_lines()) throw UsageError("give 'must' or templates, not both");
      if (!lines && task.takes_lines()) throw UsageError("'must' is missing: give some words");
      std::unique_ptr<Reranker> reranker = ask::make_reranker(task.writing(), open, device);
      WriteRequest request = task.request(true);
      request.reranker = reranker.get();
      request.between_steps = listener.check;
      if (listener.on_word) {
        request.on_word = [&](int64_t sentence, const Trace& so_far) {
          Insertion word = insertion_of(so_far, so_far.tree.word_count() - 1);
          word.sentence = sentence;
          listener.on_word(word);
        };
      }
      std::vector<SentenceList> all(lines ? lines->size() : 1);
      auto take = [&](size_t index, std::vector<Written>&& found) {
        for (Written& one : found) {
          all[index].push_back(sentence_of(std::move(one), task.writing().text));
        }
      };
      if (lines) {
        ask::write_jobs(task, *open.model, parse(task, *lines), request, take);
      } else {
        ask::write_only(task, *open.model, request,
                        [&](std::vector<Written>&& found) { take(0, std::move(found)); });
      }
      return all;
    });
  }

  static std::vector<ask::NumberedJob> parse(const ask::WritingTask& task,
                                             std::span<const std::string> lines) {
    std::vector<ask::NumberedJob> jobs;
    for (const std::string& line : lines) {
      auto number = static_cast<int64_t>(jobs.size());
      try {
        jobs.push_back({.number = number, .job = task.parse(line)});
      } catch (const UnmetError& error) {
        throw UnmetError("{}", named_line(jobs.size(), error.what()));
      } catch (const DataError& error) {
        throw DataError("{}", named_line(jobs.size(), error.what()));
      }
    }
    return jobs;
  }
};

LoadedModel::LoadedModel(const std::string& name, const LoadOptions& options)
    : state_(std::make_unique<State>()) {
  with_plain_errors([&] {
    set_up(options);
    state_->device = options.device;
    std::optional<Precision> precision;
    if (!options.precision.empty()) precision = precision_of(options.precision);
    state_->open = ask::open_model(folder_of_model(name), options.device, precision);
    if (ask::has_shortlist(state_->open)) {
      state_->open.shortlist = ask::load_shortlist(state_->open);
    }
  });
}

LoadedModel::LoadedModel(LoadedModel&&) noexcept = default;
LoadedModel& LoadedModel::operator=(LoadedModel&&) noexcept = default;
LoadedModel::~LoadedModel() = default;

const std::string& LoadedModel::folder() const {
  return state_->open.folder;
}

std::string_view LoadedModel::task() const {
  return name_of(state_->open.model->config.task);
}

int64_t LoadedModel::vocabulary_size() const {
  return state_->open.model->text.vocabulary.size();
}

int64_t LoadedModel::parameter_count() const {
  return state_->open.model->parameter_count();
}

std::string LoadedModel::config() const {
  return read_file(fs::path(state_->open.folder) / "config.json");
}

SentenceList LoadedModel::generate(const WritingOptions& options, const Listener& listener) const {
  return std::move(state_->write("generate", std::nullopt, options, listener).front());
}

std::vector<SentenceList> LoadedModel::complete(std::span<const std::string> templates,
                                                const WritingOptions& options,
                                                const Listener& listener) const {
  return state_->write("complete", templates, options, listener);
}

SentenceList LoadedModel::complete(const WritingOptions& options, const Listener& listener) const {
  return std::move(state_->write("complete", std::nullopt, options, listener).front());
}

std::vector<SentenceList> LoadedModel::reorder(std::span<const std::string> bags,
                                               const WritingOptions& options,
                                               const Listener& listener) const {
  return state_->write("reorder", bags, options, listener);
}

std::vector<SentenceList> LoadedModel::translate(std::span<const std::string> sources,
                                                 const WritingOptions& options,
                                                 const Listener& listener) const {
  return state_->write("translate", sources, options, listener);
}

std::vector<Score> LoadedModel::score(std::span<const std::string> texts,
                                      const ScoreOptions& options, const Listener& listener) const {
  return with_plain_errors([&] {
    ask::ScoreTask task;
    OptionSet set;
    task.declare(set);
    set_by_name(set, named(options));
    task.make_ready(state_->open, set);
    std::vector<ask::ScoredLine> lines = task.parse(texts, options.sources);
    std::unique_ptr<Stepper> stepper = task.stepper();
    OwnBatch batch(*stepper, task.options().batch_size);
    std::vector<Score> scores;
    task.score(lines, batch, listener.check,
               [&](const ask::ScoredLine& line, const Likelihood* found,
                   std::vector<ColouredWord>&& words) {
                 Score& score = scores.emplace_back(Score{.text = line.text});
                 if (found == nullptr) return;
                 score.logprob = found->logprob;
                 score.bound = found->bound;
                 score.samples = found->trees;
                 score.ess = found->effective;
                 score.low = found->interval.low;
                 score.high = found->interval.high;
                 score.tokens = line.size();
                 score.perplexity = perplexity_of(found->logprob, line.size());
                 score.exact = found->exact;
                 score.unknown = line.unknown();
                 for (ColouredWord& word : words) {
                   score.by_word.push_back({.token = std::move(word.text),
                                            .without = word.cost,
                                            .other = std::move(word.other),
                                            .with_other = word.with_other});
                 }
               });
    return scores;
  });
}

std::vector<std::string> LoadedModel::tokenize(std::string_view text) const {
  return state_->open.model->text.tokenizer.split(text);
}

LoadedModel load(const std::string& name, const LoadOptions& options) {
  return LoadedModel(name, options);
}

std::vector<std::string> shipped_model_names() {
  std::vector<std::string> names;
  for (const ShippedModel& model : shipped_models()) names.push_back(model.name);
  return names;
}

void train(const NamedOptions& options, const TrainingListener& listener,
           const LoadOptions& compute) {
  with_plain_errors([&] {
    TrainOptions own;
    OptionSet set;
    own.declare(set);
    set_by_name(set, options);
    set.check_required();
    set_up(compute);
    take_options_of_run(own, set);
    std::atomic<bool> stop{false};
    Reporter reporter(listener, stop);
    Trainer(own, reporter, stop, compute.device).run();
  });
}

}  // namespace bough
