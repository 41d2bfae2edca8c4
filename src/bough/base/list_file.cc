#include "bough/base/list_file.h"

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

void write_lists(const fs::path& path, const ListFormat& format,
                 const std::vector<TensorEntry>& lists,
                 std::map<std::string, std::string> metadata) {
  metadata["format"] = format.format;
  metadata["version"] = format.version;
  write_safetensors(path, lists, std::move(metadata));
}

ListFile::ListFile(const fs::path& path, const ListFormat& format)
    : name_(path.string()), format_(format), file_(SafetensorsFile::read(path)) {
  if (metadata("format") != format.format) {
    fail(fmt::format("it is no {}; `{}` makes one", format.what, format.verb));
  }
  if (metadata("version") != format.version) {
    fail(fmt::format("it is of version {}, this program reads version {}; make it again by `{}`",
                     for_message(metadata("version")), format.version, format.verb));
  }
}

std::string ListFile::metadata(const std::string& key) const {
  auto found = file_.metadata().find(key);
  return found == file_.metadata().end() ? "" : found->second;
}

void ListFile::fail(std::string_view why) const {
  throw DataError("cannot use '{}' as a {}: {}", name_, format_.what, why);
}

std::string_view ListFile::bytes_of(std::string_view name, std::string_view type) const {
  const TensorEntry* entry = file_.find(name);
  if (entry == nullptr) fail(fmt::format("{} is missing", name));
  if (entry->dtype != type || entry->shape.size() != 1) {
    fail(fmt::format("{} is no list of type {}", name, type));
  }
  return entry->bytes;
}

}  // namespace bough
