// bough eval samples: what sentences of a language model are like, as in the paper's Table 1.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/base/text_reader.h"
#include "bough/data/corpus.h"
#include "bough/metrics/rows_file.h"
#include "bough/metrics/samples.h"
#include "bough/tree/trace_file.h"
#include "commands.h"
#include "eval_parts.h"
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
    return "eval samples --samples FILE | --rows-in FILE --train FILE --reference FILE [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Evaluation");
    set.list("samples", samples_, "FILE",
             "sentences of a model, one a line, or traces (FILE.jsonl), which have spans too; "
             "several are runs of one recipe, with mean ± standard deviation");
    set.text("train", train_, "FILE", "the sentences it was trained on: what isn't there is novel");
    set.text("reference", reference_, "FILE", "real sentences, for BLEU");
    parts_.declare(set, "the samples");
    set.choice("format", format_, "JSON, text for people, or a table");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    tokenizer_.declare(set);
    corpus_.declare(set);
    common_.declare(set);
    threads_.declare(set);
  }

  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    parts_.check(samples_.size(), "--samples");
    std::vector<RunNumbers> runs;
    if (!parts_.rows_in.empty()) {
      runs.push_back({.name = parts_.rows_in.front(), .recipe = "", .numbers = read_measured()});
    }
    if (!samples_.empty()) {
      Tokenizer tokenizer(tokenizer_);
      SplitSentences training = read_sentences(train_, tokenizer, corpus_);
      SplitSentences references = read_sentences(reference_, tokenizer, corpus_);
      for (const std::string& path : samples_) {
        Measured measured = measure(path, training, references);
        if (!parts_.rows_out.empty()) {
          std::vector<Rows> columns = {measured.samples.rows, measured.spans};
          write_rows(parts_.rows_out, head_of(measured.samples), columns);
        }
        runs.push_back({.name = path, .recipe = "", .numbers = numbers_of(measured)});
      }
    }
    OutputFile output(output_);
    output.write(to_text(runs, format_));
    output.commit();
  }

 private:
  /// What is known of each sample, and of its tree: children, and words that have any.
  struct Measured {
    SampleRows samples;
    Rows spans{0, 2};
  };

  Measured measure(const std::string& path, const SplitSentences& training,
                   const SplitSentences& references) const {
    Samples samples = read_samples(path);
    if (samples.sentences.empty()) throw DataError("'{}' has no samples", path);
    Shard shard = parts_.shard.parse();
    Measured measured{measure_each_sample(samples.sentences, training, references, kMaxOrder,
                                          thread_count(threads_.threads), shard)};
    measured.spans = Rows(measured.samples.rows.lines(), 2);
    if (samples.traces.empty()) return measured;
    auto first = static_cast<size_t>(shard.begin(static_cast<int64_t>(samples.traces.size())));
    for (size_t i = 0; i < measured.spans.lines(); ++i) {
      const Tree& tree = samples.traces[first + i].tree;
      auto parents = std::ranges::count_if(tree.nodes(), [](const Tree::Node& node) {
        return node.left_child != Tree::kNone || node.right_child != Tree::kNone;
      });
      measured.spans.of(i)[0] = std::max(0, tree.word_count() - 1);
      measured.spans.of(i)[1] = static_cast<double>(parents);
    }
    return measured;
  }

  /// What parts were measured at, put together.
  nlohmann::ordered_json read_measured() const {
    Measured measured;
    SampleRows& samples = measured.samples;
    samples.has_novelty = !train_.empty();
    samples.bleu_orders = reference_.empty() ? 0 : kMaxOrder - 1;
    samples.self_bleu_orders = kMaxOrder - 1;
    std::vector<size_t> sizes = {samples.row_size(), 2};
    std::vector<Rows> columns = read_rows(parts_.rows_in, head_of(samples), sizes);
    samples.rows = std::move(columns[0]);
    measured.spans = std::move(columns[1]);
    return numbers_of(measured);
  }

  static RowsHead head_of(const SampleRows& samples) {
    return {.of = "eval samples",
            .columns = {{"novel", samples.has_novelty},
                        {"bleu", samples.bleu_orders},
                        {"self-bleu", samples.self_bleu_orders}}};
  }

  static nlohmann::ordered_json numbers_of(const Measured& measured) {
    std::vector<double> spans = measured.spans.sum();
    std::optional<double> span;
    if (spans[1] > 0.0) span = spans[0] / spans[1];
    return samples_json(statistics_of(measured.samples), span);
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
  EvalParts parts_;
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
