// What benchmarks measure, and what all of their reports say of it.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bough/bench/bench_options.h"
#include "bough/model/orders.h"
#include "bough/model/policy.h"

namespace bough {

struct Model;

/// How a report begins.
nlohmann::ordered_json report_head(std::string_view what, const BenchOptions& options);

/// Rates of the products that matter at these sizes.
nlohmann::ordered_json shape_rates(const PolicyOptions& policy, int64_t vocabulary, int64_t rows);

/// What one sentence at a time is bound by: the weights that a step reads.
nlohmann::ordered_json memory_bound(const PolicyOptions& sizes, int64_t vocabulary,
                                    Precision precision, double steps_per_second);

/// A model of a folder, or a policy of the preset's sizes.
class Subject {
 public:
  Subject(const BenchOptions& options, const std::string& folder);

  const Policy& policy() const;
  Order order() const;

  nlohmann::ordered_json head(std::string_view what) const;

 private:
  const BenchOptions& options_;
  const std::string& folder_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Policy> untrained_;
};

}  // namespace bough
