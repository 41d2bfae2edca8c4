// What `bough eval` found: of one system JSON in sacreBLEU's shape and text like it, of several a
// table. Several are runs of one recipe, unless they are tested against each other.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/analysis/table.h"
#include "bough/metrics/samples.h"
#include "bough/metrics/significance.h"

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
  bool of_one_recipe = true;  // false: the systems are compared
};

/// JSON is for one system an object, or a list of them for several metrics; for several systems a
/// list with an object for each, and then their mean. Text is for one system a line a metric; for
/// several, and in other formats, there is a table with the signatures as footnotes.
std::string to_text(const EvalReport& report, TableFormat format);

/// What samples are like; what is not known is left out. The span belongs to their trees.
nlohmann::ordered_json samples_json(const SampleStatistics& samples, std::optional<double> span);

/// Adds `bleu-2`, `bleu-3`, …: what samples are measured by.
void add_by_order(nlohmann::ordered_json& json, std::string_view name,
                  std::span<const double> values);

/// What was measured of a run: an object of numbers, some of which may be null.
struct RunNumbers {
  std::string name;
  std::string recipe;  // runs of one have the same
  nlohmann::ordered_json numbers;
};

/// A row a run and a column a number, for all numbers that any of them has.
Table table_of(std::span<const RunNumbers> runs);

/// Of one run its object, or for people a name and its number a line, percentages with a sign; else
/// the table.
std::string to_text(std::span<const RunNumbers> runs, TableFormat format);

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
