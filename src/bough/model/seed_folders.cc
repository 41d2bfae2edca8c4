#include "bough/model/seed_folders.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/model/model.h"

namespace bough {

namespace {

constexpr std::string_view kPrefix = "seed-";

/// None for anything but digits that name a number.
std::optional<int64_t> parse_seed(std::string_view text) {
  int64_t seed = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  bool good = error == std::errc() && stop == text.data() + text.size() && seed >= 0;
  return good ? std::optional(seed) : std::nullopt;
}

}  // namespace

std::vector<int64_t> parse_seeds(std::span<const std::string> pieces) {
  std::vector<int64_t> seeds;
  for (std::string_view piece : pieces) {
    for (bool more = true; more;) {
      size_t comma = piece.find(',');
      std::string_view item = piece.substr(0, comma);
      std::optional<int64_t> seed = parse_seed(item);
      if (!seed) {
        throw UsageError("--seeds takes whole numbers from 0 with commas between them, not '{}'",
                         for_message(std::string(item)));
      }
      if (std::find(seeds.begin(), seeds.end(), *seed) != seeds.end()) {
        throw UsageError("--seeds names {} twice", *seed);
      }
      seeds.push_back(*seed);
      more = comma != std::string_view::npos;
      if (more) piece.remove_prefix(comma + 1);
    }
  }
  return seeds;
}

fs::path seed_folder(const fs::path& out, int64_t seed) {
  return out / fmt::format("{}{}", kPrefix, seed);
}

std::vector<std::string> models_of_seeds(const fs::path& out) {
  std::vector<int64_t> seeds;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out, error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !has_model(entry.path())) continue;
    std::optional<int64_t> seed = parse_seed(std::string_view(name).substr(kPrefix.size()));
    if (seed && seed_folder(out, *seed).filename() == name) seeds.push_back(*seed);
  }
  std::sort(seeds.begin(), seeds.end());
  std::vector<std::string> models;
  for (int64_t seed : seeds) models.push_back(seed_folder(out, seed).string());
  return models;
}

std::vector<std::string> with_models_of_seeds(const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  for (const std::string& folder : folders) {
    std::vector<std::string> models;
    if (!has_model(folder)) models = models_of_seeds(folder);
    if (models.empty()) models.push_back(folder);
    all.insert(all.end(), models.begin(), models.end());
  }
  return all;
}

}  // namespace bough
