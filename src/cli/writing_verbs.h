// bough generate, complete, reorder and translate: what they take. What is asked of the model is in
// bough/ask/writing_options.h; here is what the command line adds to it.
#pragma once

#include "bough/ask/writing_options.h"
#include "command.h"
#include "line_options.h"
#include "trace_output.h"

namespace bough::cli {

struct WritingVerbText : VerbText {
  std::string_view heading;
  std::string_view line;  // what one of the input is; empty: there is no input
};

constexpr WritingVerbText kGenerate{
    {"generate", "Write sentences with a model.", "generate --model DIR [-n N] [options]"},
    "Generation",
    ""};
constexpr WritingVerbText kComplete{
    {"complete", "Write sentences around given words.",
     "complete --model DIR [-i FILE | --must WORDS] [options]"},
    "Completion",
    "a template a line: `___ favorite <blank:1-3> food ___ !`, or a seed tree as JSON"};
constexpr WritingVerbText kReorder{
    {"reorder", "Put bags of words in order.", "reorder --model DIR [-i FILE] [options]"},
    "Reordering",
    "a bag of words a line, in any order"};
constexpr WritingVerbText kTranslate{
    {"translate", "Translate sentences.", "translate --model DIR [-i FILE] [options]"},
    "Translation",
    "a sentence a line"};

class WritingVerb : public NeuralVerb {
 public:
  explicit WritingVerb(const WritingVerbText& text) : text_(text) {}

  std::string_view name() const override { return text_.name; }
  std::string_view summary() const override { return text_.summary; }
  std::string_view usage() const override { return text_.usage; }
  void declare(OptionSet& set) override {
    set.group(text_.heading);
    set.text("model", folder_, "DIR", "the model's folder, or the name of a shipped one")
        .names_model()
        .about_the_program()
        .required = true;
    if (takes_lines()) {
      lines_.declare(set, text_.line);
    } else {
      lines_.shard.declare(set, "the sentences");
    }
    output_.declare(set);
    declare_task(set);
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  /// What is asked of the model.
  virtual void declare_task(OptionSet& set) = 0;
  bool takes_lines() const { return !text_.line.empty(); }

  WritingVerbText text_;
  std::string folder_;
  LineOptions lines_;
  TraceOutput output_;
  CommonOptions common_;
  ComputeOptions compute_;
};

/// One that is declared only.
template <typename Options>
class DeclaredWritingVerb : public WritingVerb {
 public:
  using WritingVerb::WritingVerb;

 protected:
  void declare_task(OptionSet& set) override { options_.declare(set); }

 private:
  Options options_;
};

}  // namespace bough::cli
