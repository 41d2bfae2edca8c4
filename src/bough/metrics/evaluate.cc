#include "bough/metrics/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/base/error.h"
#include "bough/base/parallel.h"
#include "bough/base/utf8.h"
#include "bough/base/version.h"

namespace bough {

namespace {

/// Only the vectors of words that occur.
std::shared_ptr<const WordVectors> read_vectors(
    const std::string& file, const References& references,
    std::span<const std::span<const std::string>> texts) {
  if (file.empty()) {
    throw UsageError("yisi1 needs --yisi-vectors FILE, or take yisi0, which needs none");
  }
  WordSet words;
  for (size_t line = 0; line < references.lines(); ++line) {
    for (std::string_view reference : references.of(line)) add_yisi_words(reference, words);
  }
  for (std::span<const std::string> text : texts) {
    for (const std::string& line : text) add_yisi_words(line, words);
  }
  return std::make_shared<WordVectors>(file, &words);
}

MetricKind kind_of(std::string_view name) {
  std::string names;
  for (const auto& [kind, own] : EnumNames<MetricKind>::kNames) {
    if (own == name) return kind;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", own);
  }
  throw UsageError("there is no metric '{}'; there are {}", for_message(std::string(name)), names);
}

void check_text(std::span<const std::string> lines, const std::string& what) {
  for (size_t line = 0; line < lines.size(); ++line) {
    if (find_bad_utf8(lines[line]) == std::string::npos) continue;
    throw DataError("{}, line {}: not UTF-8", what, line + 1);
  }
}

/// A metric with a text that it has measured.
struct Measured {
  std::unique_ptr<Metric> metric;
  size_t references;
  Rows rows;
};

Measured measure(std::string_view name, std::span<const std::string> hypotheses,
                 std::vector<std::vector<std::string>> references, const NamedOptions& named) {
  MetricKind kind = kind_of(name);
  EvaluationOptions options;
  int64_t threads = 0;
  OptionSet set;
  options.declare(set);
  set.integer("threads", threads, {0, 4096}, "threads to compute with; 0: all cores");
  set_by_name(set, named);
  if (references.empty()) throw UsageError("a text is scored against at least one reference");
  if (hypotheses.empty()) throw DataError("there are no lines: there is nothing to score");
  check_text(hypotheses, "the hypotheses");
  for (size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() != hypotheses.size()) {
      throw DataError("{} hypotheses, but {} lines of reference {}: they are compared line by line",
                      hypotheses.size(), references[i].size(), i + 1);
    }
    check_text(references[i], fmt::format("reference {}", i + 1));
  }
  References all(std::move(references));
  std::unique_ptr<Metric> metric =
      std::move(make_metrics({&kind, 1}, options, all, {&hypotheses, 1}).front());
  Rows rows = measure_text(*metric, hypotheses, all, thread_count(threads));
  return {std::move(metric), all.per_line(), std::move(rows)};
}

}  // namespace

std::vector<std::unique_ptr<Metric>> make_metrics(
    std::span<const MetricKind> kinds, const EvaluationOptions& options,
    const References& references, std::span<const std::span<const std::string>> texts) {
  auto asked = [&](MetricKind kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
  MetricTables tables;
  std::vector<MeteorModule> modules = meteor_modules(options.metrics.meteor);
  bool synonyms = std::ranges::find(modules, MeteorModule::kSynonym) != modules.end();
  if (asked(MetricKind::kMeteor) && synonyms) {
    tables.synonyms = std::make_shared<SynonymTable>(options.wordnet);
  }
  if (asked(MetricKind::kYisi1)) tables.vectors = read_vectors(options.vectors, references, texts);
  std::vector<std::unique_ptr<Metric>> metrics;
  for (MetricKind kind : kinds) {
    metrics.push_back(make_metric(kind, options.metrics, references, tables));
  }
  return metrics;
}

std::string signature_of(const Metric& metric, size_t references, std::string_view draws) {
  std::string signature = fmt::format("nrefs:{}{}", references, draws);
  for (const auto& [key, value] : metric.settings()) {
    signature += fmt::format("|{}:{}", key, value);
  }
  return signature + fmt::format("|version:bough-{}", version());
}

MetricScore evaluate(std::string_view metric, std::span<const std::string> hypotheses,
                     std::vector<std::vector<std::string>> references,
                     const NamedOptions& options) {
  Measured measured = measure(metric, hypotheses, std::move(references), options);
  return {.name = measured.metric->name(),
          .score = measured.metric->score(measured.rows.sum()),
          .signature = signature_of(*measured.metric, measured.references)};
}

std::vector<double> evaluate_sentences(std::string_view metric,
                                       std::span<const std::string> hypotheses,
                                       std::vector<std::vector<std::string>> references,
                                       const NamedOptions& options) {
  Measured measured = measure(metric, hypotheses, std::move(references), options);
  std::vector<double> scores;
  for (size_t line = 0; line < measured.rows.lines(); ++line) {
    scores.push_back(measured.metric->sentence_score(measured.rows.of(line)));
  }
  return scores;
}

}  // namespace bough
