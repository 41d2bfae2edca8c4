// bough import: what it takes.
#pragma once

#include "bough/text/tokenizer.h"
#include "command.h"

namespace bough::cli {

class ImportVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "import"; }
  std::string_view summary() const override {
    return "Make a model folder of an LSTM of the paper authors' own program.";
  }
  std::string_view usage() const override {
    return "import --weights FILE --vocabulary FILE --options FILE --out DIR";
  }
  void declare(OptionSet& set) override {
    set.group("Import");
    set.text("weights", weights_, "FILE", "their state_dict, as safetensors").required = true;
    set.text("vocabulary", vocabulary_, "FILE",
             "their tok2i.json, or a text file with a word a line, in the order of ids")
        .required = true;
    set.text("options", options_, "FILE", "their model_config.json").required = true;
    set.text("codes", codes_, "FILE",
             "the byte-pair codes that words are cut into pieces by, if they are");
    set.text("out", out_, "DIR", "the folder to write").required = true;
    set.flag("force", force_, "overwrite a model in --out");
    set.group("Text");
    tokenizer_.declare(set);
    common_.declare(set);
  }

 protected:
  std::string weights_;
  std::string vocabulary_;
  std::string options_;
  std::string codes_;
  std::string out_;
  bool force_ = false;
  TokenizerOptions tokenizer_;
  CommonOptions common_;
};

}  // namespace bough::cli
