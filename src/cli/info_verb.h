// bough info: what it takes.
#pragma once

#include "bough/data/shipped_models.h"
#include "command.h"

namespace bough::cli {

class InfoVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "info"; }
  std::string_view summary() const override {
    return "Say what a model is, how it was trained, and whether it works.";
  }
  std::string_view usage() const override { return "info --model DIR | --list [--json]"; }
  void declare(OptionSet& set) override {
    set.group("Model");
    set.text("model", model_, "DIR", "the model's folder, or the name of a shipped one")
        .names_model();
    set.flag("list", list_, "list the models that come with the program");
    set.flag("json", json_, "print JSON");
    common_.declare(set);
    compute_.declare(set);
  }

  bool neural() const override { return !list_ && !model_.empty(); }

  /// What needs no tensors: the list.
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (list_ != model_.empty()) {
      throw UsageError("give --model, the model's folder or the name of a shipped one, or --list");
    }
    OutputFile output("-");
    output.write(list_of_shipped_models(json_));
    output.commit();
  }

 protected:
  std::string model_;
  bool list_ = false;
  bool json_ = false;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
