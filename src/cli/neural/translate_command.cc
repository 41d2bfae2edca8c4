// bough translate: a sentence a line → its translation.
#include "bough/base/error.h"
#include "neural/line_writer.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "translate_verb.h"

namespace bough::cli {

namespace {

class TranslateCommand : public TranslateVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    std::shared_ptr<const Model> loaded = open_model(writing_, name(), "translate", set);
    const Model& model = *loaded;
    std::unique_ptr<Reranker> reranker = open_reranker(writing_, loaded);
    OutputFile output(output_.file);
    WriteRequest request{.best = output_.nbest,
                         .reranker = reranker.get(),
                         .with_scores = output_.has_scores(),
                         .alternatives = output_.alternatives};
    LineWriter(model, writing_.options, request, output_, output)
        .run(
            lines_, [&](const std::string& line) { return parse(line, model.source_text()); },
            [&](int64_t number, auto&& found) { output_.write(number, found.front(), output); });
    output.commit();
  }

 private:
  LineJob parse(const std::string& line, const Language& text) const {
    std::vector<std::string> words = source_.split(line, text.tokenizer);
    if (words.empty()) return {};
    return {.source = text.vocabulary.ids(words), .source_text = line, .ways = {nullptr}};
  }
};

}  // namespace

std::unique_ptr<Command> make_translate_command() {
  return std::make_unique<TranslateCommand>();
}

}  // namespace bough::cli
