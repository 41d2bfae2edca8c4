// reorder: a bag of words → a sentence.
#include "bough/ask/writing_task.h"
#include "bough/ask/writing_tasks.h"
#include "bough/base/error.h"
#include "bough/text/european_tokenizer.h"

namespace bough::ask {

namespace {

class ReorderTask : public WritingTask {
 public:
  std::string_view verb() const override { return "reorder"; }
  void declare(OptionSet& set) override { options_.declare(set); }
  WritingOptions& writing() override { return options_.writing; }

  LineJob parse(const std::string& line) const override {
    const Language& text = model_->text;
    std::vector<std::string> words = options_.source.split(line, text.tokenizer);
    if (words.empty()) return {};
    for (std::string& word : words) word = known_token(std::move(word), text.vocabulary);
    if (options_.exact) check_length(static_cast<int64_t>(words.size()));
    return {.source = text.vocabulary.ids(words),
            .source_text = line,
            .ways = {options_.exact ? demand_permutation(words, text.vocabulary) : nullptr}};
  }

 protected:
  std::string way() const override { return options_.exact ? "reorder exact" : "reorder"; }

  void choose_method(bool tuned, OptionSet& set) override {
    if (options_.exact && !tuned) search_unless_told(options_.writing.options, set);
  }

  void prepare(const OpenModel& open, OptionSet& set) override {
    model_ = open.model;
    bounded_ = set.find("max-length")->was_set;
  }

 private:
  /// A permutation is as long as its bag: UnmetError where another length is asked for.
  void check_length(int64_t words) const {
    const DecodeBounds& bounds = options_.writing.options.bounds;
    bool wrong = (bounds.length > 0 && words != bounds.length) || words < bounds.min_length ||
                 (bounded_ && words > bounds.max_length);
    if (!wrong) return;
    throw UnmetError(
        "--exact writes all {} words of the bag, but --length, --min-length or --max-length ask "
        "for another number",
        words);
  }

  ReorderOptions options_;
  std::shared_ptr<const Model> model_;
  bool bounded_ = false;  // whether somebody has said how long at most
};

}  // namespace

std::unique_ptr<WritingTask> make_reorder_task() {
  return std::make_unique<ReorderTask>();
}

}  // namespace bough::ask
