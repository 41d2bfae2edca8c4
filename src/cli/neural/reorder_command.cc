// bough reorder: a bag of words a line → a sentence.
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/data/corpus.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "reorder_verb.h"
#include "trace_output.h"

namespace bough::cli {

namespace {

class ReorderCommand : public ReorderVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Model model =
        open_model(writing_, Task::kReorder, name(), exact_ ? "reorder exact" : "reorder", set);
    read_bags(model, set);
    OutputFile output(output_.file);
    size_t line = 0;
    auto write_empty_lines = [&] {
      for (; line < is_empty_.size() && is_empty_[line]; ++line) output.write_line("");
    };
    WriteRequest request{.count = static_cast<int64_t>(prompts_.size()),
                         .prompts = prompts_,
                         .best = output_.nbest,
                         .with_scores = output_.format == OutputFormat::kJsonl,
                         .alternatives = output_.alternatives};
    write_sentences(writing_.options, model, request, [&](std::vector<Written>&& found) {
      write_empty_lines();
      output_.write(found, output);
      ++line;
    });
    write_empty_lines();
    output.commit();
  }

 private:
  void read_bags(const Model& model, OptionSet& set) {
    const Tokenizer& tokenizer = model.text.tokenizer;
    bool bounded = set.find("max-length")->was_set;
    for (const std::string& line : read_lines(input_)) {
      std::vector<std::string> words = tokenizer.split(line);
      if (exact_ && !words.empty()) check_length(words.size(), bounded);
      is_empty_.push_back(words.empty());
      if (words.empty()) continue;
      bags_.push_back(model.text.vocabulary.ids(words));
      Prompt& prompt = prompts_.emplace_back();
      if (exact_) prompt.demands = demand_permutation(words, model.text.vocabulary);
    }
    for (size_t i = 0; i < bags_.size(); ++i) prompts_[i].source = bags_[i];
  }

  /// A permutation is as long as its bag: UnmetError where another length is asked for.
  void check_length(size_t words, bool bounded) const {
    const DecodeBounds& bounds = writing_.options.bounds;
    auto length = static_cast<int64_t>(words);
    bool wrong = (bounds.length > 0 && length != bounds.length) || length < bounds.min_length ||
                 (bounded && length > bounds.max_length);
    if (!wrong) return;
    throw UnmetError(
        "line {}: --exact writes all {} words of the bag, but --length, --min-length or "
        "--max-length ask for another number",
        is_empty_.size() + 1, words);
  }

  std::vector<bool> is_empty_;             // by line of the input
  std::vector<std::vector<WordId>> bags_;  // of the others
  std::vector<Prompt> prompts_;
};

}  // namespace

std::unique_ptr<Command> make_reorder_command() {
  return std::make_unique<ReorderCommand>();
}

}  // namespace bough::cli
