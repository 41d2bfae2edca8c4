// bough reorder: a bag of words a line → a sentence.
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
    read_bags(model);
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
  void read_bags(const Model& model) {
    const Tokenizer& tokenizer = model.text.tokenizer;
    for (const std::string& line : read_lines(input_)) {
      std::vector<std::string> words = tokenizer.split(line);
      is_empty_.push_back(words.empty());
      if (words.empty()) continue;
      bags_.push_back(model.text.vocabulary.ids(words));
      Prompt& prompt = prompts_.emplace_back();
      if (exact_) prompt.demands = demand_permutation(words, model.text.vocabulary);
    }
    for (size_t i = 0; i < bags_.size(); ++i) prompts_[i].source = bags_[i];
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
