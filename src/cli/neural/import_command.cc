// bough import: models of the program of the paper's authors.
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/train/import_authors.h"
#include "import_verb.h"
#include "neural/neural_commands.h"

namespace bough::cli {

namespace {

class ImportCommand : public ImportVerb {
 public:
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    std::string where = fmt::format("'{}'", options_);
    auto options = nlohmann::json::parse(read_file(options_), nullptr, false);
    if (options.is_discarded()) throw DataError("{} is not JSON", where);
    import_authors({.weights = weights_,
                    .vocabulary = vocabulary_,
                    .options = std::move(options),
                    .options_name = where,
                    .tokenizer = tokenizer_,
                    .codes = codes_,
                    .out = out_,
                    .force = force_});
    spdlog::info("'{}' has the model; `bough info --model {}` says what it is", out_, out_);
  }
};

}  // namespace

std::unique_ptr<Command> make_import_command() {
  return std::make_unique<ImportCommand>();
}

}  // namespace bough::cli
