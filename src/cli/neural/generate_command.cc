// bough generate: unconditional sentences from a model.
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "generate_verb.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "trace_output.h"

namespace bough::cli {

namespace {

class GenerateCommand : public GenerateVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    int64_t beam = writing_.options.beam.size;
    if (beam > 0 && count_ > beam) {
      throw UsageError("a search finds --beam-size sentences: raise it to -n {}", count_);
    }
    std::shared_ptr<const Model> loaded = open_model(writing_, Task::kLm, name(), "generate", set);
    const Model& model = *loaded;
    OutputFile output(output_.file);
    WriteRequest request{.count = beam > 0 ? 1 : count_,
                         .best = beam > 0 ? count_ : 0,
                         .with_scores = output_.format == OutputFormat::kJsonl,
                         .alternatives = output_.alternatives};
    write_sentences(writing_.options, model, request, [&](std::vector<Written>&& found) {
      for (const Written& written : found) output.write_line(output_.render(written.trace));
    });
    output.commit();
  }

 private:
};

}  // namespace

std::unique_ptr<Command> make_generate_command() {
  return std::make_unique<GenerateCommand>();
}

}  // namespace bough::cli
