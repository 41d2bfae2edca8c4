#include "bough/base/program_folder.h"

#include <dlfcn.h>

namespace bough {

fs::path program_folder() {
  std::error_code failure;  // without /proc things are looked for where the user is
  return fs::read_symlink("/proc/self/exe", failure).parent_path();
}

fs::path code_folder() {
  Dl_info info{};
  bool known = dladdr(reinterpret_cast<const void*>(&code_folder), &info) != 0;
  fs::path file(known && info.dli_fname != nullptr ? info.dli_fname : "");
  // A program is known by the name that it was called by, wherever it is.
  return file.extension() == ".so" ? fs::absolute(file).parent_path() : program_folder();
}

}  // namespace bough
