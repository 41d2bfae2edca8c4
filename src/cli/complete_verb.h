// bough complete: what it takes.
#pragma once

#include "line_options.h"
#include "trace_output.h"
#include "writing_options.h"

namespace bough::cli {

class CompleteVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "complete"; }
  std::string_view summary() const override { return "Write sentences around given words."; }
  std::string_view usage() const override {
    return "complete --model DIR [-i FILE | --must WORDS] [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Completion");
    writing_.declare_model(set);
    lines_.declare(
        set, "a template a line: `___ favorite <blank:1-3> food ___ !`, or a seed tree as JSON");
    set.text("must", must_, "WORDS",
             "words and phrases that have to appear, with commas between them, instead of --input");
    set.flag("any-order", any_order_,
             "with --must: in the order that the model likes best, of up to six phrases");
    set.text("avoid", avoid_, "PHRASES",
             "words and phrases that may not appear, with commas between them");
    set.choice("seed-shape", writing_.options.shape,
               "which given word of a slot comes first: the one the model likes best, the middle "
               "one, or the first");
    set.integer("count", count_, {1, 1'000'000},
                "sentences for each template; with --beam-size the best so many")
        .short_name = 'n';
    output_.declare(set);
    output_.declare_nbest(set);
    writing_.declare(set);
    writing_.rerank.declare(set);
  }

 protected:
  LineOptions lines_;
  std::string must_;
  bool any_order_ = false;
  std::string avoid_;
  int64_t count_ = 1;
  TraceOutput output_;
  WritingOptions writing_;
};

}  // namespace bough::cli
