// bough bench: what its verbs take.
#pragma once

#include "bough/bench/bench_options.h"
#include "command.h"

namespace bough::cli {

/// A benchmark of training, generating, … with tensors.
template <typename Options>
class BenchVerb : public NeuralVerb {
 public:
  explicit BenchVerb(const VerbText& text) : text_(text) {}

  std::string_view name() const override { return text_.name; }
  std::string_view summary() const override { return text_.summary; }
  std::string_view usage() const override { return text_.usage; }
  void declare(OptionSet& set) override {
    options_.declare(set);
    set.group("Output");
    set.flag("json", json_, "print JSON");
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  VerbText text_;
  Options options_;
  bool json_ = false;
  CommonOptions common_;
  ComputeOptions compute_;
};

inline constexpr VerbText kBenchTrain = {
    "bench train", "Measure training beside the machine's own matrix products.",
    "bench train [--preset NAME] [options]"};
inline constexpr VerbText kBenchTranslate = {
    "bench translate", "Measure training and decoding of a model that translates.",
    "bench translate [options]"};
inline constexpr VerbText kBenchGenerate = {
    "bench generate", "Measure generation beside the machine's own matrix products.",
    "bench generate [--preset NAME] [options]"};
inline constexpr VerbText kBenchScore = {
    "bench score", "Measure likelihoods beside the machine's own matrix products.",
    "bench score [--preset NAME] [options]"};
inline constexpr VerbText kBenchGrowth = {"bench growth", "Draw how cost grows with the work.",
                                          "bench growth [-o DIR] [options]"};
inline constexpr VerbText kBenchEval = {
    "bench eval", "Measure the metrics beside the machine's own matrix products.",
    "bench eval [-m METRIC…] [options]"};

}  // namespace bough::cli
