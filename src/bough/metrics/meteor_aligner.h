// Which word of a hypothesis stands for which word of the reference, as METEOR sees it.
//
// Modules propose matches of single words: equal ones, ones with the same stem, synonyms. An
// alignment takes some of the proposals so that no word is used twice. A proposal without any rival
// is always taken; for the rest a beam search goes through the reference from left to right and
// takes or leaves each word. Better is an alignment with more exact matches, then with fewer chunks
// (runs of matched words that stand side by side and in the same order in both sentences), then
// with a smaller sum of distances.
//
// METEOR's program differs in two things from what it seems to intend, and scores depend on both:
// matches of stems and synonyms, meant to count half, count nothing in the search, since halves are
// rounded down; and the distance of a proposal is added to the alternatives tried after it, not to
// the alignment that takes it.
//
// The time a line takes grows with its length, not faster: words further apart than kReach are not
// compared. No alignment of shorter lines is touched by that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/options.h"
#include "bough/data/synonyms.h"

namespace bough {

enum class MeteorModule { kExact, kStem, kSynonym };

template <>
struct EnumNames<MeteorModule> {
  static constexpr auto kNames =
      std::to_array<EnumName<MeteorModule>>({{MeteorModule::kExact, "exact"},
                                             {MeteorModule::kStem, "stem"},
                                             {MeteorModule::kSynonym, "synonym"}});
};

/// Places of words, counted from 0, and the place of the module that matched them.
struct MeteorMatch {
  uint32_t hypothesis;
  uint32_t reference;
  uint32_t module;

  bool operator==(const MeteorMatch&) const = default;
};

struct MeteorAlignment {
  std::vector<MeteorMatch> matches;  // in the reference's order
  int32_t chunks = 0;
  int64_t weighed = 0;  // proposals looked at, once for each path: what the search has cost
};

class MeteorAligner {
 public:
  /// How many places apart words that match may stand.
  static constexpr size_t kReach = 1000;

  /// `synonyms` may be null where the synonym module isn't among `modules`.
  MeteorAligner(std::vector<MeteorModule> modules, size_t beam,
                std::shared_ptr<const SynonymTable> synonyms);

  const std::vector<MeteorModule>& modules() const { return modules_; }

  /// May be called from several threads at once.
  MeteorAlignment align(std::span<const std::string> hypothesis,
                        std::span<const std::string> reference) const;

 private:
  std::vector<MeteorModule> modules_;
  size_t beam_;
  std::shared_ptr<const SynonymTable> synonyms_;
};

}  // namespace bough
