#include "run_names.h"

#include <map>
#include <set>

#include "bough/base/error.h"
#include "bough/base/file.h"

namespace bough::cli {

std::vector<std::string> tell_apart(const std::vector<std::string>& paths,
                                    std::string (*short_name)(const std::string&)) {
  std::set<std::string> distinct;
  std::map<std::string, int> uses;
  for (const std::string& path : paths) {
    if (!distinct.insert(path).second) throw UsageError("'{}' is given twice", path);
    ++uses[short_name(path)];
  }
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name = short_name(path);
    names.push_back(uses[name] > 1 || name.empty() ? path : name);
  }
  return names;
}

std::string name_of_file(const std::string& path) {
  return fs::path(path).stem().string();
}

std::string name_of_folder(const std::string& path) {
  fs::path normal = fs::path(path).lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  std::string name = normal.filename().string();
  std::string above = normal.parent_path().filename().string();
  return name.starts_with("seed-") && !above.empty() ? above + "/" + name : name;
}

}  // namespace bough::cli
