// How well a tagger does on sentences whose tags are known.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bough/analysis/tagged_sentence.h"
#include "bough/analysis/tagger.h"

namespace bough {

struct TaggerScore {
  /// Words by their right tag and by the one they were given.
  std::array<std::array<int64_t, kUniversalTags>, kUniversalTags> confusion = {};
  int64_t words = 0;
  int64_t right = 0;
  int64_t unseen_words = 0;  // that training didn't have in any case
  int64_t unseen_right = 0;

  double accuracy() const;         // 0 where there are no words
  double unseen_accuracy() const;  // 0 where there are none
};

/// One tag: how many words have it, and how well they are found.
struct TagScore {
  int64_t words = 0;
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
};
TagScore score_of(const TaggerScore& score, UniversalTag tag);

TaggerScore judge_tagger(const Tagger& tagger, const std::vector<TaggedSentence>& sentences);

/// Shares as numbers from 0 to 1; only the tags that occur.
nlohmann::ordered_json to_json(const TaggerScore& score);

/// The same as a table for people, in per cent.
std::string describe(const TaggerScore& score);

}  // namespace bough
