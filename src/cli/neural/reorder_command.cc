// bough reorder: a bag of words a line → a sentence.
#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "neural/line_writer.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "reorder_verb.h"

namespace bough::cli {

namespace {

class ReorderCommand : public ReorderVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    output_.check();
    if (exact_ &&
        !has_tuned_settings(writing_.folder, settings_name("reorder exact", writing_.options))) {
      search_unless_told(writing_.options, set);
    }
    std::shared_ptr<const Model> loaded =
        open_model(writing_, name(), exact_ ? "reorder exact" : "reorder", set);
    const Model& model = *loaded;
    bool bounded = set.find("max-length")->was_set;
    std::unique_ptr<Reranker> reranker = open_reranker(writing_, loaded);
    OutputFile output(output_.file);
    WriteRequest request{.best = output_.nbest,
                         .reranker = reranker.get(),
                         .with_scores = output_.has_scores(),
                         .alternatives = output_.alternatives};
    LineWriter(model, writing_.options, request, output_, output)
        .run(
            lines_, [&](const std::string& line) { return parse(line, model.text, bounded); },
            [&](int64_t number, auto&& found) {
              output_.write(number, found.front(), model.text.tokenizer, output);
            });
    output.commit();
  }

 private:
  LineJob parse(const std::string& line, const Language& text, bool bounded) const {
    std::vector<std::string> words = source_.split(line, text.tokenizer);
    if (words.empty()) return {};
    if (exact_) check_length(static_cast<int64_t>(words.size()), bounded);
    return {.source = text.vocabulary.ids(words),
            .source_text = line,
            .ways = {exact_ ? demand_permutation(words, text.vocabulary) : nullptr}};
  }

  /// A permutation is as long as its bag: UnmetError where another length is asked for.
  void check_length(int64_t words, bool bounded) const {
    const DecodeBounds& bounds = writing_.options.bounds;
    bool wrong = (bounds.length > 0 && words != bounds.length) || words < bounds.min_length ||
                 (bounded && words > bounds.max_length);
    if (!wrong) return;
    throw UnmetError(
        "--exact writes all {} words of the bag, but --length, --min-length or --max-length ask "
        "for "
        "another number",
        words);
  }
};

}  // namespace

std::unique_ptr<Command> make_reorder_command() {
  return std::make_unique<ReorderCommand>();
}

}  // namespace bough::cli
