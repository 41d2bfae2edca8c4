// bough reorder: a bag of words a line → a sentence.
#include "bough/base/file.h"
#include "bough/data/corpus.h"
#include "commands.h"
#include "trace_output.h"
#include "writing.h"

namespace bough::cli {

namespace {

class ReorderCommand : public Command {
 public:
  ReorderCommand() { writing_.options.sampler.decode = Decode::kGreedy; }

  std::string_view name() const override { return "reorder"; }
  std::string_view summary() const override { return "Put bags of words in order."; }
  std::string_view usage() const override { return "reorder --model DIR [-i FILE] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Reordering");
    writing_.declare_model(set);
    set.text("input", input_, "FILE", "a bag of words a line, in any order; -: standard input")
        .short_name = 'i';
    set.flag("exact", exact_, "every word of the bag, each as often as it is there, and no other");
    output_.declare(set);
    output_.declare_nbest(set);
    writing_.declare(set);
  }

  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Model model = writing_.open(Task::kReorder, name(), exact_ ? "reorder exact" : "reorder", set);
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
    writing_.write(model, request, [&](std::vector<Written>&& found) {
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

  std::string input_ = "-";
  bool exact_ = false;
  TraceOutput output_;
  Writing writing_;
  std::vector<bool> is_empty_;             // by line of the input
  std::vector<std::vector<WordId>> bags_;  // of the others
  std::vector<Prompt> prompts_;
};

}  // namespace

std::unique_ptr<Command> make_reorder_command() {
  return std::make_unique<ReorderCommand>();
}

}  // namespace bough::cli
