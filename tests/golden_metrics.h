// The texts and values of reference implementations in tests/golden/metrics (see its README).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bough/base/file.h"
#include "bough/metrics/metric.h"
#include "golden_root.h"

namespace bough {

inline fs::path golden_path(const std::string& name) {
  return golden_root() / "metrics" / name;
}

inline std::vector<std::string> golden_lines(const std::string& name) {
  LineReader reader(golden_path(name).string());
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

inline nlohmann::json golden_json(const std::string& name) {
  return nlohmann::json::parse(read_file(golden_path(name)));
}

/// `names` are files: `ref1.txt`.
inline References golden_references(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> files;
  for (const std::string& name : names) files.push_back(golden_lines(name));
  return References(std::move(files));
}

}  // namespace bough
