#include "bough/base/share.h"

#include <dlfcn.h>
#include <sys/auxv.h>

namespace bough {

namespace {

/// What was loaded at an address: the program, or a library.
Dl_info loaded_at(const void* address) {
  Dl_info place{};
  ::dladdr(address, &place);
  return place;
}

}  // namespace

fs::path own_folder() {
  std::error_code failure;  // without /proc, files are looked for where the user is
  Dl_info own = loaded_at(reinterpret_cast<const void*>(&own_folder));
  Dl_info program = loaded_at(reinterpret_cast<const void*>(::getauxval(AT_PHDR)));
  // A library is known by its path, a program only by the name that it was called by.
  bool in_program = own.dli_fbase == program.dli_fbase;
  return fs::canonical(in_program ? "/proc/self/exe" : own.dli_fname, failure).parent_path();
}

std::vector<fs::path> share_folders() {
  return {own_folder() / "share" / "bough", own_folder() / BOUGH_SHARE_FROM_PROGRAM,
          BOUGH_INSTALLED_SHARE};
}

}  // namespace bough
