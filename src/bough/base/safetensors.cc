#include "bough/base/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"

namespace bough {

namespace {

constexpr std::string_view kChecksumKey = "crc32";
constexpr std::string_view kHeaderChecksumKey = "header_crc32";
constexpr std::string_view kNoChecksum = "00000000";
constexpr std::string_view kMetadata = "__metadata__";
constexpr uint64_t kSizeBytes = 8;                // of the number that stands before the header
constexpr uint64_t kLargestHeader = 100'000'000;  // as in the format's own reader

int64_t bytes_of(std::string_view dtype) {
  static const std::map<std::string_view, int64_t> kSizes = {
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4},
      {"I16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}, {"U16", 2}, {"U32", 4}};
  auto found = kSizes.find(dtype);
  return found == kSizes.end() ? 0 : found->second;
}

/// One entry of the header; throws nlohmann's exceptions for wrong types.
TensorEntry read_entry(const std::string& name, const nlohmann::json& value,
                       std::string_view blocks, const std::string& where) {
  TensorEntry entry{.name = name,
                    .dtype = value.at("dtype").get<std::string>(),
                    .shape = value.at("shape").get<std::vector<int64_t>>(),
                    .bytes = {}};
  auto offsets = value.at("data_offsets").get<std::array<uint64_t, 2>>();
  // Sizes come from outside: multiply with care, so that no shape wraps around to a small number.
  unsigned __int128 expected = static_cast<unsigned __int128>(bytes_of(entry.dtype));
  for (const auto& extent : value.at("shape")) {
    if (!extent.is_number_unsigned()) {
      throw DataError("{}: tensor '{}' has a size that is no whole number", where, name);
    }
  }
  bool empty = std::count(entry.shape.begin(), entry.shape.end(), 0) > 0;
  for (int64_t extent : entry.shape) {
    expected *= empty ? 0 : static_cast<uint64_t>(extent);
    if (expected > blocks.size()) break;
  }
  if (bytes_of(entry.dtype) == 0 || offsets[0] > offsets[1] || offsets[1] > blocks.size() ||
      expected != offsets[1] - offsets[0]) {
    throw DataError("{}: tensor '{}' does not fit its place in the file", where, name);
  }
  entry.bytes = blocks.substr(offsets[0], offsets[1] - offsets[0]);
  return entry;
}

std::string checksum_text(std::string_view bytes) {
  return fmt::format("{:08x}", checksum(bytes));
}

/// The header's own checksum and where it stands in it; both are empty where there is none.
std::pair<std::string, size_t> header_checksum(std::string_view header) {
  std::string before = fmt::format("\"{}\":\"", kHeaderChecksumKey);
  size_t at = header.find(before);
  if (at == std::string_view::npos) return {"", 0};
  at += before.size();
  return {std::string(header.substr(at, kNoChecksum.size())), at};
}

/// DataError where a header with a checksum has another content.
void check_header(std::string_view header, const std::string& where) {
  auto [expected, at] = header_checksum(header);
  if (expected.empty()) return;
  std::string blank(header);
  blank.replace(at, expected.size(), kNoChecksum);
  if (checksum_text(blank) == expected) return;
  throw DataError("{} is damaged: its header's checksum does not fit. Restore the file", where);
}

/// The length of the header with the number before it, that is, where the blocks begin.
uint64_t size_of_header(const fs::path& path, uint64_t file_size, const std::string& where) {
  std::string start = read_start(path, kSizeBytes + 1);
  uint64_t size = 0;
  if (start.size() > kSizeBytes) std::memcpy(&size, start.data(), kSizeBytes);
  if (size > kLargestHeader || size < 2 || start[kSizeBytes] != '{') {
    throw DataError("{} is not a safetensors file", where);
  }
  if (file_size - kSizeBytes < size) {
    throw DataError("{} is cut short: its header is not whole. Restore the file", where);
  }
  return kSizeBytes + size;
}

/// The last block has to end where the file does.
void check_end(const nlohmann::json& header, uint64_t bytes, const std::string& where) {
  uint64_t used = 0;
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadata) continue;
    used = std::max(used, value.at("data_offsets").at(1).get<uint64_t>());
  }
  if (used > bytes) {
    throw DataError("{} is cut short: {} bytes of tensors, {} expected. Restore the file", where,
                    bytes, used);
  }
  if (used < bytes) throw DataError("{} has bytes behind its last tensor", where);
}

/// The blocks have to lie one behind the other.
void check_places(std::vector<TensorEntry> entries, std::string_view blocks,
                  const std::string& where) {
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.bytes.data(), a.bytes.size()) < std::pair(b.bytes.data(), b.bytes.size());
  });
  uint64_t next = 0;
  for (const TensorEntry& entry : entries) {
    if (entry.bytes.data() != blocks.data() + next) {
      throw DataError("{}: tensor '{}' does not begin where the one before it ends", where,
                      entry.name);
    }
    next += entry.bytes.size();
  }
}

}  // namespace

SafetensorsFile SafetensorsFile::read(const fs::path& path) {
  std::string where = fmt::format("'{}'", path.string());
  uint64_t size = size_of_file(path);
  uint64_t start = size_of_header(path, size, where);  // of the blocks
  SafetensorsFile file;
  try {
    std::string text = read_start(path, start).substr(kSizeBytes);
    auto header = nlohmann::json::parse(text);
    check_end(header, size - start, where);
    check_header(text, where);
    file.content_ = read_file(path);
    if (file.content_.size() != size) {
      throw DataError("{} has changed while it was read. Try again", where);
    }
    std::string_view blocks = std::string_view(file.content_).substr(start);
    for (const auto& [name, value] : header.items()) {
      if (name == kMetadata) {
        file.metadata_ = value.get<std::map<std::string, std::string>>();
      } else {
        file.entries_.push_back(read_entry(name, value, blocks, where));
      }
    }
    check_places(file.entries_, blocks, where);
    auto sum = file.metadata_.find(std::string(kChecksumKey));
    if (sum != file.metadata_.end() && sum->second != checksum_text(blocks)) {
      throw DataError("{} is damaged: its checksum does not fit. Restore the file", where);
    }
  } catch (const nlohmann::json::exception&) {
    throw DataError("{} is not a safetensors file: its header can't be read", where);
  }
  return file;
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  for (const TensorEntry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

void write_safetensors(const fs::path& path, const std::vector<TensorEntry>& entries,
                       std::map<std::string, std::string> metadata) {
  uint32_t sum = 0;
  for (const TensorEntry& entry : entries) sum = checksum(entry.bytes, sum);
  metadata[std::string(kChecksumKey)] = fmt::format("{:08x}", sum);
  metadata[std::string(kHeaderChecksumKey)] = kNoChecksum;
  nlohmann::ordered_json header;
  header[std::string(kMetadata)] = metadata;
  uint64_t offset = 0;
  for (const TensorEntry& entry : entries) {
    uint64_t end = offset + entry.bytes.size();
    header[entry.name] = {
        {"dtype", entry.dtype}, {"shape", entry.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the blocks start at a multiple of eight
  text.replace(header_checksum(text).second, kNoChecksum.size(), checksum_text(text));
  uint64_t header_size = text.size();
  OutputFile file(path.string());
  file.write({reinterpret_cast<const char*>(&header_size), sizeof header_size});
  file.write(text);
  for (const TensorEntry& entry : entries) file.write(entry.bytes);
  file.commit();
}

}  // namespace bough
