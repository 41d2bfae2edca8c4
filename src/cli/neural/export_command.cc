// bough export: a small folder of a model.
#include <spdlog/spdlog.h>

#include "bough/data/shipped_models.h"
#include "bough/train/export_model.h"
#include "export_verb.h"
#include "neural/neural_commands.h"

namespace bough::cli {

namespace {

class ExportCommand : public ExportVerb {
 public:
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    export_model({.model = model_,
                  .precision = precision_,
                  .max_vocab = max_vocab_,
                  .out = out_,
                  .force = force_});
    spdlog::info("'{}' has the model in {}: {} on disk, model.safetensors {} in place of {}", out_,
                 name_of(precision_), in_megabytes(bytes_on_disk(out_)), weights(out_),
                 weights(model_));
  }

 private:
  static std::string weights(const fs::path& folder) {
    return in_megabytes(size_of_file(folder / "model.safetensors"));
  }
};

}  // namespace

std::unique_ptr<Command> make_export_command() {
  return std::make_unique<ExportCommand>();
}

}  // namespace bough::cli
