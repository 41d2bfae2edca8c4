// Short names for files and folders that stand side by side in a table or on a page.
#pragma once

#include <string>
#include <vector>

namespace bough::cli {

/// A short name for each; those that would share one are called by their whole paths. UsageError
/// for a path that is there twice.
std::vector<std::string> tell_apart(const std::vector<std::string>& paths,
                                    std::string (*short_name)(const std::string&));

/// The file's name without its last ending.
std::string name_of_file(const std::string& path);

/// The folder's own name, with the one above it for a seed's model: `uniform/seed-1`.
std::string name_of_folder(const std::string& path);

}  // namespace bough::cli
