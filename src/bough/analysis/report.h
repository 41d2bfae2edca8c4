// The report: one HTML page that compares models, and needs nothing beside itself. Tables, charts,
// and sentences whose trees are written again step by step.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bough/analysis/chart.h"
#include "bough/analysis/depth_profile.h"
#include "bough/analysis/tree_statistics.h"
#include "bough/metrics/samples.h"

namespace bough {

struct ReportModel {
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;  // task, policy, oracle …
  SampleStatistics samples;
  TreeStatistics trees;
  std::vector<DepthMean> entropy;
  std::optional<TagsByDepth> tags;
  std::vector<Series> curves;  // of its training
  std::vector<Trace> shown;    // sentences to look at
};

/// Words of sentences that people wrote, by depth in their dependency trees.
struct ReferenceTags {
  std::string name;
  TagsByDepth tags;
};

struct Report {
  std::string title = "In which order";
  std::vector<ReportModel> models;
  std::optional<ReferenceTags> reference;
};

std::string write_report(const Report& report);

}  // namespace bough
