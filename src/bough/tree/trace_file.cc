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
      // What could not be written (`complete` says why) is no sentence.
      if (json.is_object() && json.contains("error") && !json.contains("nodes")) continue;
      take(trace_from_json(json));
    } catch (const DataError& error) {
      throw DataError("{}, line {}: {}", reader.name(), reader.line_number(), error.what());
    }
  }
}

}  // namespace bough
