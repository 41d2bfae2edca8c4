// Random streams, UTF-8, files.
#include <gtest/gtest.h>
#include <sys/stat.h>

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
#include "bough/base/random.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Lines = std::vector<std::string>;
constexpr size_t kGood = std::string_view::npos;

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

/// With seed + i for the i-th of something, neighbouring seeds would share nearly all their draws.
TEST(Random, NeighbouringSeedsShareNothing) {
  std::set<uint64_t> firsts;
  size_t names = 0;
  auto add = [&](uint64_t number) {
    firsts.insert(number);
    ++names;
  };
  for (uint64_t seed = 0; seed < 40; ++seed) {
    for (uint64_t line = 0; line < 5000; line += line < 100 ? 1 : 49) {
      add(RandomStream(seed, Purpose::kGenerate, line).next());
      add(RandomStream(seed, Purpose::kGenerate, line, 1).next());
      add(seed_for(seed, Purpose::kJudging, line));
      add(RandomStream(seed_for(seed, Purpose::kBenchRun, line), Purpose::kGenerate, 0).next());
    }
  }
  EXPECT_EQ(firsts.size(), names);
}

TEST(Random, ASeedForAPartCanBeGivenAsAnOption) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_LE(seed_for(seed, Purpose::kJudging), static_cast<uint64_t>(INT64_MAX));
  }
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

TEST(TextReader, NamesALineThatIsNoTextAndReadsOnBehindIt) {
  TempFolder folder;
  fs::path path = folder.path() / "lines";
  put(path, std::string("one\n\nK\xe4hne\nzero ") + '\0' + "\nlast");
  TextReader reader(path.string());
  Lines lines;
  Lines errors;
  for (bool more = true; more;) {
    std::string line;
    try {
      more = reader.next(line);
      if (more) lines.push_back(line);
    } catch (const BadLine& bad) {
      EXPECT_TRUE(std::string(bad.what()).starts_with(reader.place() + ": ")) << bad.what();
      errors.push_back(bad.what());
    }
  }
  EXPECT_EQ(lines, (Lines{"one", "", "last"}));
  ASSERT_EQ(errors.size(), 2U);
  expect_contains(errors[0], "lines', line 3: not UTF-8 at byte 2");
  expect_contains(errors[1], "lines', line 4: byte 6");
  EXPECT_EQ(reader.line_number(), 5);
  expect_contains(message_of<DataError>([&] { read_lines(path.string()); }), "line 3: not UTF-8");
  put(path, "\none\r\n\n");
  EXPECT_EQ(read_lines(path.string()), (Lines{"", "one", ""}));
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
      {"in\rside\n", {"in\rside"}}};
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

/// Lines packed as one piece of gzip.
std::string packed(const fs::path& folder, const std::string& text) {
  write_file(folder / "piece.gz", text);
  return read_file(folder / "piece.gz");
}

TEST(Files, PiecesOfGzipAreOneText) {
  TempFolder folder;
  auto path = folder.path() / "pieces.gz";
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + "\n";  // more than any buffer
  put(path, packed(folder.path(), "a\nb") + packed(folder.path(), "") +
                packed(folder.path(), "c\n" + text) + packed(folder.path(), "last"));
  Lines lines = read_all(path);
  ASSERT_EQ(lines.size(), 50'003U);
  EXPECT_EQ(lines[1], "bc");
  EXPECT_EQ(lines[50'001], "49999");
  EXPECT_EQ(lines.back(), "last");
  put(path, packed(folder.path(), ""));
  EXPECT_EQ(read_all(path), Lines{});
}

TEST(Files, WhatIsNotGzipToItsEndIsRefused) {
  TempFolder folder;
  auto path = folder.path() / "lines.gz";
  std::string piece = packed(folder.path(), "a\nb\n");
  auto message = [&](const std::string& content) {
    put(path, content);
    return message_of<DataError>([&] { read_all(path); });
  };
  for (const char* content : {"", "a", "plain text\n"}) {
    expect_contains(message(content), "lines.gz' is called .gz but is not gzip");
  }
  for (const std::string& junk :
       {std::string("x"), std::string("more text\n"), std::string(4, '\0')}) {
    expect_contains(message(piece + junk), "lines.gz' has other bytes behind");
  }
  for (size_t size = 1; size < piece.size(); ++size) {
    expect_contains(message(piece + piece.substr(0, size)), "lines.gz");
    if (size > 1) expect_contains(message(piece.substr(0, size)), "cut short");
  }
  EXPECT_EQ(message(piece + piece), "");
}

TEST(Files, ZeroBytesAreBadLinesAndTheNextLineIsRead) {
  TempFolder folder;
  auto path = folder.path() / "zeros";
  put(path, std::string("fine\nab\0cd\0\nfine again\n", 23));
  LineReader reader(path.string());
  std::string line;
  ASSERT_TRUE(reader.next(line));
  auto message = message_of<BadLine>([&] { reader.next(line); });
  expect_contains(message, "zeros', line 2: byte 3 ");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "fine again");
  EXPECT_EQ(reader.line_number(), 3);
  EXPECT_FALSE(reader.next(line));
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

TEST(Files, WhatMayHaveNoEndIsRefused) {
  TempFolder folder;
  auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {fs::path("/dev/zero"), pipe}) {
    auto message = message_of<DataError>([&] { read_file(path); });
    expect_contains(message, path.string());
    expect_contains(message, "regular file");
    EXPECT_THROW(size_of_file(path), DataError);
  }
  auto message = message_of<DataError>([&] { read_all("/dev/zero"); });
  expect_contains(message, "'/dev/zero', line 1: ");
  expect_contains(message, "line end");
}

TEST(Files, LinesHaveABound) {
  TempFolder folder;
  auto path = folder.path() / "long.gz";
  auto write = [&](size_t length) {
    constexpr size_t kPart = 1 << 20;
    OutputFile file(path.string());
    file.write_line("short");
    for (; length > 0; length -= std::min(length, kPart)) {
      file.write(std::string(std::min(length, kPart), 'a'));
    }
    file.write("\nshort\n");
    file.commit();
  };
  write(LineReader::kMostLineBytes);
  EXPECT_EQ(read_all(path).size(), 3U);
  write(LineReader::kMostLineBytes + 1);
  expect_contains(message_of<DataError>([&] { read_all(path); }), "long.gz', line 2: ");
}

TEST(Files, TheStartOfAFile) {
  TempFolder folder;
  auto path = folder.path() / "file";
  put(path, "a barge");
  EXPECT_EQ(read_start(path, 3), "a b");
  EXPECT_EQ(read_start(path, 7), "a barge");
  EXPECT_EQ(read_start(path, 1000), "a barge");
  EXPECT_EQ(read_start(path, 0), "");
  EXPECT_EQ(size_of_file(path), 7U);
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
  EXPECT_EQ(checksum({}, checksum("123456789")), 0xcbf43926U);
}

}  // namespace
}  // namespace bough
