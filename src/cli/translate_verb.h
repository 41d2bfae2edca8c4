// bough translate: what it takes.
#pragma once

#include "line_options.h"
#include "source_options.h"
#include "trace_output.h"
#include "writing_options.h"

namespace bough::cli {

class TranslateVerb : public NeuralVerb {
 public:
  TranslateVerb() { writing_.options.sampler.decode = usual_decode(TaskKind::kTranslate); }

  std::string_view name() const override { return "translate"; }
  std::string_view summary() const override { return "Translate sentences."; }
  std::string_view usage() const override { return "translate --model DIR [-i FILE] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Translation");
    writing_.declare_model(set);
    lines_.declare(set, "a sentence a line");
    source_.declare(set);
    set.integer("shortlist", shortlist_, {0, 1'000'000'000},
                "write with the so many likeliest translations of each word of the source, and as "
                "many of the most frequent words; needs `bough shortlist`; 0: with all words");
    output_.declare(set);
    output_.declare_nbest(set);
    writing_.declare(set);
    writing_.rerank.declare(set);
  }

 protected:
  LineOptions lines_;
  SourceOptions source_;
  int64_t shortlist_ = 0;
  TraceOutput output_;
  WritingOptions writing_;
};

}  // namespace bough::cli
