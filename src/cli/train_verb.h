// bough train: what it takes.
#pragma once

#include "bough/train/train_options.h"
#include "command.h"

namespace bough::cli {

class TrainVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "train"; }
  std::string_view summary() const override { return "Learn a model from sentences."; }
  std::string_view usage() const override {
    return "train --task lm --train FILE --valid FILE --out DIR [options]";
  }
  void declare(OptionSet& set) override {
    options_.declare(set);
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  TrainOptions options_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
