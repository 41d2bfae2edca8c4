// bough generate: what it takes.
#pragma once

#include "trace_output.h"
#include "writing_options.h"

namespace bough::cli {

class GenerateVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "generate"; }
  std::string_view summary() const override { return "Write sentences with a model."; }
  std::string_view usage() const override { return "generate --model DIR [-n N] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Generation");
    writing_.declare_model(set);
    set.integer("count", count_, {0, 1'000'000'000},
                "how many sentences; with --beam-size the best so many of one search")
        .short_name = 'n';
    output_.declare(set);
    output_.declare_nbest(set);
    writing_.declare(set);
    writing_.rerank.declare(set);
  }

 protected:
  int64_t count_ = 1;
  TraceOutput output_;
  WritingOptions writing_;
};

}  // namespace bough::cli
