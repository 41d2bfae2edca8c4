// bough reorder: what it takes.
#pragma once

#include "line_options.h"
#include "source_options.h"
#include "trace_output.h"
#include "writing_options.h"

namespace bough::cli {

class ReorderVerb : public NeuralVerb {
 public:
  ReorderVerb() { writing_.options.sampler.decode = usual_decode(TaskKind::kReorder); }

  std::string_view name() const override { return "reorder"; }
  std::string_view summary() const override { return "Put bags of words in order."; }
  std::string_view usage() const override { return "reorder --model DIR [-i FILE] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Reordering");
    writing_.declare_model(set);
    lines_.declare(set, "a bag of words a line, in any order");
    source_.declare(set);
    set.flag(
        "exact", exact_,
        "every word of the bag, each as often as it is there, and no other; unless --decode, "
        "--beam-size or --mbr say how, or `bough tune --exact --decode greedy` was run, by a beam "
        "of 10");
    output_.declare(set);
    output_.declare_nbest(set);
    writing_.declare(set);
    writing_.rerank.declare(set);
  }

 protected:
  LineOptions lines_;
  SourceOptions source_;
  bool exact_ = false;
  TraceOutput output_;
  WritingOptions writing_;
};

}  // namespace bough::cli
