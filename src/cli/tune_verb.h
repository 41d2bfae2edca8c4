// bough tune: what it takes.
#pragma once

#include "writing_options.h"

namespace bough::cli {

class TuneVerb : public NeuralVerb {
 public:
  TuneVerb() { writing_.options.sampler.decode = Decode::kGreedy; }

  std::string_view name() const override { return "tune"; }
  std::string_view summary() const override {
    return "Choose decoding settings of a model on validation data.";
  }
  std::string_view usage() const override { return "tune --model DIR --valid FILE [options]"; }
  void declare(OptionSet& set) override {
    set.group("Tuning");
    writing_.declare_model(set);
    set.text("valid", valid_, "FILE", "sentences, one a line").required = true;
    set.integer("count", count_, {1, 1'000'000'000}, "use the first so many").short_name = 'n';
    set.text("source-valid", source_valid_, "FILE", "translation: what --valid is translated from");
    set.flag("exact", exact_,
             "for reordering with --exact; by a beam of 10 unless --decode, --beam-size or --mbr "
             "say how");
    set.flag("dry-run", dry_run_, "print the table, and keep nothing");
    set.text("output", output_, "FILE", "where to write the table; -: standard output").short_name =
        'o';
    writing_.declare(set);
  }

 protected:
  std::string valid_;
  std::string source_valid_;
  int64_t count_ = 1000;
  bool exact_ = false;
  bool dry_run_ = false;
  std::string output_ = "-";
  WritingOptions writing_;
};

}  // namespace bough::cli
