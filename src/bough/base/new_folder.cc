#include "bough/base/new_folder.h"

#include <unistd.h>

namespace bough {

namespace {

/// The name without the slashes at its end.
fs::path folder_name(const fs::path& place) {
  fs::path plain = fs::absolute(place).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

fs::path beside(const fs::path& place, std::string_view what) {
  return fs::path(fmt::format("{}{}.{}.tmp", place.string(), what, ::getpid()));
}

void move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw DataError("cannot make the folder '{}': {}", to.string(), error.message());
}

}  // namespace

NewFolder::NewFolder(const fs::path& place)
    : place_(folder_name(place)), path_(beside(place_, "")) {
  make_folder(path_);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void NewFolder::commit() {
  fs::path old = beside(place_, ".old");
  bool replaces = fs::exists(place_);
  if (replaces) move_folder(place_, old);
  try {
    move_folder(path_, place_);
  } catch (const DataError&) {
    if (replaces) move_folder(old, place_);
    throw;
  }
  std::error_code ignored;
  if (replaces) fs::remove_all(old, ignored);
}

}  // namespace bough
