// bough generate: unconditional sentences from a model.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/generate/generator.h"
#include "bough/text/tokenizer.h"
#include "bough/tree/draw.h"
#include "commands.h"
#include "signals.h"

namespace bough::cli {

enum class OutputFormat { kText, kJsonl, kTree };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::OutputFormat> {
  using Format = bough::cli::OutputFormat;
  static constexpr std::array<std::pair<Format, std::string_view>, 3> kNames{
      {{Format::kText, "text"}, {Format::kJsonl, "jsonl"}, {Format::kTree, "tree"}}};
};

namespace bough::cli {

namespace {

std::string render(const Trace& trace, OutputFormat format, bool detokenized) {
  std::vector<std::string> words = trace.sentence();
  std::string text = detokenized ? detokenize(words) : join_words(words);
  switch (format) {
    case OutputFormat::kText:
      return text;
    case OutputFormat::kJsonl: {
      nlohmann::ordered_json json = to_json(trace);
      json["text"] = text;
      return json.dump();
    }
    case OutputFormat::kTree:
      return fmt::format("{}\n\n{}", text, draw_tree(trace.tree, trace.texts));
  }
  return "";
}

class GenerateCommand : public Command {
 public:
  std::string_view name() const override { return "generate"; }
  std::string_view summary() const override { return "Write sentences with a model."; }
  std::string_view usage() const override { return "generate --model DIR [-n N] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Generation");
    set.text("model", model_, "DIR", "the model's folder").required = true;
    set.integer("count", request_.count, {0, 1'000'000'000}, "how many sentences").short_name = 'n';
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    set.choice("format", format_, "sentences, traces as JSON lines, or drawn trees");
    set.flag("detokenize", detokenize_, "write text as people do: `how are you?`");
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
    model.policy->set_precision(precision_);
    request_.seed = static_cast<uint64_t>(seed_);
    request_.with_scores = format_ == OutputFormat::kJsonl;
    OutputFile output(output_);
    const std::atomic<bool>& stop = stop_requested();
    generate(*model.policy, model.vocabulary, request_, [&](Trace&& trace) {
      output.write_line(render(trace, format_, detokenize_));
      if (stop) throw Interrupted("interrupted");
    });
    output.commit();
  }

 private:
  std::string model_;
  std::string output_ = "-";
  OutputFormat format_ = OutputFormat::kText;
  bool detokenize_ = false;
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
