#include "server/metrics.h"

#include <fmt/format.h>

namespace bough::server {

namespace {

void describe(std::string& text, std::string_view name, std::string_view type,
              std::string_view help) {
  text += fmt::format("# HELP bough_{0} {2}\n# TYPE bough_{0} {1}\n", name, type, help);
}

/// A label's value: a model's name is its folder's.
std::string label_value(std::string_view value) {
  std::string text = "\"";
  for (char letter : value) {
    if (letter == '\n') {
      text += "\\n";
      continue;
    }
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

}  // namespace

void Metrics::add_request(std::string_view route, int status, double seconds) {
  std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
  Latencies& own = latencies_[std::string(route)];
  for (size_t i = 0; i < kBounds.size(); ++i) own.at_most[i] += seconds <= kBounds[i] ? 1 : 0;
  ++own.count;
  own.sum += seconds;
}

std::string Metrics::text(const Models* models, const BatchWorker& worker) const {
  std::string text;
  describe(text, "requests_total", "counter", "Requests that were answered.");
  std::lock_guard lock(mutex_);
  for (const auto& [key, count] : requests_) {
    text += fmt::format("bough_requests_total{{route=\"{}\",code=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  describe(text, "request_seconds", "histogram", "How long requests took.");
  for (const auto& [route, own] : latencies_) {
    for (size_t i = 0; i < kBounds.size(); ++i) {
      text += fmt::format("bough_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                          kBounds[i], own.at_most[i]);
    }
    text += fmt::format(
        "bough_request_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
        "bough_request_seconds_sum{{route=\"{0}\"}} {2}\n"
        "bough_request_seconds_count{{route=\"{0}\"}} {1}\n",
        route, own.count, own.sum);
  }
  describe(text, "requests_under_way", "gauge", "Requests that compute, or wait for it.");
  text += fmt::format("bough_requests_under_way {}\n", under_way.load());
  describe(text, "requests_abandoned_total", "counter", "Requests whose client went away.");
  text += fmt::format("bough_requests_abandoned_total {}\n", abandoned.load());
  describe(text, "words_total", "counter", "Words that were written or scored.");
  text += fmt::format("bough_words_total {}\n", words_.load());
  if (models == nullptr) return text;

  struct Kind {
    std::string_view name;
    size_t ServedModel::*batch;
  };
  constexpr std::array kKinds = {Kind{"writing", &ServedModel::writing},
                                 Kind{"listed", &ServedModel::listed},
                                 Kind{"scoring", &ServedModel::scoring}};
  auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                  int64_t BatchWorker::Load::*value) {
    describe(text, name, type, help);
    for (const ServedModel& model : models->all()) {
      for (const Kind& kind : kKinds) {
        text += fmt::format("bough_{}{{model={},batch=\"{}\"}} {}\n", name, label_value(model.name),
                            kind.name, worker.load(model.*kind.batch).*value);
      }
    }
  };
  double flops = 0.0;
  double seconds = 0.0;
  for (const ServedModel& model : models->all()) {
    for (const Kind& kind : kKinds) {
      BatchWorker::Load load = worker.load(model.*kind.batch);
      flops += model.step_flops * static_cast<double>(load.row_steps);
      seconds += load.seconds;
    }
  }
  describe(text, "flops_total", "counter", "Useful arithmetic of all steps.");
  text += fmt::format("bough_flops_total {:.0f}\n", flops);
  describe(text, "compute_seconds_total", "counter", "How long all steps took.");
  text += fmt::format("bough_compute_seconds_total {}\n", seconds);
  describe(text, "gemm_share", "gauge",
           "Useful arithmetic a second of computing, over that of a large matrix product.");
  double most = seconds * gemm_rate;
  text += fmt::format("bough_gemm_share {}\n", most > 0.0 ? flops / most : 0.0);
  each("batch_rows", "gauge", "Rows computed side by side in the last step.",
       &BatchWorker::Load::rows);
  each("jobs_waiting", "gauge", "Sentences that haven't begun.", &BatchWorker::Load::waiting);
  each("steps_total", "counter", "Steps of the running batch.", &BatchWorker::Load::steps);
  each("row_steps_total", "counter", "Steps, each counted for all its rows.",
       &BatchWorker::Load::row_steps);
  return text;
}

}  // namespace bough::server
