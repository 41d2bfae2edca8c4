// bough translate: a sentence a line → its translation.
#include "bough/base/error.h"
#include "neural/line_writer.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "translate_verb.h"

namespace bough::cli {

namespace {

class TranslateCommand : public TranslateVerb, public WritingTask {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    output_.check();
    OpenModel open{.folder = writing_.folder,
                   .model = open_model(writing_, name(), "translate", set)};
    std::unique_ptr<Reranker> reranker = open_reranker(writing_, open.model);
    prepare(open, set);
    OutputFile output(output_.file);
    LineWriter(*this, *open.model, reranker.get(), output).run(lines_);
    output.commit();
  }

  Command& verb() override { return *this; }
  WritingOptions& writing() override { return writing_; }
  TraceOutput& output() override { return output_; }

  void prepare(OpenModel& open, OptionSet& /*set*/) override {
    model_ = open.model;
    if (shortlist_ == 0) return;
    if (!open.shortlist) open.shortlist = load_shortlist(open);
    list_ = open.shortlist;
  }

  LineJob parse(const std::string& line) const override {
    const Language& text = model_->source_text();
    std::vector<std::string> words = source_.split(line, text.tokenizer);
    if (words.empty()) return {};
    LineJob job{.source = text.vocabulary.ids(words), .source_text = line, .ways = {nullptr}};
    if (list_) {
      job.words =
          std::make_shared<const std::vector<WordId>>(list_->words_for(job.source, shortlist_));
    }
    return job;
  }

  WriteRequest request() const override {
    return {.best = output_.nbest,
            .with_scores = output_.has_scores(),
            .alternatives = output_.alternatives};
  }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Shortlist> list_;  // null: all words
};

}  // namespace

std::unique_ptr<Command> make_translate_command() {
  return std::make_unique<TranslateCommand>();
}

std::unique_ptr<WritingTask> make_translate_task() {
  return std::make_unique<TranslateCommand>();
}

}  // namespace bough::cli
