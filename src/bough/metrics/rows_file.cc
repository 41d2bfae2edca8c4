#include "bough/metrics/rows_file.h"

#include <fmt/format.h>

#include <numeric>

#include "bough/base/error.h"

namespace bough {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const RowsHead& head) {
  return {{"rows", head.of}, {"columns", head.columns}};
}

void check_head(const std::string& line, const RowsHead& head, const std::string& name) {
  Json found = Json::parse(line, nullptr, false);
  if (!found.is_object() || !found.contains("rows")) {
    throw DataError("{} has no rows: --rows-out writes them", name);
  }
  Json expected = json_of(head);
  if (found != expected) {
    throw DataError("{} has other rows than are asked for: {}, not {}", name, found.dump(),
                    expected.dump());
  }
}

std::vector<double> numbers_of(const std::string& line, size_t count, const LineReader& reader) {
  Json json = Json::parse(line, nullptr, false);
  bool good = json.is_array() && json.size() == count;
  for (const Json& number : json) good = good && number.is_number();
  if (!good) {
    throw DataError("{}, line {}: expected a list of {} numbers", reader.name(),
                    reader.line_number(), count);
  }
  return json.get<std::vector<double>>();
}

}  // namespace

void write_rows(const std::string& path, const RowsHead& head, std::span<const Rows> columns) {
  OutputFile file(path);
  file.write_line(json_of(head).dump());
  for (size_t line = 0; line < columns.front().lines(); ++line) {
    std::vector<double> numbers;
    for (const Rows& rows : columns) {
      numbers.insert(numbers.end(), rows.of(line).begin(), rows.of(line).end());
    }
    file.write_line(Json(numbers).dump());
  }
  file.commit();
}

std::vector<Rows> read_rows(std::span<const std::string> paths, const RowsHead& head,
                            std::span<const size_t> sizes) {
  size_t width = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  std::vector<std::vector<double>> all;
  for (const std::string& path : paths) {
    LineReader reader(path);
    std::string line;
    if (!reader.next(line)) throw DataError("{} is empty: --rows-out writes rows", reader.name());
    check_head(line, head, reader.name());
    while (reader.next(line)) all.push_back(numbers_of(line, width, reader));
  }
  std::vector<Rows> columns;
  size_t begin = 0;
  for (size_t size : sizes) {
    Rows& rows = columns.emplace_back(all.size(), size);
    for (size_t line = 0; line < all.size(); ++line) {
      std::copy_n(all[line].begin() + static_cast<int64_t>(begin), size, rows.of(line).begin());
    }
    begin += size;
  }
  return columns;
}

}  // namespace bough
