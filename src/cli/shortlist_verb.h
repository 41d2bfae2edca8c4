// bough shortlist: what it takes.
#pragma once

#include "command.h"

namespace bough::cli {

class ShortlistVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "shortlist"; }
  std::string_view summary() const override {
    return "Learn which words translate which, for `bough translate --shortlist`.";
  }
  std::string_view usage() const override { return "shortlist --model DIR [options]"; }
  void declare(OptionSet& set) override {
    set.group("Shortlist");
    set.text("model", model_, "DIR", "the folder of a model that translates")
        .names_model()
        .required = true;
    set.text("train", train_, "FILE",
             "sentences to learn from; none: those that the model was trained with");
    set.text("source-train", source_train_, "FILE",
             "the sentences that --train translates, line by line; none: --train is a TSV file "
             "with both");
    common_.declare(set);
  }

 protected:
  std::string model_;
  std::string train_;
  std::string source_train_;
  CommonOptions common_;
};

}  // namespace bough::cli
