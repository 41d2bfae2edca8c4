// bough eval completion: the paper's experiment of section 4.2. Three random words of each sentence
// are given, one completion is sampled, and BLEU says how like real sentences it is.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <numeric>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/data/corpus.h"
#include "bough/generate/generator.h"
#include "bough/metrics/samples.h"
#include "commands.h"
#include "eval_report.h"
#include "signals.h"

namespace bough::cli {

namespace {

constexpr size_t kMaxOrder = 5;
constexpr size_t kGivenWords = 3;

/// Three words of a sentence, or all of fewer, in their order; the middle one is the tree's root.
Demands demand_some(const std::vector<std::string>& sentence, const Vocabulary& vocabulary,
                    RandomStream& random) {
  std::vector<size_t> places(sentence.size());
  std::iota(places.begin(), places.end(), 0);
  for (size_t i = 0; i < std::min(kGivenWords, places.size()); ++i) {
    std::swap(places[i], places[i + random.below(places.size() - i)]);
  }
  places.resize(std::min(kGivenWords, places.size()));
  std::sort(places.begin(), places.end());
  Demands demands;
  for (size_t place : places) {
    demands.given.push_back({vocabulary.id(sentence[place]), sentence[place]});
    demands.gaps.emplace_back();
  }
  return demands;
}

class EvalCompletionCommand : public Command {
 public:
  EvalCompletionCommand() { request_.shape = SeedShape::kBalanced; }

  std::string_view name() const override { return "eval completion"; }
  std::string_view summary() const override {
    return "Complete sentences around three of their words, and score that.";
  }
  std::string_view usage() const override {
    return "eval completion --model DIR --valid FILE [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Evaluation");
    set.text("model", model_, "DIR", "the model's folder").required = true;
    set.text("valid", valid_, "FILE", "real sentences, one a line").required = true;
    set.integer("count", count_, {0, 1'000'000'000}, "complete the first so many; 0: all")
        .short_name = 'n';
    set.text("completions", completions_, "FILE", "write the completions there, too");
    set.choice("seed-shape", request_.shape, "the tree of the given words");
    set.choice("format", format_, "JSON, or text for people");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    set.integer("seed", seed_, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", request_.batch_size, {1, 1'000'000},
                "sentences written side by side; changes speed, not output");
    request_.sampler.declare(set);
    request_.bounds.declare(set);
    corpus_.declare(set);
    common_.declare(set);
    compute_.declare(set);
  }

  void run(std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    compute_.apply();
    spdlog::info("seed {}", seed_);
    Model model = load_model(model_, compute_.device);
    check_task(model, Task::kLm, model_, name());
    Sentences real;
    read_corpus(valid_, Tokenizer(model.config.tokenizer), corpus_,
                [&](std::vector<std::string>&& words) { real.push_back(std::move(words)); });
    if (real.empty()) throw DataError("'{}' has no sentences", valid_);
    Sentences completions = complete(model, real);
    SampleStatistics statistics =
        measure_samples(completions, {}, real, kMaxOrder, thread_count(compute_.threads));
    write(statistics);
    if (!completions_.empty()) {
      OutputFile file(completions_);
      for (const auto& words : completions) file.write_line(join_words(words));
      file.commit();
    }
  }

 private:
  Sentences complete(const Model& model, const Sentences& real) {
    size_t count = count_ > 0 ? std::min(static_cast<size_t>(count_), real.size()) : real.size();
    Demands bounds = request_.bounds.demands();
    std::vector<std::shared_ptr<const Demands>> demands;
    for (size_t i = 0; i < count; ++i) {
      RandomStream random(static_cast<uint64_t>(seed_), Purpose::kValidation, i);
      Demands own = demand_some(real[i], model.vocabulary, random);
      own.min_length = bounds.min_length;
      own.max_length = bounds.max_length;
      own.check();
      demands.push_back(std::make_shared<Demands>(std::move(own)));
    }
    request_.count = static_cast<int64_t>(count);
    request_.seed = static_cast<uint64_t>(seed_);
    request_.demands = demands;
    Sentences completions;
    const std::atomic<bool>& stop = stop_requested();
    generate(*model.policy, model.vocabulary, request_, [&](Trace&& trace) {
      completions.push_back(trace.sentence());
      if (stop) throw Interrupted("interrupted");
    });
    return completions;
  }

  void write(const SampleStatistics& statistics) const {
    nlohmann::ordered_json json = {{"completions", statistics.samples},
                                   {"unique", statistics.unique_percent},
                                   {"mean_tokens", statistics.mean_tokens}};
    for (size_t i = 0; i < statistics.bleu.size(); ++i) {
      json[fmt::format("bleu-{}", i + 2)] = statistics.bleu[i];
    }
    OutputFile output(output_);
    output.write(format_ == ReportFormat::kJson ? json.dump(1) + "\n" : named_numbers(json));
    output.commit();
  }

  std::string model_;
  std::string valid_;
  int64_t count_ = 0;
  std::string completions_;
  ReportFormat format_ = ReportFormat::kJson;
  std::string output_ = "-";
  int64_t seed_ = 1;
  GenerateRequest request_;
  CorpusOptions corpus_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace

std::unique_ptr<Command> make_eval_completion_command() {
  return std::make_unique<EvalCompletionCommand>();
}

}  // namespace bough::cli
