#include "bough/analysis/tagger.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/list_file.h"
#include "bough/base/share.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

// The version rises when features or arrays change: weights are worth nothing for other features.
constexpr ListFormat kFormat = {
    .format = "bough-tagger", .version = "1", .what = "tagger", .verb = "bough tagger train"};

/// A tagger's file, checked array by array.
class TaggerFile : private ListFile {
 public:
  explicit TaggerFile(const fs::path& path) : ListFile(path, kFormat) {}

  WordEntries words() const {
    auto keys = rising_keys("word_keys");
    auto entries = numbers<uint32_t>("word_entries");
    if (keys.size() != entries.size()) fail("word_keys and word_entries differ in length");
    WordEntries words;
    words.reserve(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      WordEntry entry{entries[i]};
      if (static_cast<size_t>(entry.usual_tag()) >= kUniversalTags) fail("a word has no such tag");
      words.emplace(keys[i], entry);
    }
    return words;
  }

  TaggerWeights weights() const {
    TaggerWeights weights;
    weights.keys = rising_keys("feature_keys");
    auto tags = numbers<uint32_t>("feature_tags");
    auto values = numbers<int8_t>("weights");
    size_t expected = 0;
    for (uint32_t bits : tags) expected += static_cast<size_t>(std::popcount(bits));
    bool tags_exist = std::all_of(tags.begin(), tags.end(),
                                  [](uint32_t bits) { return bits <= WordEntry::kTagBits; });
    if (tags.size() != weights.keys.size() || values.size() != expected || !tags_exist) {
      fail("feature_keys, feature_tags and weights don't fit together");
    }
    weights.rows.resize(tags.size() * kUniversalTags);
    size_t next = 0;
    for (size_t row = 0; row < tags.size(); ++row) {
      for (uint32_t bits = tags[row]; bits != 0; bits &= bits - 1) {
        auto tag = static_cast<size_t>(std::countr_zero(bits));
        weights.rows[row * kUniversalTags + tag] = values[next++];
      }
    }
    return weights;
  }

 private:
  std::vector<uint32_t> rising_keys(std::string_view name) const {
    auto keys = numbers<uint32_t>(name);
    if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) != keys.end()) {
      fail(fmt::format("{} doesn't rise", name));
    }
    return keys;
  }
};

}  // namespace

Tagger::Tagger(WordEntries words, TaggerWeights weights)
    : words_(std::move(words)),
      weights_(std::move(weights)),
      table_(weights_.keys),
      rows_(weights_.keys.size() * kRowWidth) {
  for (size_t row = 0; row < weights_.keys.size(); ++row) {
    std::copy_n(weights_.rows.begin() + static_cast<int64_t>(row * kUniversalTags), kUniversalTags,
                rows_.begin() + static_cast<int64_t>(row * kRowWidth));
  }
}

Tagger Tagger::load(const fs::path& path) {
  TaggerFile file(path);
  return {file.words(), file.weights()};
}

void Tagger::save(const fs::path& path) const {
  std::vector<uint32_t> word_keys;
  for (const auto& word : words_) word_keys.push_back(word.first);
  std::sort(word_keys.begin(), word_keys.end());
  std::vector<uint32_t> word_entries;
  for (uint32_t key : word_keys) word_entries.push_back(words_.at(key).bits);
  std::vector<uint32_t> feature_tags;
  std::vector<int8_t> values;
  for (size_t row = 0; row < feature_count(); ++row) {
    uint32_t bits = 0;
    for (size_t tag = 0; tag < kUniversalTags; ++tag) {
      int8_t weight = weights_.rows[row * kUniversalTags + tag];
      if (weight == 0) continue;
      bits |= 1U << tag;
      values.push_back(weight);
    }
    feature_tags.push_back(bits);
  }
  write_lists(path, kFormat,
              {list_entry("word_keys", word_keys), list_entry("word_entries", word_entries),
               list_entry("feature_keys", weights_.keys), list_entry("feature_tags", feature_tags),
               list_entry("weights", values)});
}

UniversalTag Tagger::best_tag(std::span<const FeatureKey> keys) const {
  std::array<int16_t, kRowWidth> scores = {};  // a hundred features of 127 at most
  for (FeatureKey key : keys) {
    uint32_t row = table_.find(key);
    if (row == FeatureTable::kNone) continue;
    const int8_t* weights = rows_.data() + row * kRowWidth;
    for (size_t i = 0; i < kRowWidth; ++i) scores[i] = static_cast<int16_t>(scores[i] + weights[i]);
  }
  auto best = std::max_element(scores.begin(), scores.begin() + kUniversalTags);
  return static_cast<UniversalTag>(best - scores.begin());
}

std::vector<UniversalTag> Tagger::tag(std::span<const std::string> words) const {
  SentenceFeatures features(words, words_);
  std::vector<UniversalTag> tags(words.size());
  std::vector<FeatureKey> keys;
  for (size_t i = 0; i < words.size(); ++i) {
    if (features.entry(i).is_certain()) {
      tags[i] = features.entry(i).usual_tag();
      continue;
    }
    keys.clear();
    features.fixed_keys(i, keys);
    features.tag_keys(i, tags, keys);
    tags[i] = best_tag(keys);
  }
  return tags;
}

bool Tagger::knows(std::string_view word) const {
  return words_.contains(word_key(lower_case(word)));
}

fs::path default_tagger_path() {
  if (const char* given = std::getenv("BOUGH_TAGGER"); given != nullptr && *given != '\0') {
    return given;
  }
  std::vector<std::string> places;
  for (const fs::path& folder : share_folders()) {
    fs::path path = (folder / "tagger" / "english.tagger").lexically_normal();
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
    places.push_back(fmt::format("'{}'", path.string()));
  }
  throw DataError(
      "there is no tagger: no {}. Name a file, or set BOUGH_TAGGER; `bough tagger train` makes one",
      fmt::join(places, ", no "));
}

}  // namespace bough
