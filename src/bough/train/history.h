// The history of a run: metrics.jsonl, a line every so many updates and one closing each epoch.
//
// Lines are added at once, the state of a run is saved now and then: what was written behind the
// saved state is cut off on resuming, since it will be written again. docs/formats.md has the
// fields.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bough/base/file.h"
#include "bough/train/training_report.h"

namespace bough {

class History {
 public:
  /// `shape_head`: whether the policy has a head for the tree's shape (<end>, or words' sides): its
  /// loss and the words' are told apart then.
  History(const fs::path& folder, bool shape_head)
      : path_(folder / "metrics.jsonl"), shape_head_(shape_head) {}

  /// How much there is: what a saved state remembers.
  int64_t bytes() const { return bytes_; }

  /// Goes on behind the first so many bytes.
  void resume_at(int64_t bytes);

  void add(const UpdateReport& report);
  void add(const EpochReport& report);

 private:
  /// Names of a loss's parts begin with `prefix`.
  void put(nlohmann::ordered_json& line, const char* prefix, const LossParts& parts) const;
  void append(const nlohmann::ordered_json& line);

  fs::path path_;
  bool shape_head_;
  int64_t bytes_ = 0;
};

}  // namespace bough
