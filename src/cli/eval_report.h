// What `bough eval` found, as JSON in sacreBLEU's shape and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bough/base/options.h"
#include "bough/metrics/samples.h"
#include "bough/metrics/significance.h"

namespace bough::cli {

enum class ReportFormat { kJson, kText };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::ReportFormat> {
  using Format = bough::cli::ReportFormat;
  static constexpr std::array<std::pair<Format, std::string_view>, 2> kNames{
      {{Format::kJson, "json"}, {Format::kText, "text"}}};
};

namespace bough::cli {

/// One metric's view of one system.
struct MetricResult {
  double score = 0;
  std::string details;
  std::optional<Interval> interval = {};
  std::optional<double> bootstrap_p = {};  // against the first system
  std::optional<double> randomisation_p = {};
};

struct SystemResult {
  std::string name;
  bool identical = false;  // line by line, to the system it is compared with
  std::vector<MetricResult> metrics;
};

/// A metric as reports name it.
struct MetricLabel {
  std::string name;
  std::string signature;  // `nrefs:1|case:mixed|…`
  int decimals = 2;
};

struct EvalReport {
  std::vector<MetricLabel> labels;
  std::vector<SystemResult> systems;
};

/// For one system an object, or a list of them for several metrics; for several systems a list with
/// an object for each.
std::string to_json_text(const EvalReport& report);

/// For one system a line a metric; for several a table, and the signatures under it.
std::string to_plain_text(const EvalReport& report);

/// What samples are like; what is not known is left out. The span belongs to their trees.
nlohmann::ordered_json samples_json(const SampleStatistics& samples, std::optional<double> span);

/// Adds `bleu-2`, `bleu-3`, …: what samples are measured by.
void add_by_order(nlohmann::ordered_json& json, std::string_view name,
                  std::span<const double> values);

/// An object of numbers for people: a name and its number a line, percentages with a sign.
std::string named_numbers(const nlohmann::ordered_json& json);

/// The scores of one sentence: a JSON line, or cells parted by tabs.
struct SentenceScores {
  std::string system;  // empty where there is but one
  size_t line = 0;     // from 1
  std::vector<double> scores;
};
std::string to_json_text(const SentenceScores& sentence, const std::vector<MetricLabel>& labels);
std::string to_plain_text(const SentenceScores& sentence, const std::vector<MetricLabel>& labels);
std::string sentence_heading(bool with_system, const std::vector<MetricLabel>& labels);

}  // namespace bough::cli
