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
    set.integer(
           "workers", workers_, {1, 1024},
           "train with so many processes of this machine, each on its share of every batch; on "
           "several machines torchrun's, Slurm's or Open MPI's environment says who is who")
        .of_this_call();
    set.number(
           "rank-timeout", rank_timeout_, {1.0, 1e6},
           "where several processes train: how many seconds one may not answer before the others "
           "give up")
        .of_this_call();
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  TrainOptions options_;
  std::vector<std::string> seeds_;
  int64_t workers_ = 1;
  double rank_timeout_ = 300.0;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
