// bough generate: unconditional sentences from a model.
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "commands.h"
#include "trace_output.h"
#include "writing.h"

namespace bough::cli {

namespace {

class GenerateCommand : public Command {
 public:
  std::string_view name() const override { return "generate"; }
  std::string_view summary() const override { return "Write sentences with a model."; }
  std::string_view usage() const override { return "generate --model DIR [-n N] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Generation");
    writing_.declare_model(set);
    set.integer("count", count_, {0, 1'000'000'000},
                "how many sentences; with --beam-size the best so many of one search")
        .short_name = 'n';
    output_.declare(set);
    writing_.declare(set);
  }
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    int64_t beam = writing_.options.beam.size;
    if (beam > 0 && count_ > beam) {
      throw UsageError("a search finds --beam-size sentences: raise it to -n {}", count_);
    }
    Model model = writing_.open(Task::kLm, name(), "generate", set);
    OutputFile output(output_.file);
    WriteRequest request{.count = beam > 0 ? 1 : count_,
                         .best = beam > 0 ? count_ : 0,
                         .with_scores = output_.format == OutputFormat::kJsonl,
                         .alternatives = output_.alternatives};
    writing_.write(model, request, [&](std::vector<Written>&& found) {
      for (const Written& written : found) output.write_line(output_.render(written.trace));
    });
    output.commit();
  }

 private:
  int64_t count_ = 1;
  TraceOutput output_;
  Writing writing_;
};

}  // namespace

std::unique_ptr<Command> make_generate_command() {
  return std::make_unique<GenerateCommand>();
}

}  // namespace bough::cli
