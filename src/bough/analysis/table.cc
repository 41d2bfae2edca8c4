#include "bough/analysis/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/base/utf8.h"

namespace bough {

namespace {

using Json = nlohmann::ordered_json;
using TextRow = std::vector<std::string>;

/// Counts of several runs need not have a whole mean.
int decimals_of_mean(const TableColumn& column) {
  return std::max(column.decimals, 1);
}

std::string number(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

/// The folder that all names have in common, or the first and the last one.
std::string common_name(const std::vector<const TableRow*>& rows) {
  const std::string& first = rows.front()->name;
  size_t slash = first.rfind('/');
  std::string folder = slash == std::string::npos ? "" : first.substr(0, slash + 1);
  bool common = !folder.empty() && std::all_of(rows.begin(), rows.end(), [&](const TableRow* row) {
    return row->name.rfind('/') == slash && row->name.starts_with(folder);
  });
  return common ? folder.substr(0, slash) : fmt::format("{} … {}", first, rows.back()->name);
}

RecipeSpread spread_of_rows(const std::vector<const TableRow*>& rows, size_t columns) {
  RecipeSpread spread{.name = "mean", .runs = static_cast<int64_t>(rows.size()), .columns = {}};
  for (size_t column = 0; column < columns; ++column) {
    std::vector<double> values;
    for (const TableRow* row : rows) {
      if (row->cells[column].value) values.push_back(*row->cells[column].value);
    }
    bool all = values.size() == rows.size();
    spread.columns.push_back(all ? spread_of(values) : std::nullopt);
  }
  return spread;
}

/// How a format writes what a table holds.
struct Style {
  std::string (*escape)(std::string_view text);
  std::string (*value)(double value, int decimals);
  std::string_view plus_minus;
};

std::string as_it_is(std::string_view text) {
  return std::string(text);
}

std::string escape_markdown(std::string_view text) {
  std::string escaped;
  for (char letter : text) {
    if (letter == '|' || letter == '\\') escaped += '\\';
    escaped += letter == '\n' ? ' ' : letter;
  }
  return escaped;
}

std::string escape_latex(std::string_view text) {
  static constexpr auto kSpecial =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"\\", "\\textbackslash{}"},
                                                                    {"&", "\\&"},
                                                                    {"%", "\\%"},
                                                                    {"$", "\\$"},
                                                                    {"#", "\\#"},
                                                                    {"_", "\\_"},
                                                                    {"{", "\\{"},
                                                                    {"}", "\\}"},
                                                                    {"~", "\\textasciitilde{}"},
                                                                    {"^", "\\textasciicircum{}"},
                                                                    {"<", "\\textless{}"},
                                                                    {">", "\\textgreater{}"},
                                                                    {"|", "\\textbar{}"},
                                                                    {"\"", "\\textquotedbl{}"},
                                                                    {"±", "$\\pm$"},
                                                                    {"…", "\\dots{}"},
                                                                    {"\n", " "}});
  std::string escaped;
  while (!text.empty()) {
    auto special = std::find_if(kSpecial.begin(), kSpecial.end(),
                                [&](const auto& entry) { return text.starts_with(entry.first); });
    bool found = special != kSpecial.end();
    escaped += found ? special->second : text.substr(0, 1);
    text.remove_prefix(found ? special->first.size() : 1);
  }
  return escaped;
}

/// A hyphen is no minus.
std::string latex_number(double value, int decimals) {
  std::string text = number(value, decimals);
  return text.starts_with('-') ? fmt::format("${}$", text) : text;
}

constexpr Style kPlain{as_it_is, number, " ± "};
constexpr Style kMarkdownStyle{escape_markdown, number, " ± "};
constexpr Style kLatexStyle{escape_latex, latex_number, " $\\pm$ "};

TextRow heading_of(const Table& table, const Style& style) {
  TextRow row = {style.escape(table.corner)};
  for (const TableColumn& column : table.columns) row.push_back(style.escape(column.name));
  return row;
}

TextRow text_of(const TableRow& row, const Table& table, const Style& style) {
  TextRow cells = {style.escape(row.name)};
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const TableCell& cell = row.cells[i];
    std::string text = cell.value ? style.value(*cell.value, table.columns[i].decimals) : "";
    if (!cell.note.empty()) text += fmt::format(" ({})", style.escape(cell.note));
    cells.push_back(std::move(text));
  }
  return cells;
}

TextRow text_of(const RecipeSpread& spread, const Table& table, const Style& style) {
  TextRow cells = {style.escape(spread.name + " ± deviation")};
  for (size_t i = 0; i < spread.columns.size(); ++i) {
    const std::optional<Spread>& column = spread.columns[i];
    int decimals = decimals_of_mean(table.columns[i]);
    cells.push_back(column ? fmt::format("{}{}{}", style.value(column->mean, decimals),
                                         style.plus_minus, number(column->deviation, decimals))
                           : "");
  }
  return cells;
}

/// Columns as wide as their widest cell.
std::string as_text(const Table& table) {
  std::vector<TextRow> rows = {heading_of(table, kPlain)};
  for (const TableRow& row : table.rows) rows.push_back(text_of(row, table, kPlain));
  for (const RecipeSpread& spread : spreads_of(table)) {
    rows.push_back(text_of(spread, table, kPlain));
  }
  std::vector<int> widths(rows.front().size());
  for (const TextRow& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const TextRow& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(static_cast<size_t>(widths[i] - display_width(row[i])) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (!table.footnotes.empty()) text += '\n';
  for (const std::string& note : table.footnotes) text += note + "\n";
  return text;
}

std::string csv_line(const TextRow& row) {
  std::string line;
  for (const std::string& cell : row) {
    if (&cell != &row.front()) line += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (char letter : cell) line += letter == '"' ? "\"\"" : std::string(1, letter);
    line += '"';
  }
  return line + "\n";
}

/// Notes stand in a column of their own, behind that of their numbers.
std::string as_csv(const Table& table) {
  std::vector<bool> has_notes(table.columns.size());
  for (const TableRow& row : table.rows) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      has_notes[i] = has_notes[i] || !row.cells[i].note.empty();
    }
  }
  auto line = [&](const std::string& name, auto cell_of) {
    TextRow cells = {name};
    for (size_t i = 0; i < table.columns.size(); ++i) {
      auto [value, note] = cell_of(i);
      cells.push_back(value);
      if (has_notes[i]) cells.push_back(note);
    }
    return csv_line(cells);
  };
  using Cell = std::pair<std::string, std::string>;
  std::string text = line(table.corner, [&](size_t i) {
    return Cell(table.columns[i].name, table.columns[i].name + " note");
  });
  for (const TableRow& row : table.rows) {
    text += line(row.name, [&](size_t i) {
      const TableCell& cell = row.cells[i];
      return Cell(cell.value ? number(*cell.value, table.columns[i].decimals) : "", cell.note);
    });
  }
  for (const RecipeSpread& spread : spreads_of(table)) {
    auto part = [&](double Spread::*member) {
      return [&spread, &table, member](size_t i) {
        const std::optional<Spread>& column = spread.columns[i];
        return Cell(column ? number((*column).*member, decimals_of_mean(table.columns[i])) : "",
                    "");
      };
    };
    text += line(spread.name, part(&Spread::mean));
    text += line("deviation" + spread.name.substr(std::string_view("mean").size()),
                 part(&Spread::deviation));
  }
  return text;
}

std::string as_markdown(const Table& table) {
  auto line = [](const TextRow& row) { return fmt::format("| {} |\n", fmt::join(row, " | ")); };
  std::string text = line(heading_of(table, kMarkdownStyle)) + "|---|";
  for (size_t i = 0; i < table.columns.size(); ++i) text += "---:|";
  text += '\n';
  for (const TableRow& row : table.rows) text += line(text_of(row, table, kMarkdownStyle));
  for (const RecipeSpread& spread : spreads_of(table)) {
    text += line(text_of(spread, table, kMarkdownStyle));
  }
  for (const std::string& note : table.footnotes) text += fmt::format("\n`{}`\n", note);
  return text;
}

std::string as_latex(const Table& table) {
  auto line = [](const TextRow& row) { return fmt::format("{} \\\\\n", fmt::join(row, " & ")); };
  std::string text = "% \\usepackage{booktabs}\n";
  for (const std::string& note : table.footnotes) text += fmt::format("% {}\n", note);
  text +=
      fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\n", std::string(table.columns.size(), 'r'));
  text += line(heading_of(table, kLatexStyle)) + "\\midrule\n";
  for (const TableRow& row : table.rows) text += line(text_of(row, table, kLatexStyle));
  std::vector<RecipeSpread> spreads = spreads_of(table);
  if (!spreads.empty()) text += "\\midrule\n";
  for (const RecipeSpread& spread : spreads) text += line(text_of(spread, table, kLatexStyle));
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string as_json(const Table& table) {
  Json json = Json::array();
  for (const TableRow& row : table.rows) {
    Json& object = json.emplace_back(Json{{table.corner, row.name}});
    for (size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i].value) continue;
      bool count = table.columns[i].decimals == 0;
      Json& field = object[table.columns[i].name];
      field = count ? Json(std::llround(*row.cells[i].value)) : Json(*row.cells[i].value);
    }
  }
  for (Json& spread : spreads_json(table)) json.push_back(std::move(spread));
  return json.dump(1) + "\n";
}

}  // namespace

std::optional<Spread> spread_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  auto count = static_cast<double>(values.size());
  Spread spread;
  for (double value : values) spread.mean += value / count;
  double squares = 0.0;
  for (double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1.0));
  return spread;
}

std::vector<RecipeSpread> spreads_of(const Table& table) {
  std::vector<std::vector<const TableRow*>> recipes;  // in the order in which they come
  for (const TableRow& row : table.rows) {
    auto same = std::find_if(recipes.begin(), recipes.end(),
                             [&](const auto& rows) { return rows.front()->recipe == row.recipe; });
    if (same == recipes.end()) same = recipes.insert(recipes.end(), std::vector<const TableRow*>());
    same->push_back(&row);
  }
  std::vector<RecipeSpread> spreads;
  for (const auto& rows : recipes) {
    if (rows.size() < 2) continue;
    spreads.push_back(spread_of_rows(rows, table.columns.size()));
    if (recipes.size() > 1) spreads.back().name = "mean of " + common_name(rows);
  }
  return spreads;
}

nlohmann::ordered_json spreads_json(const Table& table) {
  Json json = Json::array();
  for (const RecipeSpread& spread : spreads_of(table)) {
    Json mean = Json::object();
    Json deviation = Json::object();
    for (size_t i = 0; i < spread.columns.size(); ++i) {
      if (!spread.columns[i]) continue;
      mean[table.columns[i].name] = spread.columns[i]->mean;
      deviation[table.columns[i].name] = spread.columns[i]->deviation;
    }
    json.push_back({{table.corner, spread.name},
                    {"runs", spread.runs},
                    {"mean", std::move(mean)},
                    {"deviation", std::move(deviation)}});
  }
  return json;
}

std::string render(const Table& table, TableFormat format) {
  switch (format) {
    case TableFormat::kJson:
      return as_json(table);
    case TableFormat::kText:
      return as_text(table);
    case TableFormat::kCsv:
      return as_csv(table);
    case TableFormat::kMarkdown:
      return as_markdown(table);
    case TableFormat::kLatex:
      return as_latex(table);
  }
  return "";
}

}  // namespace bough
