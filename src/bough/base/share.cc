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

bool is_in_program() {
  return loaded_at(reinterpret_cast<const void*>(&own_folder)).dli_fbase ==
         loaded_at(reinterpret_cast<const void*>(::getauxval(AT_PHDR))).dli_fbase;
}

}  // namespace

fs::path own_folder() {
  std::error_code failure;  // without /proc, files are looked for where the user is
  // A library is known by its path, a program only by the name that it was called by.
  fs::path own = is_in_program() ? "/proc/self/exe"
                                 : loaded_at(reinterpret_cast<const void*>(&own_folder)).dli_fname;
  return fs::canonical(own, failure).parent_path();
}

std::vector<fs::path> share_folders() {
  if (!is_in_program()) return {own_folder(), BOUGH_INSTALLED_SHARE};
  return {own_folder() / "share" / "bough", own_folder() / BOUGH_SHARE_FROM_PROGRAM,
          BOUGH_INSTALLED_SHARE};
}

}  // namespace bough
