// The 17 universal part-of-speech tags (universaldependencies.org/u/pos), in the order of the
// alphabet. Their numbers stand in tagger files: the list is closed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "bough/base/options.h"

namespace bough {

enum class UniversalTag : uint8_t {
  kAdjective,
  kAdposition,
  kAdverb,
  kAuxiliary,
  kCoordination,
  kDeterminer,
  kInterjection,
  kNoun,
  kNumeral,
  kParticle,
  kPronoun,
  kProperNoun,
  kPunctuation,
  kSubordination,
  kSymbol,
  kVerb,
  kOther,
};

constexpr size_t kUniversalTags = 17;

template <>
struct EnumNames<UniversalTag> {
  using Tag = UniversalTag;
  static constexpr std::array<std::pair<Tag, std::string_view>, kUniversalTags> kNames{
      {{Tag::kAdjective, "ADJ"},
       {Tag::kAdposition, "ADP"},
       {Tag::kAdverb, "ADV"},
       {Tag::kAuxiliary, "AUX"},
       {Tag::kCoordination, "CCONJ"},
       {Tag::kDeterminer, "DET"},
       {Tag::kInterjection, "INTJ"},
       {Tag::kNoun, "NOUN"},
       {Tag::kNumeral, "NUM"},
       {Tag::kParticle, "PART"},
       {Tag::kPronoun, "PRON"},
       {Tag::kProperNoun, "PROPN"},
       {Tag::kPunctuation, "PUNCT"},
       {Tag::kSubordination, "SCONJ"},
       {Tag::kSymbol, "SYM"},
       {Tag::kVerb, "VERB"},
       {Tag::kOther, "X"}}};
};

/// Nothing for a text that is no universal tag.
constexpr std::optional<UniversalTag> universal_tag(std::string_view name) {
  for (const auto& [tag, candidate] : EnumNames<UniversalTag>::kNames) {
    if (candidate == name) return tag;
  }
  return std::nullopt;
}

}  // namespace bough
