// Scoring a text by a metric's name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/named_options.h"
#include "bough/metrics/metrics.h"

namespace bough {

/// The metrics' options, with where the tables are that some look words up in.
struct EvaluationOptions {
  std::string wordnet = "/usr/share/wordnet";
  std::string vectors;
  MetricOptions metrics;

  void declare(OptionSet& set) {
    set.text("wordnet", wordnet, "DIR", "METEOR: WordNet's files (Debian's wordnet-base)");
    set.text("yisi-vectors", vectors, "FILE",
             "YiSi-1: word vectors as text, a word and its numbers a line");
    metrics.declare(set);
  }
};

/// The metrics, with their tables read, for these texts beside these references.
std::vector<std::unique_ptr<Metric>> make_metrics(
    std::span<const MetricKind> kinds, const EvaluationOptions& options,
    const References& references, std::span<const std::span<const std::string>> texts);

/// What a metric's score depends on, with what it was drawn with: `nrefs:1|bs:1000|…`.
std::string signature_of(const Metric& metric, size_t references, std::string_view draws = "");

struct MetricScore {
  std::string name;  // BLEU
  double score = 0.0;
  std::string signature;
};

/// The score of a text by a metric (bleu, chrf, chrf++, ter, ribes, meteor, yisi0, yisi1, f1, em,
/// edit) as `bough eval` computes it; `references[r]` has as many lines as there are hypotheses.
/// Options are eval's, and "threads". UsageError or DataError for what can't be scored.
MetricScore evaluate(std::string_view metric, std::span<const std::string> hypotheses,
                     std::vector<std::vector<std::string>> references,
                     const NamedOptions& options = {});

/// Each sentence's own.
std::vector<double> evaluate_sentences(std::string_view metric,
                                       std::span<const std::string> hypotheses,
                                       std::vector<std::vector<std::string>> references,
                                       const NamedOptions& options = {});

}  // namespace bough
