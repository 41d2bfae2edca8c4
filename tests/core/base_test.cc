// Random streams, UTF-8, files, options, safetensors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/base/random.h"
#include "bough/base/safetensors.h"
#include "bough/base/utf8.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Lines = std::vector<std::string>;
constexpr size_t kGood = std::string_view::npos;

/// What the error thrown by `action` says; empty where none is thrown.
template <typename Error, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_contains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

// ---- random numbers

std::vector<uint64_t> first_numbers(RandomStream random) {
  return {random.next(), random.next(), random.next()};
}

TEST(Random, AStreamIsItsName) {
  auto named = first_numbers({1, Purpose::kRollIn, 2, 3});
  EXPECT_EQ(named, first_numbers({1, Purpose::kRollIn, 2, 3}));
  std::set<std::vector<uint64_t>> others = {
      named, first_numbers({2, Purpose::kRollIn, 2, 3}), first_numbers({1, Purpose::kTest, 2, 3}),
      first_numbers({1, Purpose::kRollIn, 3, 2}), first_numbers({1, Purpose::kRollIn, 2, 4})};
  EXPECT_EQ(others.size(), 5U);
  std::set<uint64_t> firsts;
  for (uint64_t first = 0; first < 100; ++first) {
    for (uint64_t second = 0; second < 100; ++second) {
      firsts.insert(RandomStream(1, Purpose::kTest, first, second).next());
    }
  }
  EXPECT_EQ(firsts.size(), 10'000U);
}

TEST(Random, SeedsKeepTheirMeaningFromVersionToVersion) {
  EXPECT_EQ(mix_bits(0x9e3779b97f4a7c15U), 0xe220a8397b1dcdafU);  // SplitMix64's first, seed 0
  RandomStream first(1, Purpose::kGenerate);
  EXPECT_EQ(first.next(), 5850031571268251851U);
  EXPECT_EQ(first.next(), 2014965292525703699U);
  EXPECT_EQ(RandomStream(7, Purpose::kRollIn, 2, 9).next(), 15898016845181118900U);
}

TEST(Random, UniformFillsTheUnitInterval) {
  RandomStream random(1, Purpose::kTest);
  std::vector<double> values(100'000);
  for (double& value : values) value = random.uniform();
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, 0.0);
  EXPECT_LT(*least, 0.001);
  EXPECT_LT(*most, 1.0);
  EXPECT_GT(*most, 0.999);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / 100'000, 0.5, 0.005);
}

/// Pearson's statistic of counts against the shares they should have.
double chi_square(const std::vector<int>& counts, const std::vector<double>& shares, int draws) {
  double sum = 0.0;
  for (size_t i = 0; i < counts.size(); ++i) {
    double expected = shares[i] * draws;
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

TEST(Random, BelowIsEven) {
  RandomStream random(1, Purpose::kTest);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  EXPECT_LT(chi_square(counts, std::vector<double>(7, 1.0 / 7), 70'000), 22.5);  // p = 0.001
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
  bool above_half = false;
  for (int i = 0; i < 100; ++i) above_half |= random.below(~uint64_t{0}) > ~uint64_t{0} / 2;
  EXPECT_TRUE(above_half);
}

TEST(Random, DrawFollowsTheWeightsAndNeverTakesAZero) {
  RandomStream random(1, Purpose::kTest);
  const std::vector<double> weights = {0.0, 1.0, 0.0, 5.0, 2.0, 0.0};
  const std::vector<float> floats(weights.begin(), weights.end());
  std::vector<int> counts(6);
  for (int i = 0; i < 40'000; ++i) {
    ++counts.at(static_cast<size_t>(random.draw(weights)));
    ++counts.at(static_cast<size_t>(random.draw(floats)));
  }
  EXPECT_EQ(counts[0] + counts[2] + counts[5], 0);
  EXPECT_LT(chi_square({counts[1], counts[3], counts[4]}, {0.125, 0.625, 0.25}, 80'000), 13.8);
  const std::vector<double> one = {0.0, 0.0, 1e-300, 0.0};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.draw(one), 2);
}

TEST(Random, NormalHasItsMoments) {
  RandomStream random(1, Purpose::kTest);
  double sum = 0.0;
  double squares = 0.0;
  double fourths = 0.0;
  for (int i = 0; i < 100'000; ++i) {
    double value = random.normal();
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
  }
  EXPECT_NEAR(sum / 100'000, 0.0, 0.015);
  EXPECT_NEAR(squares / 100'000, 1.0, 0.02);
  EXPECT_NEAR(fourths / 100'000, 3.0, 0.15);
}

// ---- UTF-8

TEST(Utf8, WellFormedIsAccepted) {
  for (const char* text : {"", "plain", "é", "ÿ", "\u0800", "\ud7ff", "\ue000", "\uffff",
                           "\U00010000", "\U0010ffff", "größer 大 🙂"}) {
    EXPECT_EQ(find_bad_utf8(text), kGood) << text;
  }
  EXPECT_EQ(find_bad_utf8(std::string_view("a\0b", 3)), kGood);
}

TEST(Utf8, TheFirstIllFormedSequenceIsFound) {
  for (const char* bad : {"\x80", "\xbf", "\xfe", "\xff",                // never a start
                          "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",        // overlong
                          "\xf0\x8f\xbf\xbf",                            // overlong
                          "\xed\xa0\x80", "\xed\xbf\xbf",                // surrogates
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",        // above U+10FFFF
                          "\xc3", "\xe2\x82", "\xf0\x9f\x99",            // cut short
                          "\xc3(", "\xe2\x28\xa1", "\xf0\x9f\x99\x28"})  // a wrong byte inside
  {
    std::string text = bad;
    EXPECT_EQ(find_bad_utf8(text), 0U) << for_message(text);
    EXPECT_EQ(find_bad_utf8("größe " + text), 8U) << for_message(text);
    EXPECT_EQ(find_bad_utf8(text + " and more"), 0U) << for_message(text);
  }
}

TEST(Utf8, LowerCaseIsUnicodes) {
  EXPECT_EQ(lower_case("A Barge, GROSS ÄÖÜ É Å"), "a barge, gross äöü é å");
  EXPECT_EQ(lower_case("ЛОДКА ΒΆΡΚΑ"), "лодка βάρκα");
  EXPECT_EQ(lower_case("ΠΟΤΑΜΟΣ"), "ποταμος");  // final sigma
  EXPECT_EQ(lower_case("İ"), "i\u0307");
  EXPECT_EQ(lower_case("ẞ 大 7 🙂"), "ß 大 7 🙂");
  EXPECT_EQ(lower_case(""), "");
}

TEST(Utf8, WidthsAreATerminals) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("größer"), 6);
  EXPECT_EQ(display_width("大船"), 4);
  EXPECT_EQ(display_width("ｗ"), 2);
  EXPECT_EQ(display_width("e\u0301e\u20dd"), 2);
  EXPECT_EQ(display_width("a\u200bb"), 2);
  EXPECT_EQ(display_width("배"), 2);
}

TEST(Utf8, MessagesShowDoubtfulBytesAndAreCut) {
  EXPECT_EQ(for_message("größer"), "größer");
  EXPECT_EQ(for_message("a\tb\xff\xc3 \x7f"), "a\\x09b\\xff\\xc3 \\x7f");
  EXPECT_EQ(for_message("abcdef", 4), "abcd…");
  EXPECT_EQ(for_message("äöü", 3), "äö…");
  EXPECT_EQ(find_bad_utf8(for_message(std::string(500, '\xe4'))), kGood);
}

TEST(Utf8, AMessageThatJustFitsIsNotCut) {
  EXPECT_EQ(for_message("abcd", 4), "abcd");
}

// ---- files

Lines read_all(const fs::path& path) {
  LineReader reader(path.string());
  Lines lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), static_cast<int64_t>(lines.size()));
  }
  return lines;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST(Files, LinesEndInEitherWayAndTheLastMayBeOpen) {
  TempFolder folder;
  auto path = folder.path() / "lines";
  const std::vector<std::pair<std::string, Lines>> cases = {
      {"", {}},
      {"\n", {""}},
      {"one", {"one"}},
      {"one\n", {"one"}},
      {"one\r\ntwo\r\n", {"one", "two"}},
      {"one\n\ntwo\r\n\r\nthree", {"one", "", "two", "", "three"}},
      {"in\rside\n", {"in\rside"}},
      {std::string("zero\0inside\n", 12), {std::string("zero\0inside", 11)}}};
  for (const auto& [content, lines] : cases) {
    put(path, content);
    EXPECT_EQ(read_all(path), lines) << content;
  }
  Lines longer;  // than any buffer
  std::string content;
  for (int i = 0; i < 5; ++i) {
    longer.push_back(std::string(100'000 + i, static_cast<char>('a' + i)));
    content += longer.back() + (i % 2 == 0 ? "\n" : "\r\n");
  }
  put(path, content);
  EXPECT_EQ(read_all(path), longer);
}

TEST(Files, GzipIsReadAndWrittenAndACutOneIsRefused) {
  TempFolder folder;
  auto path = folder.path() / "lines.gz";
  RandomStream random(1, Purpose::kTest);
  Lines lines;
  OutputFile file(path.string());
  for (int i = 0; i < 300; ++i) {
    lines.push_back(std::to_string(random.next()));
    file.write_line(lines.back());
  }
  file.commit();
  std::string zipped = read_file(path);
  EXPECT_EQ(zipped.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_all(path), lines);
  fs::rename(path, folder.path() / "no suffix");  // known by its content
  EXPECT_EQ(read_all(folder.path() / "no suffix"), lines);
  for (size_t size : {size_t{2}, size_t{9}, size_t{11}, zipped.size() / 2, zipped.size() - 9,
                      zipped.size() - 1}) {
    put(path, zipped.substr(0, size));
    auto message = message_of<DataError>([&] { read_all(path); });
    expect_contains(message, path.string());
    expect_contains(message, "cut short");
  }
  zipped[zipped.size() / 2] ^= 1;
  put(path, zipped);
  EXPECT_THROW(read_all(path), DataError);
}

TEST(Files, WhatCannotBeReadIsNamed) {
  TempFolder folder;
  auto missing = folder.path() / "nowhere";
  expect_contains(message_of<DataError>([&] { LineReader reader(missing.string()); }), "nowhere");
  expect_contains(message_of<DataError>([&] { read_file(missing); }), "nowhere");
  auto of_folder = message_of<DataError>([&] { LineReader reader(folder.path().string()); });
  expect_contains(of_folder, folder.path().string());
  expect_contains(of_folder, "folder");
  EXPECT_THROW(read_file(folder.path()), DataError);
  EXPECT_THROW(OutputFile(folder.path().string()), DataError);
  EXPECT_THROW(OutputFile((missing / "file").string()), DataError);
}

TEST(Files, ANameTheSystemRefusesIsADataError) {
  TempFolder folder;
  auto path = folder.path() / std::string(300, 'x');
  EXPECT_THROW(LineReader(path.string()), DataError);
  EXPECT_THROW(read_file(path), DataError);
  EXPECT_THROW(OutputFile(path.string()), DataError);
}

TEST(Files, OutputAppearsWholeOnCommit) {
  TempFolder folder;
  for (const char* name : {"new.txt", "new.gz"}) {
    auto path = folder.path() / name;
    OutputFile file(path.string());
    file.write("a ");
    file.write_line("barge");
    file.write(std::string(300'000, 'x'));
    file.flush();
    EXPECT_FALSE(fs::exists(path));
    file.commit();
    EXPECT_EQ(read_all(path), (Lines{"a barge", std::string(300'000, 'x')}));
  }
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"new.txt", "new.gz"}));
}

TEST(Files, AbandonedOutputLeavesTheOldFileAndNothingElse) {
  TempFolder folder;
  put(folder.path() / "old.txt", "old\n");
  for (const char* name : {"old.txt", "new.txt", "new.gz"}) {
    OutputFile file((folder.path() / name).string());
    file.write(std::string(300'000, 'x'));
  }
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"old.txt"});
  EXPECT_EQ(read_file(folder.path() / "old.txt"), "old\n");
}

TEST(Files, WriteFileReplacesInOneStep) {
  const std::string kOld = "the old barge";
  TempFolder folder;
  auto path = folder.path() / "file";
  for (const std::string& content : {std::string("\0\r\n\xff", 4), std::string(), kOld}) {
    write_file(path, content);
    EXPECT_EQ(read_file(path), content);
  }
  std::ifstream reader(path);  // goes on to see the old file, whole
  write_file(path, "new");
  std::string seen;
  std::getline(reader, seen);
  EXPECT_EQ(seen, kOld);
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"file"});
  EXPECT_THROW(write_file(folder.path(), "x"), DataError);
}

TEST(Files, FoldersAreMadeWithTheirParents) {
  TempFolder folder;
  make_folder(folder.path() / "a/b/c");
  make_folder(folder.path() / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder.path() / "a/b/c"));
  put(folder.path() / "file", "");
  EXPECT_THROW(make_folder(folder.path() / "file"), DataError);
  EXPECT_THROW(make_folder(folder.path() / "file/below"), DataError);
}

TEST(Files, HashesNeverChange) {
  EXPECT_EQ(stable_hash(""), 17665956581633026203U);
  EXPECT_EQ(stable_hash("a"), 198367012849983736U);
  EXPECT_EQ(stable_hash("Boot fährt"), 15324217055147951284U);
  EXPECT_EQ(stable_hash("\xff\x80"), 14863956340116293656U);
  EXPECT_EQ(checksum("123456789"), 0xcbf43926U);
  EXPECT_EQ(checksum("6789", checksum("12345")), 0xcbf43926U);
}

// ---- options

enum class Paint { kRed, kGreen };

}  // namespace

template <>
struct EnumNames<Paint> {
  static constexpr std::array<std::pair<Paint, std::string_view>, 2> kNames{
      {{Paint::kRed, "red"}, {Paint::kGreen, "green"}}};
};

namespace {

struct BoatOptions {
  bool sails = false;
  int64_t oars = 2;
  double length = 3.5;
  std::string name = "none";
  Paint paint = Paint::kRed;
  std::vector<std::string> crew;

  OptionSet declare() {
    OptionSet set;
    set.flag("sails", sails, "has sails");
    set.integer("oar-count", oars, {1, 8}, "how many oars");
    set.number("length", length, {0.5, 1000.0}, "in metres");
    set.text("name", name, "TEXT", "what it is called").required = true;
    set.choice("paint", paint, "its colour");
    set.list("crew", crew, "NAME", "who is in it");
    return set;
  }
};

std::string refusal(std::string_view name, const std::string& value) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  auto before = set.to_json();
  auto message = message_of<UsageError>([&] { set.set(name, value, "--" + std::string(name)); });
  EXPECT_EQ(set.to_json(), before);
  return message;
}

TEST(Options, EveryKindIsSet) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  set.set("sails", "true", "test");
  set.set("oar-count", "8", "test");
  set.set("length", "1e2", "test");
  set.set("name", "two words", "test");
  set.set("paint", "green", "test");
  set.set("crew", "Ada", "test");
  set.set("crew", "Bo", "test");
  EXPECT_TRUE(boat.sails);
  EXPECT_EQ(boat.oars, 8);
  EXPECT_EQ(boat.length, 100.0);
  EXPECT_EQ(boat.name, "two words");
  EXPECT_EQ(boat.paint, Paint::kGreen);
  EXPECT_EQ(boat.crew, (Lines{"Ada", "Bo"}));
  EXPECT_EQ(set.find("oar-count")->initial, 2);
  EXPECT_EQ(set.find("oars"), nullptr);
}

TEST(Options, ValuesOutsideTheRangeAreRefusedWithWhatIsAllowed) {
  for (const char* bad :
       {"0", "9", "-1", "", "two", "2.0", "2 ", " 2", "0x2", "99999999999999999999"}) {
    expect_contains(refusal("oar-count", bad),
                    fmt::format("--oar-count takes 1 to 8, not '{}'", bad));
  }
  for (const char* bad : {"0.4", "1000.1", "nan", "inf", "1e999", "1,5", "", "1m"}) {
    expect_contains(refusal("length", bad), fmt::format("0.5 to 1000, not '{}'", bad));
  }
  for (const char* bad : {"yes", "1", "", "True"}) {
    expect_contains(refusal("sails", bad), "true or false");
  }
  expect_contains(refusal("paint", "grene"), "red, green, not 'grene' (did you mean 'green'?)");
  expect_contains(refusal("paint", "ultraviolet"), "red, green");
}

TEST(Options, AnUnknownNameNamesTheNearest) {
  expect_contains(refusal("oar-cuont", "2"), "no option 'oar-cuont'; did you mean 'oar-count'?");
  expect_contains(refusal("lenght", "2"), "did you mean 'length'?");
  expect_contains(refusal("oar-", "2"), "did you mean 'oar-count'?");  // cut off
  auto far = refusal("zzzzzzzz", "2");
  expect_contains(far, "--zzzzzzzz");
  EXPECT_EQ(far.find("did you mean"), std::string::npos);
}

TEST(Options, JsonRoundTrip) {
  BoatOptions boat{true, 5, 0.1 + 0.7, "\"Ä\"\n", Paint::kGreen, {"Ada", "1", "true"}};
  auto values = boat.declare().to_json();
  EXPECT_EQ(values["paint"], "green");
  EXPECT_EQ(values["oar-count"], 5);
  BoatOptions read{.crew = {"someone", "else"}};
  OptionSet set = read.declare();
  set.from_json(nlohmann::json::parse(values.dump()), "test");
  EXPECT_EQ(set.to_json(), values);
  EXPECT_EQ(read.length, boat.length);
  set.check_required();
}

std::string json_refusal(const std::string& text) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  return message_of<DataError>([&] { set.from_json(nlohmann::json::parse(text), "'boat.json'"); });
}

TEST(Options, JsonErrorsNameFileAndField) {
  for (const char* text : {R"({"oar-count": 9})", R"({"oar-count": 2.5})", R"({"oar-count": "x"})",
                           R"({"oar-count": null})", R"({"oar-count": [2]})",
                           R"({"oar-count": 18446744073709551615})"}) {
    expect_contains(json_refusal(text), "'boat.json': 'oar-count' takes 1 to 8");
  }
  expect_contains(json_refusal(R"({"sails": 1})"), "'sails' takes true or false");
  expect_contains(json_refusal(R"({"paint": "geen"})"), "did you mean 'green'?");
  expect_contains(json_refusal(R"({"nmae": "x"})"), "no option 'nmae'; did you mean 'name'?");
  expect_contains(json_refusal("[1]"), "'boat.json': expected a JSON object");
}

TEST(Options, JsonOfTheWrongTypeIsRefused) {
  for (const char* text :
       {R"({"crew": null})", R"({"crew": {"a": "b"}})", R"({"crew": [["a"]]})"}) {
    expect_contains(json_refusal(text), "'crew'");
  }
  for (const char* text : {R"({"name": null})", R"({"name": ["a"]})", R"({"name": {"a": 1}})"}) {
    expect_contains(json_refusal(text), "'name'");
  }
}

TEST(Options, RequiredOnesHaveToBeSet) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  auto message = message_of<UsageError>([&] { set.check_required(); });
  expect_contains(message, "--name");
  expect_contains(message, "what it is called");
  set.set("name", "none", "test");  // even to the default
  set.check_required();
}

// ---- safetensors

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
