#include "eval_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bough::cli {

namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, int decimals) {
  return std::stod(fmt::format("{:.{}f}", value, decimals));
}

/// `63.62 ± 3.60`
std::string interval_text(const Interval& interval, int decimals) {
  return fmt::format("{:.{}f} ± {:.{}f}", interval.mean, decimals, interval.half_width, decimals);
}

/// The keys and values of a signature.
std::vector<std::pair<std::string, std::string>> settings_of(std::string_view signature) {
  std::vector<std::pair<std::string, std::string>> settings;
  while (!signature.empty()) {
    std::string_view setting = signature.substr(0, signature.find('|'));
    size_t colon = setting.find(':');
    settings.emplace_back(setting.substr(0, colon), setting.substr(colon + 1));
    signature.remove_prefix(std::min(signature.size(), setting.size() + 1));
  }
  return settings;
}

Json json_of_score(const MetricResult& result, const MetricLabel& label) {
  Json json = {{"name", label.name},
               {"score", rounded(result.score, label.decimals)},
               {"signature", label.signature}};
  if (result.interval) {
    json["confidence_mean"] = rounded(result.interval->mean, label.decimals);
    json["confidence_var"] = rounded(result.interval->half_width, label.decimals);
    json["confidence"] = "μ = " + interval_text(*result.interval, label.decimals);
  }
  if (!result.details.empty()) json["verbose_score"] = result.details;
  for (const auto& [key, value] : settings_of(label.signature)) json[key] = value;
  return json;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of_system(const SystemResult& system, const std::vector<MetricLabel>& labels) {
  Json json = {{"system", system.name}};
  if (system.identical) json["identical"] = true;
  for (size_t i = 0; i < labels.size(); ++i) {
    const MetricResult& result = system.metrics[i];
    Json& entry = json[labels[i].name];
    entry["score"] = result.score;
    entry["p_value"] = or_null(result.bootstrap_p);
    entry["p_value_randomisation"] = or_null(result.randomisation_p);
    entry["mean"] = result.interval ? Json(result.interval->mean) : Json(nullptr);
    entry["ci"] = result.interval ? Json(result.interval->half_width) : Json(nullptr);
    entry["signature"] = labels[i].signature;
  }
  return json;
}

/// `56.07 ± 4.23, bootstrap p = 0.0030*`; there is nothing to test in identical outputs.
std::string note_on(const MetricResult& result, bool identical, int decimals) {
  std::string notes;
  if (result.interval) notes = interval_text(*result.interval, decimals);
  if (identical) return notes + (notes.empty() ? "identical" : ", identical");
  for (const auto& [test, p] : {std::pair("bootstrap", result.bootstrap_p),
                                std::pair("randomisation", result.randomisation_p)}) {
    if (!p) continue;
    notes +=
        fmt::format("{}{} p = {:.4f}{}", notes.empty() ? "" : ", ", test, *p, *p < 0.05 ? "*" : "");
  }
  return notes;
}

Table table_of(const EvalReport& report) {
  Table table{.corner = "system", .columns = {}, .rows = {}};
  for (const MetricLabel& label : report.labels) {
    table.columns.push_back({label.name, label.decimals});
    table.footnotes.push_back(label.name + "|" + label.signature);
  }
  for (const SystemResult& system : report.systems) {
    std::string recipe = report.of_one_recipe ? "" : std::to_string(table.rows.size());
    TableRow& row = table.rows.emplace_back(TableRow{system.name, std::move(recipe), {}});
    for (size_t i = 0; i < report.labels.size(); ++i) {
      const MetricResult& result = system.metrics[i];
      row.cells.push_back(
          {result.score, note_on(result, system.identical, report.labels[i].decimals)});
    }
  }
  return table;
}

std::string to_json_text(const EvalReport& report) {
  Json json = Json::array();
  if (report.systems.size() > 1) {
    for (const SystemResult& system : report.systems) {
      json.push_back(json_of_system(system, report.labels));
    }
    for (Json& spread : spreads_json(table_of(report))) json.push_back(std::move(spread));
    return json.dump(1) + "\n";
  }
  const SystemResult& system = report.systems.front();
  for (size_t i = 0; i < report.labels.size(); ++i) {
    json.push_back(json_of_score(system.metrics[i], report.labels[i]));
  }
  return (json.size() == 1 ? json.front() : json).dump(1) + "\n";
}

/// Of one system: a line a metric.
std::string to_lines(const EvalReport& report) {
  std::string text;
  for (size_t i = 0; i < report.labels.size(); ++i) {
    const MetricLabel& label = report.labels[i];
    const MetricResult& result = report.systems.front().metrics[i];
    text +=
        fmt::format("{}|{} = {:.{}f}", label.name, label.signature, result.score, label.decimals);
    if (result.interval) {
      text += fmt::format(" (μ = {})", interval_text(*result.interval, label.decimals));
    }
    text += result.details.empty() ? "\n" : " " + result.details + "\n";
  }
  return text;
}

/// An object of numbers for people.
std::string named_numbers(const Json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    std::string_view unit = name == "novel" || name == "unique" ? " %" : "";
    if (value.is_null()) continue;
    text += value.is_number_integer()
                ? fmt::format("{:<12} {:>10}\n", name, value.get<int64_t>())
                : fmt::format("{:<12} {:>10.4f}{}\n", name, value.get<double>(), unit);
  }
  return text;
}

}  // namespace

std::string to_text(const EvalReport& report, TableFormat format) {
  if (format == TableFormat::kJson) return to_json_text(report);
  bool one = report.systems.size() == 1;
  return one && format == TableFormat::kText ? to_lines(report) : render(table_of(report), format);
}

Table table_of(std::span<const RunNumbers> runs) {
  Table table{.corner = "name", .columns = {}, .rows = {}};
  for (const RunNumbers& run : runs) {
    for (const auto& [name, value] : run.numbers.items()) {
      bool known = std::any_of(table.columns.begin(), table.columns.end(),
                               [&](const TableColumn& column) { return column.name == name; });
      if (!known) table.columns.push_back({name, value.is_number_integer() ? 0 : 4});
    }
  }
  for (const RunNumbers& run : runs) {
    TableRow& row = table.rows.emplace_back(TableRow{run.name, run.recipe, {}});
    for (const TableColumn& column : table.columns) {
      bool there = run.numbers.contains(column.name) && run.numbers[column.name].is_number();
      TableCell& cell = row.cells.emplace_back();
      if (there) cell.value = run.numbers[column.name].get<double>();
    }
  }
  return table;
}

std::string to_text(std::span<const RunNumbers> runs, TableFormat format) {
  bool one = runs.size() == 1;
  if (one && format == TableFormat::kJson) return runs.front().numbers.dump(1) + "\n";
  if (one && format == TableFormat::kText) return named_numbers(runs.front().numbers);
  return render(table_of(runs), format);
}

nlohmann::ordered_json samples_json(const SampleStatistics& samples, std::optional<double> span) {
  nlohmann::ordered_json json = {{"samples", samples.samples}};
  if (samples.novel_percent) json["novel"] = *samples.novel_percent;
  json["unique"] = samples.unique_percent;
  json["mean_tokens"] = samples.mean_tokens;
  if (span) json["mean_span"] = *span;
  add_by_order(json, "bleu", samples.bleu);
  add_by_order(json, "self-bleu", samples.self_bleu);
  return json;
}

void add_by_order(nlohmann::ordered_json& json, std::string_view name,
                  std::span<const double> values) {
  for (size_t i = 0; i < values.size(); ++i) json[fmt::format("{}-{}", name, i + 2)] = values[i];
}

std::string to_json_text(const SentenceScores& sentence, const std::vector<MetricLabel>& labels) {
  Json json = Json::object();
  if (!sentence.system.empty()) json["system"] = sentence.system;
  json["line"] = sentence.line;
  for (size_t i = 0; i < labels.size(); ++i) {
    json[labels[i].name] = rounded(sentence.scores[i], labels[i].decimals);
  }
  return json.dump();
}

std::string to_plain_text(const SentenceScores& sentence, const std::vector<MetricLabel>& labels) {
  std::string text = sentence.system.empty() ? "" : sentence.system + "\t";
  text += std::to_string(sentence.line);
  for (size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("\t{:.{}f}", sentence.scores[i], labels[i].decimals);
  }
  return text;
}

std::string sentence_heading(bool with_system, const std::vector<MetricLabel>& labels) {
  std::string text = with_system ? "system\tline" : "line";
  for (const MetricLabel& label : labels) text += "\t" + label.name;
  return text;
}

}  // namespace bough::cli
