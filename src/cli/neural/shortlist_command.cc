// bough shortlist: which words translate which, kept beside the model.
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/data/shortlist.h"
#include "bough/train/run_options.h"
#include "bough/train/training_data.h"
#include "neural/neural_commands.h"
#include "shortlist_verb.h"

namespace bough::cli {

namespace {

class ShortlistCommand : public ShortlistVerb {
 public:
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Model model = load_model_setting(model_);
    if (!model.source) {
      throw UsageError(
          "bough shortlist needs a model that translates, but '{}' is one for --task {}", model_,
          name_of(model.config.task));
    }
    TrainingData data = read_training_data(pairs_of(model), model, true);
    const Vocabulary& source = model.source->vocabulary;
    const Vocabulary& target = model.text.vocabulary;
    Shortlist list = Shortlist::learn(data.train_source, data.train, source.size(), target.size());
    list.save(fs::path(model_) / Shortlist::kFile, source, target);
    spdlog::info("{} pairs; {:.1f} translations a word of the source are kept in {}",
                 data.train.size(),
                 static_cast<double>(list.translations()) / static_cast<double>(source.size()),
                 Shortlist::kFile);
  }

 private:
  /// How the model's training data was read, from the files that are named.
  TrainOptions pairs_of(const Model& model) const {
    TrainOptions options = options_of(model);
    options.valid.clear();
    if (train_.empty() && !source_train_.empty()) {
      throw UsageError("--source-train needs --train, which it is translated by");
    }
    if (!train_.empty()) {
      options.train = train_;
      options.source_train = source_train_;
    } else if (!fs::exists(options.train)) {
      throw DataError(
          "'{}', which '{}' was trained with, is not there: name pairs by --source-train and "
          "--train",
          options.train, model_);
    }
    return options;
  }
};

}  // namespace

std::unique_ptr<Command> make_shortlist_command() {
  return std::make_unique<ShortlistCommand>();
}

}  // namespace bough::cli
