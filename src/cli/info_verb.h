// bough info: what it takes.
#pragma once

#include "command.h"

namespace bough::cli {

class InfoVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "info"; }
  std::string_view summary() const override {
    return "Say what a model is, how it was trained, and whether it works.";
  }
  std::string_view usage() const override { return "info --model DIR [--json]"; }
  void declare(OptionSet& set) override {
    set.group("Model");
    set.text("model", model_, "DIR", "the model's folder").required = true;
    set.flag("json", json_, "print JSON");
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  std::string model_;
  bool json_ = false;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
