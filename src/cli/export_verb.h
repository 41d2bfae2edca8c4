// bough export: what it takes.
#pragma once

#include "bough/model/precision.h"
#include "command.h"

namespace bough::cli {

class ExportVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "export"; }
  std::string_view summary() const override {
    return "Write a small folder of a model, without its training state.";
  }
  std::string_view usage() const override {
    return "export --model DIR --precision half|int8 --out DIR";
  }
  void declare(OptionSet& set) override {
    set.group("Export");
    set.text("model", model_, "DIR", "the model's folder, or the name of a shipped one")
        .names_model()
        .required = true;
    set.choice("precision", precision_,
               "what weights are kept in: float of 32 or of 16 bits (half), or matrices in bytes "
               "with a scale a row (int8), which is what --precision int8 computes with")
        .required = true;
    set.integer("max-vocab", max_vocab_, {0, 10'000'000},
                "keep this many of the most frequent words; 0: all");
    set.text("out", out_, "DIR", "the folder to write").required = true;
    set.flag("force", force_, "overwrite a model in --out");
    common_.declare(set);
  }

 protected:
  std::string model_;
  KeptPrecision precision_ = KeptPrecision::kInt8;
  int64_t max_vocab_ = 0;
  std::string out_;
  bool force_ = false;
  CommonOptions common_;
};

}  // namespace bough::cli
