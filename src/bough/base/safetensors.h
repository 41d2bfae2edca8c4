// The safetensors format: named blocks of numbers behind a JSON header.
//
//     8 bytes: length of the header, little-endian
//     header: {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets"}, …}
//     the blocks, one behind the other
//
// bough adds a CRC-32 of the blocks to the metadata ("crc32") and one of the header
// ("header_crc32", taken with zeros in its own place), and refuses a file whose header, sizes or
// checksums don't fit. No tensor library is needed to read or write one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"

namespace bough {

struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32", "I64", …
  std::vector<int64_t> shape;
  std::string_view bytes;  // into the file's content, or into the writer's memory
};

class SafetensorsFile {
 public:
  /// Reads and checks a whole file; DataError names it and what is wrong. Sizes are checked before
  /// the blocks are read.
  static SafetensorsFile read(const fs::path& path);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<TensorEntry>& entries() const { return entries_; }
  const TensorEntry* find(std::string_view name) const;

 private:
  std::string content_;  // the views in entries_ point into it
  std::map<std::string, std::string> metadata_;
  std::vector<TensorEntry> entries_;
};

/// Writes atomically; adds the checksums to the metadata.
void write_safetensors(const fs::path& path, const std::vector<TensorEntry>& entries,
                       std::map<std::string, std::string> metadata);

}  // namespace bough
