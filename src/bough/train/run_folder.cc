#include "bough/train/run_folder.h"

#include <algorithm>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/new_folder.h"
#include "bough/data/shortlist.h"
#include "bough/model/model.h"
#include "bough/train/checkpoint.h"

namespace bough {

namespace {

/// Temporary files of killed runs.
void remove_leftovers(const fs::path& folder) {
  for (const fs::path& place : {folder, folder / "state"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (is_temporary_name(entry.path())) fs::remove(entry.path(), error);
    }
  }
}

}  // namespace

void check_room_for_model(const fs::path& out, bool force) {
  if (!fs::exists(out)) return;
  if (!fs::is_directory(out)) throw DataError("'{}' is a file; --out takes a folder", out.string());
  if (has_model(out) && !force) {
    throw UsageError("'{}' already holds a model: --force overwrites it", out.string());
  }
  std::vector<fs::path> known = files_of_run(out);
  for (const auto& entry : fs::directory_iterator(out)) {
    bool foreign = std::find(known.begin(), known.end(), entry.path()) == known.end();
    if (foreign) {
      throw UsageError("'{}' is in the way, and no part of a model: give another --out",
                       entry.path().string());
    }
    if (!force) {
      throw UsageError("'{}' is in the way: --force overwrites it", entry.path().string());
    }
  }
}

void write_model_folder(const fs::path& out, bool force,
                        const std::function<void(const fs::path&)>& write) {
  check_room_for_model(out, force);
  NewFolder folder(out);
  write(folder.path());
  std::optional<FolderLock> lock;  // nobody trains what is overwritten
  if (fs::is_directory(out)) lock.emplace(out);
  check_room_for_model(out, force);
  folder.commit();
}

std::vector<fs::path> files_of_run(const fs::path& folder) {
  // The state stands first: without it nothing can take the rest for a run to be resumed.
  std::vector<fs::path> files;
  std::vector<std::string_view> names = {"state"};
  names.insert(names.end(), setting_files().begin(), setting_files().end());
  names.insert(names.end(), {"model.safetensors", "metrics.jsonl", "generation.json",
                             Shortlist::kFile, "README.md"});
  for (std::string_view name : names) {
    if (fs::exists(folder / name)) files.push_back(folder / name);
  }
  return files;
}

bool RunFolder::open() {
  if (fs::is_directory(path_)) lock_.emplace(path_);
  bool resuming = check();
  remove_leftovers(path_);
  return resuming;
}

void RunFolder::make_room() {
  make_folder(path_);
  if (!lock_) {  // it is new, to us: another run may have been faster
    lock_.emplace(path_);
    check();
  }
  for (const fs::path& file : files_of_run(path_)) {
    std::error_code error;
    fs::remove_all(file, error);
    if (error) throw DataError("cannot remove '{}': {}", file.string(), error.message());
  }
}

bool RunFolder::check() const {
  if (fs::exists(path_) && !fs::is_directory(path_)) {
    throw DataError("'{}' is a file; --out takes a folder", path_.string());
  }
  if (resume_ && force_) {
    throw UsageError("--resume goes on with a run and --force overwrites it: give one of them");
  }
  if (resume_ && has_checkpoint(path_)) return true;
  if (force_) return false;
  if (has_exported_model(path_)) {
    throw UsageError(
        "'{}' holds an exported model, which has no training state: {}--force overwrites it",
        path_.string(), resume_ ? "go on in the folder that it was exported from; " : "");
  }
  if (has_model(path_) && !resume_) {
    throw UsageError("'{}' already holds a model: --resume goes on with it, --force overwrites it",
                     path_.string());
  }
  // A run that was killed before its first checkpoint has its setting, perhaps an empty state/.
  for (const fs::path& file : files_of_run(path_)) {
    auto setting = setting_files();
    bool is_setting =
        std::find(setting.begin(), setting.end(), file.filename().string()) != setting.end();
    if (has_model(path_) && (is_setting || file.filename() == "state")) continue;
    throw UsageError("'{}' is in the way and no run can be resumed: --force overwrites it",
                     file.string());
  }
  return false;
}

}  // namespace bough
