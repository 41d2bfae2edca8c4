#include "bough/tree/trace_file.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/file.h"

namespace bough {

void read_traces(const std::string& path, const std::function<void(Trace&&)>& take) {
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    if (line.empty()) continue;
    auto json = nlohmann::json::parse(line, nullptr, false);
    try {
      if (json.is_discarded()) {
        throw DataError("not valid JSON; traces are what `--format jsonl` writes");
      }
      take(trace_from_json(json));
    } catch (const DataError& error) {
      throw DataError("{}, line {}: {}", reader.name(), reader.line_number(), error.what());
    }
  }
}

}  // namespace bough
