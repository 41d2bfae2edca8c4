// A run's folder and its rules.
//
// One process at a time writes to it. A run that stands there goes on with --resume and is
// overwritten with --force; without either, nothing that a run has written is touched. A run that
// was killed before its first checkpoint has nothing to lose: another one may begin in its place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/folder_lock.h"

namespace bough {

/// What a run has written, or will write, that is there.
std::vector<fs::path> files_of_run(const fs::path& folder);

/// UsageError where a new model in `out` would destroy something: a model without `force`, or what
/// is no part of one.
void check_room_for_model(const fs::path& out, bool force);

/// Writes a model to a folder, which appears when it is whole; `write` is given the place to write
/// to. There has to be room for it.
void write_model_folder(const fs::path& out, bool force,
                        const std::function<void(const fs::path&)>& write);

class RunFolder {
 public:
  RunFolder(const std::string& path, bool resume, bool force)
      : path_(path), resume_(resume), force_(force) {}

  const fs::path& path() const { return path_; }
  fs::path weights() const { return path_ / "model.safetensors"; }
  fs::path card() const { return path_ / "README.md"; }

  /// Whether there is a run to go on with; UsageError or DataError where to go on would destroy
  /// something.
  bool check() const;

  /// Takes the folder, if there is one, and removes what killed runs left half-written; then as
  /// check().
  bool open();

  /// Makes the folder, or forgets the run that it holds, for a new run to begin.
  void make_room();

 private:
  fs::path path_;
  bool resume_;
  bool force_;
  std::optional<FolderLock> lock_;
};

}  // namespace bough
