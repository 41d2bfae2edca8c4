// reorder: a bag of words → a sentence.
#include <algorithm>

#include "bough/ask/writing_task.h"
#include "bough/ask/writing_tasks.h"
#include "bough/base/error.h"
#include "bough/base/utf8.h"
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
    return {
        .source = text.vocabulary.ids(words), .source_text = line, .ways = {demands_for(words)}};
  }

 protected:
  std::string way() const override { return options_.exact ? "reorder exact" : "reorder"; }

  void choose_method(bool tuned, OptionSet& set) override {
    if (options_.exact && !tuned) search_unless_told(options_.writing.options, set);
  }

  void prepare(const OpenModel& open, OptionSet& set) override {
    model_ = open.model;
    root_ = demand_root(options_.root, *model_);
    bounded_ = set.find("max-length")->was_set;
  }

 private:
  std::shared_ptr<const Demands> demands_for(const std::vector<std::string>& words) const {
    if (options_.exact && !root_) return demand_permutation(words, model_->text.vocabulary);
    if (!root_) return nullptr;
    auto demands = std::make_shared<Demands>(*root_);
    options_.writing.options.bounds.apply(*demands);
    if (options_.exact) take_the_rest(words, *demands);
    demands->check();
    return demands;
  }

  /// Words that aren't given are taken from the bag, all of them.
  void take_the_rest(std::vector<std::string> words, Demands& demands) const {
    demands.min_length = demands.max_length = static_cast<int64_t>(words.size());
    for (const GivenWord& given : demands.given) {
      auto found = std::find(words.begin(), words.end(), given.text);
      if (found == words.end()) {
        throw UnmetError("--root '{}' is none of the words", for_message(options_.root.root));
      }
      words.erase(found);
    }
    demands.bag = demand_permutation(words, model_->text.vocabulary)->bag;
  }

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
  std::optional<Demands> root_;  // none: any
  bool bounded_ = false;         // whether somebody has said how long at most
};

}  // namespace

std::unique_ptr<WritingTask> make_reorder_task() {
  return std::make_unique<ReorderTask>();
}

}  // namespace bough::ask
