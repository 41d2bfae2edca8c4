#include "bough/analysis/training_curves.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/base/file.h"

namespace bough {

namespace {

/// Numbers that count something rather than say how it goes.
bool is_curve(const std::string& key) {
  static const std::set<std::string, std::less<>> kOthers = {"step", "epoch", "seconds",
                                                             "sentences_per_second", "best"};
  return !kOthers.contains(key);
}

}  // namespace

std::vector<Series> read_training_curves(const std::string& path) {
  std::string text = read_file(path);
  std::vector<Series> curves;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    bool cut_off = end == text.size();
    begin = end + 1;
    ++number;
    auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    bool good = json.is_object() && json.contains("step") && json["step"].is_number();
    if (!good && cut_off) break;
    if (!good) {
      throw DataError("'{}', line {}: not a line that `bough train` writes", path, number);
    }
    for (const auto& [key, value] : json.items()) {
      if (!value.is_number() || !is_curve(key)) continue;
      auto curve = std::ranges::find(curves, key, &Series::name);
      if (curve == curves.end()) curve = curves.insert(curves.end(), {key, {}});
      curve->points.emplace_back(json["step"].get<double>(), value.get<double>());
    }
  }
  return curves;
}

}  // namespace bough
