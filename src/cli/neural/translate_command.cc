// bough translate: a sentence a line → its translation.
#include "bough/base/error.h"
#include "bough/data/shortlist.h"
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
    output_.check();
    std::shared_ptr<const Model> loaded = open_model(writing_, name(), "translate", set);
    const Model& model = *loaded;
    std::unique_ptr<Reranker> reranker = open_reranker(writing_, loaded);
    std::optional<Shortlist> shortlist;
    if (shortlist_ > 0) shortlist = load_shortlist(writing_.folder, model);
    OutputFile output(output_.file);
    WriteRequest request{.best = output_.nbest,
                         .reranker = reranker.get(),
                         .with_scores = output_.has_scores(),
                         .alternatives = output_.alternatives};
    LineWriter(model, writing_.options, request, output_, output)
        .run(
            lines_,
            [&](const std::string& line) { return parse(line, model.source_text(), shortlist); },
            [&](int64_t number, auto&& found) {
              output_.write(number, found.front(), model.text.tokenizer, output);
            });
    output.commit();
  }

 private:
  static Shortlist load_shortlist(const fs::path& folder, const Model& model) {
    fs::path path = folder / Shortlist::kFile;
    if (!fs::exists(path)) {
      throw DataError(
          "'{}' has no shortlist: make one with `bough shortlist --model {}`, or leave --shortlist "
          "out",
          folder.string(), folder.string());
    }
    return Shortlist::load(path, model.source_text().vocabulary, model.text.vocabulary);
  }

  LineJob parse(const std::string& line, const Language& text,
                const std::optional<Shortlist>& shortlist) const {
    std::vector<std::string> words = source_.split(line, text.tokenizer);
    if (words.empty()) return {};
    LineJob job{.source = text.vocabulary.ids(words), .source_text = line, .ways = {nullptr}};
    if (shortlist) {
      job.words =
          std::make_shared<const std::vector<WordId>>(shortlist->words_for(job.source, shortlist_));
    }
    return job;
  }
};

}  // namespace

std::unique_ptr<Command> make_translate_command() {
  return std::make_unique<TranslateCommand>();
}

}  // namespace bough::cli
