// bough generate: unconditional sentences from a model.
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "generate_verb.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "neural/writing_task.h"

namespace bough::cli {

namespace {

class GenerateCommand : public GenerateVerb, public WritingTask {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    output_.check();
    check(set);
    std::shared_ptr<const Model> loaded = open_model(writing_, name(), "generate", set);
    const Model& model = *loaded;
    std::unique_ptr<Reranker> reranker = open_reranker(writing_, loaded);
    OutputFile output(output_.file);
    WriteRequest asked = request();
    warn_of_greedy(writing_.options, asked);
    asked.reranker = reranker.get();
    write_sentences(writing_.options, model, asked, [&](std::vector<Written>&& found) {
      output_.write(0, found, model.text.tokenizer, output);
    });
    output.commit();
  }

  Command& verb() override { return *this; }
  WritingOptions& writing() override { return writing_; }
  TraceOutput& output() override { return output_; }
  bool takes_lines() const override { return false; }
  LineJob parse(const std::string& /*line*/) const override { return {}; }

  void check(OptionSet& /*set*/) const override {
    int64_t beam = writing_.options.beam.size;
    if (beam > 0 && output_.nbest == 0 && count_ > beam) {
      throw UsageError("a search finds --beam-size sentences: raise it to -n {}", count_);
    }
  }

  /// So many sentences, each by itself; or one list of the best.
  WriteRequest request() const override {
    WriteRequest request{.with_scores = output_.has_scores(), .alternatives = output_.alternatives};
    if (output_.nbest > 0) {
      request.each = count_;
      request.best = output_.nbest;
    } else if (writing_.options.beam.size > 0) {
      request.best = count_;
    } else {
      request.count = count_;
    }
    return request;
  }
};

}  // namespace

std::unique_ptr<Command> make_generate_command() {
  return std::make_unique<GenerateCommand>();
}

std::unique_ptr<WritingTask> make_generate_task() {
  return std::make_unique<GenerateCommand>();
}

}  // namespace bough::cli
