// bough generate: unconditional sentences from a model.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/generate/generator.h"
#include "commands.h"
#include "signals.h"
#include "trace_output.h"

namespace bough::cli {

namespace {

class GenerateCommand : public Command {
 public:
  std::string_view name() const override { return "generate"; }
  std::string_view summary() const override { return "Write sentences with a model."; }
  std::string_view usage() const override { return "generate --model DIR [-n N] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Generation");
    set.text("model", model_, "DIR", "the model's folder").required = true;
    set.integer("count", request_.count, {0, 1'000'000'000}, "how many sentences").short_name = 'n';
    output_.declare(set);
    set.integer("seed", seed_, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", request_.batch_size, {1, 1'000'000},
                "sentences written side by side; changes speed, not output");
    set.choice("precision", precision_,
               "numbers to compute with: int8 is several times as fast and nearly as good");
    request_.sampler.declare(set);
    request_.bounds.declare(set);
    common_.declare(set);
    compute_.declare(set);
  }
  void run(std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    compute_.apply();
    spdlog::info("seed {}", seed_);
    Model model = load_model(model_, compute_.device);
    check_task(model, Task::kLm, model_, name());
    model.policy->set_precision(precision_);
    request_.seed = static_cast<uint64_t>(seed_);
    request_.with_scores = output_.format == OutputFormat::kJsonl;
    OutputFile output(output_.file);
    const std::atomic<bool>& stop = stop_requested();
    generate(*model.policy, model.vocabulary, request_, [&](Trace&& trace) {
      output.write_line(output_.render(trace));
      if (stop) throw Interrupted("interrupted");
    });
    output.commit();
  }

 private:
  std::string model_;
  TraceOutput output_;
  int64_t seed_ = 1;
  Precision precision_ = Precision::kFloat;
  GenerateRequest request_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace

std::unique_ptr<Command> make_generate_command() {
  return std::make_unique<GenerateCommand>();
}

}  // namespace bough::cli
