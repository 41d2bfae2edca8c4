// A folder that one process at a time may write to.
//
// The lock is the process's own (flock on the folder itself): nothing is written, and a process
// that dies, however it dies, leaves nothing locked.
#pragma once

#include <filesystem>

namespace bough {

class FolderLock {
 public:
  /// UsageError that names the process which holds the folder. The folder has to be there. Where
  /// folders can't be locked (some network file systems) nothing is.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace bough
