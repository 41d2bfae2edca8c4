// Lists of numbers in a file of their own kind: what taggers and shortlists are kept in.
//
// It is a safetensors file, with its checksums, whose metadata says what it is (`format`) and how
// it is laid out (`version`). Who reads one is told in plain words why it can't be used.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bough/base/safetensors.h"

namespace bough {

struct ListFormat {
  std::string_view format;   // "bough-tagger"
  std::string_view version;  // rises when what the lists mean changes
  std::string_view what;     // "tagger", for messages
  std::string_view verb;     // "bough tagger train", which makes one
};

template <typename Number>
constexpr const char* list_type() {
  static_assert(std::is_same_v<Number, uint32_t> || std::is_same_v<Number, int8_t>);
  return std::is_same_v<Number, uint32_t> ? "U32" : "I8";
}

template <typename Number>
TensorEntry list_entry(const std::string& name, const std::vector<Number>& numbers) {
  return {
      .name = name,
      .dtype = list_type<Number>(),
      .shape = {static_cast<int64_t>(numbers.size())},
      .bytes = {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)}};
}

void write_lists(const fs::path& path, const ListFormat& format,
                 const std::vector<TensorEntry>& lists,
                 std::map<std::string, std::string> metadata = {});

class ListFile {
 public:
  /// DataError where it isn't of this format and version.
  ListFile(const fs::path& path, const ListFormat& format);

  /// Empty where there is none by this name.
  std::string metadata(const std::string& key) const;

  /// DataError where there is no such list.
  template <typename Number>
  std::vector<Number> numbers(std::string_view name) const {
    std::string_view bytes = bytes_of(name, list_type<Number>());
    std::vector<Number> result(bytes.size() / sizeof(Number));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }

  /// A DataError that names the file.
  [[noreturn]] void fail(std::string_view why) const;

 private:
  std::string_view bytes_of(std::string_view name, std::string_view type) const;

  std::string name_;
  ListFormat format_;
  SafetensorsFile file_;
};

}  // namespace bough
