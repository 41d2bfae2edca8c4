// Candidates of one source (a vote's samples, say) begin with the same stretch of memory: it is
// read once, and they share what was read.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "bough/tree/step_input.h"

namespace bough {

struct DistinctSources {
  /// Without `share` each counts as one of its own: a recording has a place for each.
  explicit DistinctSources(std::span<const SourceIds> all, bool share = true) {
    std::map<std::pair<const WordId*, size_t>, size_t> known;
    for (SourceIds source : all) {
      auto [entry, is_new] = known.try_emplace({source.data(), source.size()}, sources.size());
      number.push_back(share ? entry->second : sources.size());
      if (is_new || !share) sources.push_back(source);
    }
  }

  std::vector<SourceIds> sources;
  std::vector<size_t> number;  // of each given one, in `sources`
};

}  // namespace bough
