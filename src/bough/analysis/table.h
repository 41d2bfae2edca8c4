// Numbers of runs as a table: a row a run and, below them, for the runs of each recipe their mean ±
// standard deviation (of a sample, n − 1); for people, for programs and for papers.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/options.h"

namespace bough {

enum class TableFormat { kJson, kText, kCsv, kMarkdown, kLatex };
template <>
struct EnumNames<TableFormat> {
  static constexpr auto kNames =
      std::to_array<EnumName<TableFormat>>({{TableFormat::kJson, "json"},
                                            {TableFormat::kText, "text"},
                                            {TableFormat::kCsv, "csv"},
                                            {TableFormat::kMarkdown, "markdown"},
                                            {TableFormat::kLatex, "latex"}});
};

struct TableColumn {
  std::string name;
  int decimals = 2;  // 0: its numbers are whole
};

struct TableCell {
  std::optional<double> value = {};
  std::string note = "";  // what more there is to say, in brackets behind it
};

struct TableRow {
  std::string name;
  std::string recipe;            // runs of one have the same
  std::vector<TableCell> cells;  // by column
};

struct Table {
  std::string corner;  // what rows are: the heading of their names
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<std::string> footnotes = {};
};

struct Spread {
  double mean = 0.0;
  double deviation = 0.0;
};

/// Nothing of fewer than two.
std::optional<Spread> spread_of(std::span<const double> values);

/// The runs of one recipe together.
struct RecipeSpread {
  std::string name;  // `mean`, or of several recipes `mean of …`
  int64_t runs = 0;
  std::vector<std::optional<Spread>> columns;  // nothing where a run has no number
};

/// Of each recipe that has more than one run.
std::vector<RecipeSpread> spreads_of(const Table& table);

/// They as JSON: a list of `{"CORNER": "mean", "runs": 3, "mean": {…}, "deviation": {…}}`.
nlohmann::ordered_json spreads_json(const Table& table);

/// The whole table, with a line end. JSON is a list with an object a row, then the spreads, numbers
/// not rounded; CSV is quoted as RFC 4180 has it, with a row for means and one for deviations;
/// LaTeX needs the package booktabs. What has a meaning in a format is escaped in it.
std::string render(const Table& table, TableFormat format);

}  // namespace bough
