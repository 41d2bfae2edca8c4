// The safetensors format: what is written is read, and nothing else is.
#include "bough/base/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/random.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

constexpr std::string_view kNumbers = "abcdefghijklmnopqrstuvwx";  // 6 × F32

void write_small(const fs::path& path) {
  write_safetensors(
      path,
      {{"weight", "F32", {2, 3}, kNumbers}, {"nothing", "I64", {0}, ""}, {"scalar", "U8", {}, "z"}},
      {{"epoch", "3"}, {"note", "größer \"x\""}});
}

/// A file with this header and as many bytes behind it.
fs::path with_header(const fs::path& folder, const std::string& header, size_t bytes) {
  std::string content(8, '\0');
  for (size_t i = 0; i < 8; ++i) content[i] = static_cast<char>(header.size() >> (8 * i));
  put(folder / "made.safetensors", content + header + std::string(bytes, 'x'));
  return folder / "made.safetensors";
}

std::string entry(std::string_view shape, std::string_view offsets,
                  std::string_view dtype = "F32") {
  return fmt::format(R"({{"dtype":"{}","shape":{},"data_offsets":{}}})", dtype, shape, offsets);
}

TEST(Safetensors, RoundTrip) {
  TempFolder folder;
  auto path = folder.path() / "small.safetensors";
  write_small(path);
  auto file = SafetensorsFile::read(path);
  EXPECT_EQ(file.metadata().at("epoch"), "3");
  EXPECT_EQ(file.metadata().at("note"), "größer \"x\"");
  EXPECT_EQ(file.metadata().at("crc32"),
            fmt::format("{:08x}", checksum(std::string(kNumbers) + "z")));
  ASSERT_EQ(file.entries().size(), 3U);
  const TensorEntry* weight = file.find("weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->dtype, "F32");
  EXPECT_EQ(weight->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(weight->bytes, kNumbers);
  EXPECT_EQ(file.find("scalar")->shape, std::vector<int64_t>());
  EXPECT_EQ(file.find("scalar")->bytes, "z");
  EXPECT_EQ(file.find("nothing")->bytes, "");
  EXPECT_EQ(file.find("weights"), nullptr);
  std::string content = read_file(path);
  EXPECT_EQ((content.size() - kNumbers.size() - 1) % 8, 0U);
}

TEST(Safetensors, AnEmptyTensorMayHaveALargeSize) {
  TempFolder folder;
  auto path = folder.path() / "empty.safetensors";
  write_safetensors(path, {{"none", "F32", {1000, 0}, ""}}, {});
  EXPECT_EQ(SafetensorsFile::read(path).find("none")->shape, (std::vector<int64_t>{1000, 0}));
}

/// Many times over: a new file is cheap, one that is cut and filled again goes to the disk.
void put_anew(const fs::path& path, const std::string& content) {
  fs::remove(path);
  put(path, content);
}

TEST(Safetensors, EveryCutIsRefused) {
  TempFolder folder;
  auto path = folder.path() / "small.safetensors";
  write_small(path);
  std::string content = read_file(path);
  for (size_t size = 0; size < content.size(); ++size) {
    put_anew(path, content.substr(0, size));
    EXPECT_THROW(SafetensorsFile::read(path), DataError) << size;
  }
  put(path, content + "x");
  EXPECT_THROW(SafetensorsFile::read(path), DataError);
}

TEST(Safetensors, EveryDamagedByteOfTheDataIsRefusedAndNoneOfTheHeaderCrashes) {
  TempFolder folder;
  auto path = folder.path() / "small.safetensors";
  write_small(path);
  const std::string content = read_file(path);
  size_t data = content.size() - kNumbers.size() - 1;
  int refused = 0;
  for (size_t at = 0; at < content.size(); ++at) {
    for (int flip : {0x01, 0x04, 0x20, 0xff}) {
      std::string damaged = content;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      put_anew(path, damaged);
      if (at >= data) {
        EXPECT_THROW(SafetensorsFile::read(path), DataError) << at;
      } else {
        refused += message_of<DataError>([&] { SafetensorsFile::read(path); }).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refused, static_cast<int>(data));  // most of them
}

TEST(Safetensors, EntriesThatDoNotFitTheFileAreRefused) {
  TempFolder folder;
  auto read = [&](const std::string& tensor) {
    auto path = with_header(folder.path(), "{\"t\":" + tensor + "}", 8);
    return message_of<DataError>([&] { SafetensorsFile::read(path); });
  };
  EXPECT_EQ(read(entry("[2]", "[0,8]")), "");
  std::istringstream wrong(R"([2] [0,9]  [2] [8,0]  [1] [0,4]  [1] [4,12]  [3] [0,8]  [1] [0,8]
      [-2] [0,8]  [-1,-2] [0,8]  [2] [-8,8]  [2] [0]  [2] 8  2 [0,8]  ["2"] [0,8]  [[2]] [0,8]
      null [0,8]  [2] [0,18446744073709551615]  [2] [18446744073709551608,8]
      [4611686018427387904,4] [0,8]  [4294967296,4294967296,2] [0,8]  [18446744073709551615] [0,8]
      [9223372036854775807,9223372036854775807,9223372036854775807] [0,8])");
  for (std::string shape, offsets; wrong >> shape >> offsets;) {
    expect_contains(read(entry(shape, offsets)), "made.safetensors");
  }
  expect_contains(read(entry("[2]", "[0,8]", "F31")), "made.safetensors");
  for (const char* tensor : {"{}", "[]", "null", "7", R"({"dtype":"F32","shape":[2]})",
                             R"({"shape":[2],"data_offsets":[0,8]})",
                             R"({"dtype":4,"shape":[2],"data_offsets":[0,8]})"}) {
    expect_contains(read(tensor), "made.safetensors");
  }
}

TEST(Safetensors, OverlapsGapsAndFractionsAreRefused) {
  TempFolder folder;
  for (const std::string& header :
       {"{\"a\":" + entry("[2]", "[0,8]") + ",\"b\":" + entry("[2]", "[4,12]") + "}",
        "{\"a\":" + entry("[1]", "[0,4]") + ",\"b\":" + entry("[1]", "[8,12]") + "}",
        "{\"a\":" + entry("[2]", "[4,12]") + "}", "{\"a\":" + entry("[3.5]", "[0,12]") + "}"}) {
    auto path = with_header(folder.path(), header, 12);
    EXPECT_THROW(SafetensorsFile::read(path), DataError) << header;
  }
}

TEST(Safetensors, SizesAreCheckedBeforeTheBlocksAreRead) {
  TempFolder folder;
  std::string header = "{\"t\":" + entry("[2]", "[0,8]") + "}";
  auto path = with_header(folder.path(), header, 8);
  fs::resize_file(path, uint64_t{1} << 42);  // holes: no memory holds them
  expect_contains(message_of<DataError>([&] { SafetensorsFile::read(path); }), "bytes behind");
  expect_contains(message_of<DataError>([&] { SafetensorsFile::read("/dev/zero"); }),
                  "regular file");
}

TEST(Safetensors, AForeignFileIsRefused) {
  TempFolder folder;
  auto path = folder.path() / "foreign";
  for (const std::string& content :
       {std::string("a text about barges and rivers\n"), std::string("PK\x03\x04 and more of it"),
        std::string(100, '\0'), std::string(100, '\xff'), std::string("{\"json\": true}")}) {
    put(path, content);
    expect_contains(message_of<DataError>([&] { SafetensorsFile::read(path); }),
                    "foreign' is not a safetensors file");
  }
  for (const std::string& header :
       {std::string("{]"), std::string("{\"a\":"), std::string(R"({"__metadata__":{"crc32":1}})"),
        std::string(R"({"__metadata__":[]})"), "{\"a\":" + std::string(100'000, '[')}) {
    auto made = with_header(folder.path(), header, 0);
    EXPECT_THROW(SafetensorsFile::read(made), DataError);
  }
  EXPECT_THROW(SafetensorsFile::read(folder.path() / "nowhere"), DataError);
}

}  // namespace
}  // namespace bough
