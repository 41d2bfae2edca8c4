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
    set.group("Training");
    set.list("seeds", seeds_, "LIST",
             "train a model for each of these seeds, 1,2,3, one after the other, into the folders "
             "seed-1, seed-2, … of --out; with --resume those that are finished are passed over");
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  TrainOptions options_;
  std::vector<std::string> seeds_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
