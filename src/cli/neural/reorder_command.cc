// bough reorder: a bag of words a line → a sentence.
#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "bough/text/european_tokenizer.h"
#include "neural/line_writer.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "reorder_verb.h"

namespace bough::cli {

namespace {

class ReorderCommand : public ReorderVerb, public WritingTask {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    output_.check();
    choose_method(has_tuned_settings(writing_.folder, settings_name(way(), writing_.options)), set);
    OpenModel open{.folder = writing_.folder, .model = open_model(writing_, name(), way(), set)};
    prepare(open, set);
    std::unique_ptr<Reranker> reranker = open_reranker(writing_, open.model);
    OutputFile output(output_.file);
    LineWriter(*this, *open.model, reranker.get(), output).run(lines_);
    output.commit();
  }

  Command& verb() override { return *this; }
  WritingOptions& writing() override { return writing_; }
  TraceOutput& output() override { return output_; }
  std::string way() override { return exact_ ? "reorder exact" : "reorder"; }

  void choose_method(bool tuned, OptionSet& set) override {
    if (exact_ && !tuned) search_unless_told(writing_.options, set);
  }

  void prepare(OpenModel& open, OptionSet& set) override {
    model_ = open.model;
    bounded_ = set.find("max-length")->was_set;
  }

  LineJob parse(const std::string& line) const override {
    const Language& text = model_->text;
    std::vector<std::string> words = source_.split(line, text.tokenizer);
    if (words.empty()) return {};
    for (std::string& word : words) word = known_token(std::move(word), text.vocabulary);
    if (exact_) check_length(static_cast<int64_t>(words.size()));
    return {.source = text.vocabulary.ids(words),
            .source_text = line,
            .ways = {exact_ ? demand_permutation(words, text.vocabulary) : nullptr}};
  }

  WriteRequest request() const override {
    return {.best = output_.nbest,
            .with_scores = output_.has_scores(),
            .alternatives = output_.alternatives};
  }

 private:
  /// A permutation is as long as its bag: UnmetError where another length is asked for.
  void check_length(int64_t words) const {
    const DecodeBounds& bounds = writing_.options.bounds;
    bool wrong = (bounds.length > 0 && words != bounds.length) || words < bounds.min_length ||
                 (bounded_ && words > bounds.max_length);
    if (!wrong) return;
    throw UnmetError(
        "--exact writes all {} words of the bag, but --length, --min-length or --max-length ask "
        "for "
        "another number",
        words);
  }

  std::shared_ptr<const Model> model_;
  bool bounded_ = false;  // whether somebody has said how long at most
};

}  // namespace

std::unique_ptr<Command> make_reorder_command() {
  return std::make_unique<ReorderCommand>();
}

std::unique_ptr<WritingTask> make_reorder_task() {
  return std::make_unique<ReorderCommand>();
}

}  // namespace bough::cli
