// bough eval samples: what sentences of a language model are like, as in the paper's Table 1.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bough/analysis/tree_statistics.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/base/text_reader.h"
#include "bough/data/corpus.h"
#include "bough/metrics/samples.h"
#include "bough/tree/trace_file.h"
#include "commands.h"
#include "eval_report.h"

namespace bough::cli {

namespace {

constexpr size_t kMaxOrder = 5;

struct Samples {
  SplitSentences sentences;
  std::vector<Trace> traces;  // none where the file has sentences only
};

class EvalSamplesCommand : public Command {
 public:
  std::string_view name() const override { return "eval samples"; }
  std::string_view summary() const override {
    return "Say how novel, varied and close to real text samples are.";
  }
  std::string_view usage() const override {
    return "eval samples --samples FILE --train FILE --reference FILE [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Evaluation");
    set.list("samples", samples_, "FILE",
             "sentences of a model, one a line, or traces (FILE.jsonl), which have spans too; "
             "several are runs of one recipe, with mean ± standard deviation")
        .required = true;
    set.text("train", train_, "FILE", "the sentences it was trained on: what isn't there is novel");
    set.text("reference", reference_, "FILE", "real sentences, for BLEU");
    set.choice("format", format_, "JSON, text for people, or a table");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    tokenizer_.declare(set);
    corpus_.declare(set);
    common_.declare(set);
    threads_.declare(set);
  }

  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Tokenizer tokenizer(tokenizer_);
    SplitSentences training = read_sentences(train_, tokenizer, corpus_);
    SplitSentences references = read_sentences(reference_, tokenizer, corpus_);
    std::vector<RunNumbers> runs;
    for (const std::string& path : samples_) {
      runs.push_back({.name = path, .recipe = "", .numbers = measure(path, training, references)});
    }
    OutputFile output(output_);
    output.write(to_text(runs, format_));
    output.commit();
  }

 private:
  nlohmann::ordered_json measure(const std::string& path, const SplitSentences& training,
                                 const SplitSentences& references) const {
    Samples samples = read_samples(path);
    if (samples.sentences.empty()) throw DataError("'{}' has no samples", path);
    SampleStatistics statistics = measure_samples(samples.sentences, training, references,
                                                  kMaxOrder, thread_count(threads_.threads));
    return samples_json(statistics, measure_trees(samples.traces).mean_span);
  }

  Samples read_samples(const std::string& path) const {
    bool traces = path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
    Samples samples;
    if (traces) {
      read_traces(path, [&](Trace&& trace) {
        samples.sentences.push_back(trace.sentence());
        trace.scores.clear();  // nobody asks for them here
        samples.traces.push_back(std::move(trace));
      });
      return samples;
    }
    Tokenizer tokenizer(tokenizer_);
    for (const std::string& line : read_lines(path)) {
      samples.sentences.push_back(tokenizer.split(line));
    }
    return samples;
  }

  std::vector<std::string> samples_;
  std::string train_;
  std::string reference_;
  TableFormat format_ = TableFormat::kJson;
  std::string output_ = "-";
  TokenizerOptions tokenizer_;
  CorpusOptions corpus_;
  CommonOptions common_;
  ThreadOptions threads_;
};

}  // namespace

std::unique_ptr<Command> make_eval_samples_command() {
  return std::make_unique<EvalSamplesCommand>();
}

}  // namespace bough::cli
