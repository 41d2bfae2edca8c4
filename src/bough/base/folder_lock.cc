#include "bough/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "bough/base/error.h"

namespace bough {

namespace {

/// The process that holds a lock on an open file, by the kernel's table; empty where it isn't told.
/// A line is `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`, with process and inode.
std::string holder_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return "";
  std::string ending = fmt::format(":{}", status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, process, place;
    words >> number >> kind >> mode >> access >> process >> place;
    if (kind == "FLOCK" && place.ends_with(ending)) return process;
  }
  return "";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return;
  }
  std::string holder = holder_of(descriptor_);
  ::close(descriptor_);
  throw UsageError("'{}' is being written to by {}: wait for it, stop it, or give another folder",
                   folder.string(),
                   holder.empty() ? "another process" : fmt::format("process {}", holder));
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace bough
