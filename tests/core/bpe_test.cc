// Byte-pair encoding: subword-nmt's codes and output, plain re-implementations, and laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/random.h"
#include "bough/text/bpe_learn.h"
#include "bough/text/bpe_splitter.h"
#include "bough/text/tokenizer.h"
#include "error_messages.h"
#include "golden_metrics.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;

BpeCodes golden_codes() {
  return BpeCodes::load(golden_path("bpe_codes_500.txt"));
}

/// Words between blanks, as the reference counts them.
WordCounts counts_of(const Words& lines) {
  WordCounts counts;
  for (const std::string& line : lines) {
    for (const std::string& word : Tokenizer({.pretokenized = true}).split(line)) ++counts[word];
  }
  return counts;
}

BpeCodes codes_of(std::initializer_list<std::pair<const char*, const char*>> merges) {
  BpeCodes codes;
  for (const auto& [left, right] : merges) codes.merges.push_back({left, right});
  return codes;
}

// ---- golden values

void expect_golden(const BpeOptions& options, const std::string& name) {
  Bpe bpe(golden_codes(), options);
  BpeSplitter splitter(bpe);
  Words input = golden_lines("bpe_apply_in.txt");
  Words expected = golden_lines(name);
  ASSERT_EQ(input.size(), 200U);
  ASSERT_EQ(expected.size(), input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    EXPECT_EQ(splitter.split_line(input[i]), expected[i]) << name << ", line " << i + 1;
    EXPECT_EQ(join_bpe_line(expected[i]), input[i]);
  }
}

TEST(BpeGolden, Applied) {
  expect_golden({}, "bpe_apply_out.txt");
}

TEST(BpeGolden, TheFirstMerges) {
  expect_golden({.first_merges = 200}, "bpe_apply_out_m200.txt");
}

TEST(BpeGolden, Glossaries) {
  expect_golden({.glossaries = {"She", "the"}}, "bpe_apply_out_glossary.txt");
}

TEST(BpeGolden, VocabularyWithAThreshold) {
  expect_golden({.vocabulary = golden_path("bpe_vocab.txt"), .vocabulary_threshold = 20},
                "bpe_apply_out_vocab20.txt");
}

TEST(BpeGolden, Learned) {
  WordCounts counts = counts_of(golden_lines("bpe_train.txt"));
  BpeCodes learned = learn_bpe(counts, {.merges = 500});
  EXPECT_EQ(learned, golden_codes());
  TempFolder folder;
  learned.save(folder.path() / "codes");
  EXPECT_EQ(read_file(folder.path() / "codes"), read_file(golden_path("bpe_codes_500.txt")));
}

TEST(BpeGolden, VocabularyOfTheTrainingText) {
  Bpe bpe(golden_codes());
  BpeSplitter splitter(bpe);
  Words lines;
  for (const std::string& line : golden_lines("bpe_train.txt")) {
    lines.push_back(splitter.split_line(line));
  }
  EXPECT_EQ(counts_of(lines), read_bpe_vocabulary(golden_path("bpe_vocab.txt")));
}

// ---- plain re-implementations

using Symbols = std::vector<std::string>;

Symbols start_of(const std::string& word, bool separate_end) {
  Symbols symbols;
  for (auto character : bpe_characters(word)) symbols.emplace_back(character);
  if (separate_end) symbols.emplace_back("</w>");
  if (!separate_end) symbols.back() += "</w>";
  return symbols;
}

Symbols merged(const Symbols& symbols, const BpeMerge& merge) {
  Symbols result;
  for (size_t i = 0; i < symbols.size(); ++i) {
    bool fits = i + 1 < symbols.size() && symbols[i] == merge.left && symbols[i + 1] == merge.right;
    result.push_back(fits ? symbols[i] + symbols[i + 1] : symbols[i]);
    if (fits) ++i;
  }
  return result;
}

bool fits(const Symbols& symbols, const BpeMerge& merge) {
  return merged(symbols, merge).size() < symbols.size();
}

/// The earliest merge that fits, again and again.
Words plain_split(const BpeCodes& codes, const std::string& word) {
  Symbols symbols = start_of(word, codes.separate_end);
  for (;;) {
    auto next = std::find_if(codes.merges.begin(), codes.merges.end(),
                             [&](const BpeMerge& merge) { return fits(symbols, merge); });
    if (next == codes.merges.end()) break;
    symbols = merged(symbols, *next);
  }
  symbols.back().resize(symbols.back().size() - 4);
  if (symbols.back().empty()) symbols.pop_back();
  for (size_t i = 0; i + 1 < symbols.size(); ++i) symbols[i] += "@@";
  return symbols;
}

/// Counts everything anew before each merge.
BpeCodes plain_learn(const WordCounts& counts, const BpeLearnOptions& options) {
  std::vector<std::pair<Symbols, int64_t>> words;
  for (const auto& [word, count] : counts) words.emplace_back(start_of(word, false), count);
  BpeCodes codes;
  while (static_cast<int64_t>(codes.merges.size()) < options.merges) {
    std::map<std::pair<std::string, std::string>, int64_t> pairs;
    for (const auto& [symbols, count] : words) {
      for (size_t i = 0; i + 1 < symbols.size(); ++i) pairs[{symbols[i], symbols[i + 1]}] += count;
    }
    auto best = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second, a.first) < std::tie(b.second, b.first);
    });
    if (best == pairs.end() || best->second < options.min_frequency) break;
    codes.merges.push_back({best->first.first, best->first.second});
    for (auto& [symbols, count] : words) symbols = merged(symbols, codes.merges.back());
  }
  return codes;
}

/// Few letters, so that pairs overlap and a symbol is made in several ways.
std::string random_word(RandomStream& random, uint64_t longest) {
  constexpr std::array<const char*, 5> kLetters = {"a", "b", "@", "ä", "大"};
  std::string word;
  for (uint64_t left = 1 + random.below(longest); left > 0; --left) {
    word += kLetters[random.below(1 + random.below(kLetters.size()))];
  }
  return word;
}

WordCounts random_counts(RandomStream& random, uint64_t longest) {
  WordCounts counts;
  for (uint64_t left = 1 + random.below(30); left > 0; --left) {
    counts[random_word(random, longest)] = static_cast<int64_t>(1 + random.below(9));
  }
  return counts;
}

TEST(BpeLearn, IsWhatCountingAnewGives) {
  for (uint64_t i = 0; i < 150; ++i) {
    RandomStream random(1, Purpose::kTest, i);
    WordCounts counts = random_counts(random, i % 10 == 0 ? 60 : 8);
    BpeLearnOptions options{.merges = 200, .min_frequency = static_cast<int64_t>(1 + i % 4)};
    EXPECT_EQ(learn_bpe(counts, options), plain_learn(counts, options)) << i;
  }
}

TEST(BpeLearn, LongerCodesStartWithTheShorterOnes) {
  WordCounts counts = counts_of(golden_lines("bpe_apply_in.txt"));
  BpeCodes all = learn_bpe(counts, {.merges = 1'000'000});
  for (int64_t merges : {0, 1, 77}) {
    BpeCodes some = learn_bpe(counts, {.merges = merges});
    ASSERT_EQ(some.merges.size(), static_cast<size_t>(merges));
    EXPECT_TRUE(std::equal(some.merges.begin(), some.merges.end(), all.merges.begin()));
  }
  // Then every word that occurs twice is whole.
  Bpe bpe(all);
  for (const auto& [word, count] : counts) {
    if (count > 1) {
      EXPECT_EQ(bpe.split_word(word), Words{word});
    }
  }
}

TEST(BpeLearn, OfEqualPairsTheLastOne) {
  // `é` stands behind `z` and before `大` in the order of code points, as in that of bytes.
  EXPECT_EQ(learn_bpe({{"az", 3}, {"大b", 3}, {"éb", 3}, {"大a", 3}}, {.merges = 9}),
            codes_of({{"大", "b</w>"}, {"大", "a</w>"}, {"é", "b</w>"}, {"a", "z</w>"}}));
  EXPECT_EQ(learn_bpe({{"ab", 1}, {"cd", 2}, {"e", 9}}, {.merges = 9}), codes_of({{"c", "d</w>"}}));
}

TEST(BpeLearn, OddWords) {
  EXPECT_EQ(learn_bpe({}, {}), BpeCodes());
  EXPECT_EQ(learn_bpe({{"", 5}, {"ab", 0}, {"cd", -3}}, {}), BpeCodes());
  for (const char* word : {"a b", "a\n", "\rb"}) {
    expect_contains(message_of<DataError>([&] { learn_bpe({{word, 2}}, {}); }), "a blank");
  }
}

TEST(Bpe, IsWhatPlainMergingGives) {
  for (uint64_t i = 0; i < 150; ++i) {
    RandomStream random(2, Purpose::kTest, i);
    BpeCodes codes = learn_bpe(random_counts(random, 8), {.merges = 60, .min_frequency = 1});
    std::reverse(codes.merges.begin(), codes.merges.begin() + codes.merges.size() / 2);
    if (i % 3 == 0)
      codes.merges.insert(codes.merges.end(), codes.merges.begin(), codes.merges.end());
    Bpe bpe(codes);
    for (int word = 0; word < 20; ++word) {
      std::string text = random_word(random, 30) + "a";
      EXPECT_EQ(bpe.split_word(text), plain_split(codes, text)) << text;
    }
  }
}

// ---- applying

TEST(Bpe, AllPlacesOfAMergeBeforeTheNext) {
  // With the first `bc` alone, `bcb` would come next, as it stands before `b c`.
  BpeCodes codes = codes_of({{"bc", "b"}, {"b", "c"}});
  EXPECT_EQ(Bpe(codes).split_word("bcbcx"), (Words{"bc@@", "bc@@", "x"}));
  EXPECT_EQ(Bpe(codes_of({{"a", "a"}})).split_word("aaaaax"), (Words{"aa@@", "aa@@", "a@@", "x"}));
}

TEST(Bpe, OnlyBlanksPartWords) {
  Bpe bpe(codes_of({{"a", "b</w>"}}));
  BpeSplitter splitter(bpe);
  EXPECT_EQ(splitter.split_line("  ab   b\u00a0ab \r\n"), "  ab b@@ \u00a0@@ ab \r\n");
  EXPECT_EQ(splitter.split_line("\t"), "\t");
  EXPECT_EQ(splitter.split_line("   "), "   ");
  EXPECT_EQ(splitter.split_line(""), "");
  EXPECT_EQ(splitter.split(Words{"ab", "ba", "ab"}), (Words{"ab", "b@@", "a", "ab"}));
}

TEST(Bpe, BytesThatAreNoCharactersAreKept) {
  Bpe bpe(codes_of({{"a", "b</w>"}}));
  EXPECT_EQ(bpe.split_word("\xff\xe5\xa4"
                           "ab"),
            (Words{"\xff@@", "\xe5\xa4@@", "ab"}));
  EXPECT_EQ(bpe.split_word(""), Words());
}

TEST(Bpe, VersionOneHasTheEndApart) {
  BpeCodes codes = codes_of({{"l", "o"}, {"lo", "w"}, {"low", "</w>"}, {"e", "r"}});
  codes.separate_end = true;
  EXPECT_EQ(Bpe(codes).split_word("low"), Words{"low"});
  EXPECT_EQ(Bpe(codes).split_word("lower"), (Words{"low@@", "er"}));
  EXPECT_EQ(Bpe(codes).split_word("l"), Words{"l"});
  codes.separate_end = false;
  EXPECT_EQ(Bpe(codes).split_word("low"), (Words{"lo@@", "w"}));
  TempFolder folder;
  put(folder.path() / "vocabulary", "lo@@ 1\n");
  codes.separate_end = true;
  Bpe bpe(codes, {.vocabulary = folder.path() / "vocabulary"});
  EXPECT_EQ(bpe.split_word("low"), (Words{"lo@@", "w"}));
  EXPECT_EQ(bpe.split_word("er"), (Words{"e@@", "r"}));
}

TEST(Bpe, Glossaries) {
  BpeCodes codes = codes_of({{"1", "9"}, {"S", "h"}, {"h", "e</w>"}});
  Bpe bpe(codes, {.glossaries = {"USA", "She"}});
  EXPECT_EQ(bpe.split_word("19USABUSAhe"), (Words{"1@@", "9@@", "USA@@", "B@@", "USA@@", "he"}));
  EXPECT_EQ(bpe.split_word("She"), Words{"She"});
  EXPECT_EQ(bpe.split_word("USAUSA"), (Words{"USA@@", "USA"}));
  // The text before a glossary is encoded as if it were a word.
  EXPECT_EQ(bpe.split_word("heUSA"), (Words{"he@@", "USA"}));
  // In their order, and a later one cuts an earlier one.
  EXPECT_EQ(Bpe(codes, {.glossaries = {"She", "he"}}).split_word("Shea"),
            (Words{"S@@", "he@@", "a"}));
  EXPECT_THROW(Bpe(codes, {.glossaries = {""}}), UsageError);
  EXPECT_THROW(Bpe(codes, {.glossaries = {"x@@"}}), UsageError);
}

TEST(Bpe, ASeparatorInTheTextSurvives) {
  BpeCodes codes = codes_of({{"@", "@</w>"}, {"a", "@@</w>"}, {"@", "@"}});
  Bpe bpe(codes);
  EXPECT_EQ(bpe.split_word("a@@"), (Words{"a@@@", "@"}));
  EXPECT_EQ(bpe.split_word("@@a"), (Words{"@@@@", "a"}));
  for (const char* word : {"@", "@@", "@@@", "@@@@", "a@@", "@@a", "a@@a", "@a@"}) {
    EXPECT_EQ(join_bpe(bpe.split_word(word)), Words{word});
  }
}

// ---- laws

TEST(BpeLaws, JoiningGivesTheTextBack) {
  TempFolder folder;
  for (uint64_t i = 0; i < 100; ++i) {
    RandomStream random(3, Purpose::kTest, i);
    BpeCodes codes = learn_bpe(random_counts(random, 6), {.merges = 40, .min_frequency = 1});
    codes.separate_end = i % 5 == 0;
    BpeOptions options;
    if (i % 2 == 0) options.glossaries = {"ab", "@a"};
    if (i % 3 == 0) options.vocabulary = folder.path() / "vocabulary";
    put(folder.path() / "vocabulary", "a 3\na@@ 3\nab 2\nbb@@ 2\nä@@ 1\n@@@@ 1\n");
    Bpe bpe(codes, options);
    BpeSplitter splitter(bpe);
    for (int sentence = 0; sentence < 20; ++sentence) {
      Words words;
      for (uint64_t left = random.below(8); left > 0; --left) {
        words.push_back(random_word(random, 12));
      }
      EXPECT_EQ(join_bpe(splitter.split(words)), words);
      std::string line = join_words(words);
      EXPECT_EQ(splitter.split_line(line), join_words(splitter.split(words)));
      EXPECT_EQ(join_bpe_line(splitter.split_line(line)), line);
    }
  }
}

TEST(BpeLaws, WithAVocabularyNoRarePieceCanBeCut) {
  BpeCodes codes = golden_codes();
  WordCounts known = read_bpe_vocabulary(golden_path("bpe_vocab.txt"));
  for (int64_t threshold : {1, 10, 50, 300, 1'000'000}) {
    Bpe bpe(codes, {.vocabulary = golden_path("bpe_vocab.txt"), .vocabulary_threshold = threshold});
    int64_t rare = 0;
    for (const auto& [word, count] : counts_of(golden_lines("bpe_apply_in.txt"))) {
      Words pieces = bpe.split_word(word);
      for (size_t i = 0; i < pieces.size(); ++i) {
        auto found = known.find(pieces[i]);
        if (found != known.end() && found->second >= threshold) continue;
        ++rare;
        bool is_last = i + 1 == pieces.size();
        std::string piece = pieces[i].substr(0, pieces[i].size() - (is_last ? 0 : 2));
        EXPECT_EQ(bpe.merge_that_makes(piece, is_last), nullptr) << piece;
        EXPECT_EQ(bpe_characters(piece).size(), 1U) << piece;
      }
    }
    EXPECT_GT(rare, 0);
  }
}

TEST(BpeLaws, JoiningTakesWhatAModelWrites) {
  EXPECT_EQ(join_bpe(Words{"a@@", "@@", "b", "c@@"}), (Words{"ab", "c"}));
  EXPECT_EQ(join_bpe(Words{"@@"}), Words{""});
  EXPECT_EQ(join_bpe(Words{}), Words());
  EXPECT_EQ(join_bpe_line("a@@ @@ b c@@"), "ab c");
  EXPECT_EQ(join_bpe_line("c@@ "), "c");
  EXPECT_EQ(join_bpe_line(""), "");
}

// ---- files

TEST(BpeCodes, RoundTripThroughAFile) {
  TempFolder folder;
  BpeCodes codes = codes_of({{"é", "大"}, {"#version:", "0.2</w>"}, {"a", "b"}, {"a", "b"}});
  for (bool separate_end : {false, true}) {
    codes.separate_end = separate_end;
    codes.save(folder.path() / "codes");
    EXPECT_EQ(BpeCodes::load(folder.path() / "codes"), codes);
  }
  BpeCodes().save(folder.path() / "codes");
  EXPECT_EQ(BpeCodes::load(folder.path() / "codes"), BpeCodes());
}

TEST(BpeCodes, WithoutAVersionTheyAreOfTheFirst) {
  TempFolder folder;
  put(folder.path() / "codes", "a b\r\nab </w>\n\n\n");
  BpeCodes codes = BpeCodes::load(folder.path() / "codes");
  EXPECT_TRUE(codes.separate_end);
  EXPECT_EQ(codes.merges, codes_of({{"a", "b"}, {"ab", "</w>"}}).merges);
}

TEST(BpeCodes, ErrorsNameFileAndLine) {
  TempFolder folder;
  auto load = [&](const std::string& content) {
    put(folder.path() / "codes", content);
    return message_of<DataError>([&] { BpeCodes::load(folder.path() / "codes"); });
  };
  EXPECT_EQ(load("#version: 0.2\na b\n"), "");
  expect_contains(load("#version: 0.2\na b\na b c\n"), "codes', line 3: expected the two symbols");
  expect_contains(load("#version: 0.2\nab\n"), "codes', line 2: expected the two symbols");
  expect_contains(load("#version: 0.2\na  b\n"), "codes', line 2");
  expect_contains(load("#version: 0.2\na b\n\nc d\n"), "codes', line 3: the line is empty");
  expect_contains(load("#version: 0.2\na \xff\n"), "codes', line 2: not UTF-8");
  expect_contains(load("#version: 0.3\na b\n"), "line 1: codes of version '0.3'");
  expect_contains(load("#version: 0.2 byte\na b\n"), "line 1: codes of version '0.2 byte'");
  expect_contains(load(""), "codes' is empty");
  expect_contains(message_of<DataError>([&] { BpeCodes::load(folder.path() / "none"); }), "none");
}

TEST(BpeVocabulary, RoundTripAndErrors) {
  TempFolder folder;
  auto path = folder.path() / "vocabulary";
  WordCounts counts = {{"the", 9}, {"s@@", 12}, {"大", 9}};
  write_bpe_vocabulary(path, counts);
  EXPECT_EQ(read_file(path), "s@@ 12\nthe 9\n大 9\n");
  EXPECT_EQ(read_bpe_vocabulary(path), counts);
  for (const char* bad : {"the 9\na\n", "the 9\na b c\n", "the 9\na 3x\n", "the 9\n\nb 1\n"}) {
    put(path, bad);
    expect_contains(message_of<DataError>([&] { read_bpe_vocabulary(path); }),
                    "vocabulary', line 2");
  }
  expect_contains(message_of<DataError>([&] { Bpe({}, {.vocabulary = folder.path() / "none"}); }),
                  "none");
}

TEST(BpeOptions, AreDeclared) {
  OptionSet set;
  BpeOptions options;
  BpeLearnOptions learn;
  options.declare(set);
  learn.declare(set);
  set.set("bpe-first-merges", "7", "--bpe-first-merges");
  set.set("bpe-glossaries", "USA", "--bpe-glossaries");
  set.set("bpe-vocabulary", "v", "--bpe-vocabulary");
  set.set("bpe-vocabulary-threshold", "50", "--bpe-vocabulary-threshold");
  set.set("bpe-merges", "40000", "--bpe-merges");
  set.set("bpe-min-frequency", "3", "--bpe-min-frequency");
  EXPECT_EQ(options.first_merges, 7);
  EXPECT_EQ(options.glossaries, Words{"USA"});
  EXPECT_EQ(options.vocabulary, "v");
  EXPECT_EQ(options.vocabulary_threshold, 50);
  EXPECT_EQ(learn.merges, 40'000);
  EXPECT_EQ(learn.min_frequency, 3);
}

}  // namespace
}  // namespace bough
