// A folder that appears under its name when it is whole.
//
// Files go to a folder beside it, `NAME.<process>.tmp`, which takes its place on `commit`; without
// that, nothing is left of it.
#pragma once

#include "bough/base/file.h"

namespace bough {

class NewFolder {
 public:
  explicit NewFolder(const fs::path& place);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Where to write.
  const fs::path& path() const { return path_; }

  /// Puts it in its place; what stood there is removed with all that it holds.
  void commit();

 private:
  fs::path place_;
  fs::path path_;
};

}  // namespace bough
