// `bough data`: corpora from files of others, statistics, and what happens to bad files.
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/file.h"
#include "program.h"
#include "temp_folder.h"

namespace bough {
namespace {

/// Whether the folder is missing: nothing is left of an attempt, not even its folder.
testing::AssertionResult untouched(const fs::path& folder) {
  if (!fs::exists(folder)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << folder.string() << " was left behind";
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

Words split_words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

using Names = std::set<std::string>;

// ---- wordnet

TEST(DataWordnet, GivesAboutFortyEightThousandSentencesInThreeSplits) {
  TempFolder folder;
  Outcome outcome = bough({"data", "wordnet", "--out", folder.path(), "--lowercase"});
  ASSERT_TRUE(fine(outcome));
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(has(outcome.err, "training"));
  EXPECT_EQ(names_in(folder.path()), (Names{"train.txt", "valid.txt", "test.txt"}));
  std::set<std::string> seen;
  std::vector<size_t> sizes;
  for (const char* name : {"train.txt", "valid.txt", "test.txt"}) {
    Words lines = lines_of(folder.path() / name);
    sizes.push_back(lines.size());
    for (const std::string& line : lines) {
      EXPECT_TRUE(seen.insert(line).second) << "twice: " << line;
      EXPECT_EQ(line.find_first_of("\"ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos) << line;
      for (const std::string& word : split_words(line)) {
        EXPECT_TRUE(word == "," || word.find(',') == std::string::npos) << line;
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(seen.size()), 48'000.0, 1'500.0);
  EXPECT_NEAR(static_cast<double>(sizes[1]), static_cast<double>(seen.size()) / 20, 300.0);
  EXPECT_NEAR(static_cast<double>(sizes[2]), static_cast<double>(seen.size()) / 20, 300.0);
}

constexpr const char* kGloss =
    "00001 04 n 01 kite 0 000 | a toy that flies; \"the kite rose\"; \"they flew a kite, too\"\n";

/// WordNet's four files, of which one has `verb` in it.
void put_wordnet(const fs::path& folder, const std::string& verb) {
  for (const char* name : {"data.noun", "data.adj", "data.adv"}) put(folder / name, kGloss);
  put(folder / "data.verb", kGloss + verb);
}

TEST(DataWordnet, ReadsAFolderOfItsFormat) {
  TempFolder folder;
  put_wordnet(folder.path(), "  a line of the licence\n");
  fs::path out = folder.path() / "new" / "out";
  ASSERT_TRUE(fine(bough({"data", "wordnet", "--folder", folder.path(), "--out", out})));
  Names all;
  for (const char* name : {"train.txt", "valid.txt", "test.txt"}) {
    for (const std::string& line : lines_of(out / name)) all.insert(line);
  }
  EXPECT_EQ(all, (Names{"the kite rose", "they flew a kite , too"}));
}

TEST(DataWordnet, BadFilesAreNamedAndLeaveNothingBehind) {
  TempFolder folder;
  put_wordnet(folder.path() / "short", "00002 a line without any gloss\n");
  put_wordnet(folder.path() / "bytes", "00002 | \"bad \xff byte\"\n");
  fs::path out = folder.path() / "out";
  auto call = [&](const fs::path& from) -> Words {
    return {"data", "wordnet", "--folder", from, "--out", out};
  };
  expect_refused({{call("/nowhere"), 3, {"/nowhere", "wordnet-base"}},
                  {call(folder.path() / "short"), 3, {"short/data.verb', line 2", "gloss"}},
                  {call(folder.path() / "bytes"), 3, {"bytes/data.verb', line 2", "UTF-8"}}});
  EXPECT_TRUE(untouched(out));
}

TEST(DataWordnet, ACorpusIsReplacedOnDemandOnly) {
  TempFolder folder;
  put_wordnet(folder.path(), "");
  fs::path out = folder.path() / "out";
  put(out / "valid.txt", "mine\n");
  put(out / "notes", "about it\n");
  Words call = {"data", "wordnet", "--folder", folder.path(), "--out", out};
  expect_refused({{call, 2, {(out / "valid.txt").string(), "--force"}}});
  EXPECT_EQ(names_in(out), (Names{"notes", "valid.txt"}));
  EXPECT_EQ(lines_of(out / "valid.txt"), Words{"mine"});
  ASSERT_TRUE(fine(bough(call + Words{"--force"})));
  EXPECT_EQ(names_in(out), (Names{"notes", "test.txt", "train.txt", "valid.txt"}));
  EXPECT_NE(lines_of(out / "valid.txt"), Words{"mine"});
  EXPECT_EQ(lines_of(out / "notes"), Words{"about it"});
}

TEST(DataWordnet, AFailureKeepsWhatWasThere) {
  TempFolder folder;
  put_wordnet(folder.path(), "");
  fs::path out = folder.path() / "out";
  put(out / "train.txt", "mine\n");
  put(out / "test.txt" / "in the way", "");
  expect_refused({{{"data", "wordnet", "--folder", folder.path(), "--out", out, "--force"},
                   3,
                   {(out / "test.txt").string(), "folder"}}});
  EXPECT_EQ(names_in(out), (Names{"test.txt", "train.txt"}));
  EXPECT_EQ(lines_of(out / "train.txt"), Words{"mine"});
}

// ---- ding

void expect_aligned(const fs::path& folder, size_t low, size_t high) {
  EXPECT_EQ(names_in(folder),
            (Names{"train.de", "train.en", "valid.de", "valid.en", "test.de", "test.en"}));
  size_t total = 0;
  for (const char* split : {"train", "valid", "test"}) {
    Words german = lines_of(folder / (std::string(split) + ".de"));
    Words english = lines_of(folder / (std::string(split) + ".en"));
    EXPECT_EQ(german.size(), english.size());
    for (size_t i = 0; i < german.size(); ++i)
      EXPECT_FALSE(german[i].empty() || english[i].empty());
    total += german.size();
  }
  EXPECT_GE(total, low);
  EXPECT_LE(total, high);
}

TEST(DataDing, GivesAlignedSentencesAndPhrasesOnDemand) {
  TempFolder folder;
  fs::path sentences = folder.path() / "sentences";
  fs::path phrases = folder.path() / "phrases";
  auto outcomes = bough_each(
      {{"data", "ding", "--out", sentences}, {"data", "ding", "--out", phrases, "--phrases"}});
  ASSERT_TRUE(fine(outcomes[0]));
  ASSERT_TRUE(fine(outcomes[1]));
  EXPECT_EQ(outcomes[0].out + outcomes[1].out, "");
  expect_aligned(sentences, 17'000, 23'000);
  expect_aligned(phrases, 50'000, 200'000);
}

TEST(DataDing, BadFilesAreNamedAndLeaveNothingBehind) {
  TempFolder folder;
  fs::path out = folder.path() / "out";
  put(folder.path() / "plain", "# a comment\nDas ist gut. :: That is good.\nno English here\n");
  put(folder.path() / "bytes", "Das ist gut. :: That is good.\nSch\xf6n. :: Nice.\n");
  auto call = [&](const fs::path& from) -> Words {
    return {"data", "ding", "--file", from, "--out", out};
  };
  expect_refused({{call("/nowhere"), 3, {"/nowhere", "trans-de-en"}},
                  {call(folder.path() / "plain"), 3, {"plain', line 3", "::"}},
                  {call(folder.path() / "bytes"), 3, {"bytes', line 2", "UTF-8"}}});
  EXPECT_TRUE(untouched(out));
}

TEST(DataDing, FilesOfOtherLanguagesAreNotInTheWay) {
  TempFolder folder;
  fs::path out = folder.path() / "out";
  put(folder.path() / "pairs", "Das ist gut. :: That is good.\n");
  put(out / "train.txt", "mine\n");
  Words call = {"data", "ding", "--file", folder.path() / "pairs", "--out", out};
  ASSERT_TRUE(fine(bough(call)));
  expect_refused({{call, 2, {(out / "train.de").string(), "--force"}}});
  fs::remove(out / "train.de");
  expect_refused({{call, 2, {(out / "train.en").string(), "--force"}}});
}

// ---- personachat

constexpr const char* kDialogue =
    "1 your persona: I keep bees.\n"
    "2 partner's persona: my boat is blue.\n"
    "3 hi , who are you ?\ti am a baker .\t\ta candidate|i am a baker .\n"
    "4 __SILENCE__\tdo you bake rye bread ?\n"
    "1 your persona: I keep bees.\n";

TEST(DataPersonachat, TakesEverySentenceOfParlaisTextOnceASplit) {
  TempFolder folder;
  fs::path out = folder.path() / "out";
  put(folder.path() / "train_both_original.txt", kDialogue);
  put(folder.path() / "train_both_revised.txt", "1 your persona: insects are my hobby.\n");
  put(folder.path() / "valid_both_original.txt", "1 hello !\tI keep bees.\n");
  ASSERT_TRUE(
      fine(bough({"data", "personachat", "--raw", folder.path(), "--out", out, "--lowercase"})));
  EXPECT_EQ(names_in(out), (Names{"train.txt", "valid.txt"}));
  EXPECT_EQ(lines_of(out / "train.txt"),
            (Words{"i keep bees .", "my boat is blue .", "hi , who are you ?", "i am a baker .",
                   "do you bake rye bread ?", "insects are my hobby ."}));
  EXPECT_EQ(lines_of(out / "valid.txt"), (Words{"hello !", "i keep bees ."}));
}

TEST(DataPersonachat, TakesEverySentenceOfTheJson) {
  TempFolder folder;
  fs::path raw = folder.path() / "chat.json";
  put(raw, R"({"train": [{"personality": ["i keep bees ."], "utterances": [
        {"history": ["hello !"], "candidates": ["a wrong reply", "good day ."]},
        {"history": ["hello !", "good day .", "it rains ."], "candidates": ["yes ."]}]}],
      "test": [{"personality": ["my boat is blue ."], "utterances": []}]})");
  fs::path out = folder.path() / "out";
  ASSERT_TRUE(fine(bough({"data", "personachat", "--raw", raw, "--out", out})));
  EXPECT_EQ(names_in(out), (Names{"train.txt", "test.txt"}));
  EXPECT_EQ(lines_of(out / "train.txt"),
            (Words{"i keep bees .", "hello !", "good day .", "it rains .", "yes ."}));
  EXPECT_EQ(lines_of(out / "test.txt"), Words{"my boat is blue ."});
}

TEST(DataPersonachat, BadFilesAreNamedAndLeaveNothingBehind) {
  TempFolder folder;
  fs::path out = folder.path() / "out";
  put(folder.path() / "text" / "train_both_original.txt", "1 your persona: fine.\nno number\n");
  put(folder.path() / "cut.json", R"({"train": [{"personality": ["a)");
  put(folder.path() / "odd.json", R"({"train": [{"personality": "a", "utterances": []}]})");
  fs::create_directories(folder.path() / "empty");
  auto call = [&](const fs::path& raw) -> Words {
    return {"data", "personachat", "--raw", raw, "--out", out};
  };
  expect_refused(
      {{call(folder.path() / "empty"), 3, {"empty", "train_both_original.txt"}},
       {call(folder.path() / "text"), 3, {"train_both_original.txt', line 2", "no number"}},
       {call(folder.path() / "cut.json"), 3, {"cut.json", "JSON"}},
       {call(folder.path() / "odd.json"), 3, {"odd.json", "personality", "list of strings"}}});
  EXPECT_TRUE(untouched(out));
}

TEST(DataPersonachat, AFileInTheWayOfTheFolderIsNamedAndKept) {
  TempFolder folder;
  put(folder.path() / "raw" / "train_none_original.txt", "1 hello !\tgood day .\n");
  fs::path out = folder.path() / "out";
  put(out, "mine\n");
  expect_refused(
      {{{"data", "personachat", "--raw", folder.path() / "raw", "--out", out}, 3, {out.string()}}});
  EXPECT_EQ(lines_of(out), Words{"mine"});
}

// ---- iwslt

TEST(DataIwslt, BadFilesAreNamedAndLeaveNothingBehind) {
  TempFolder folder;
  put(folder.path() / "train.tags.de-en.de", "eins\nzwei\n");
  put(folder.path() / "train.tags.de-en.en", "one\n");
  Words call = {"data", "iwslt", "--raw", folder.path(), "--out", folder.path() / "new" / "out"};
  expect_refused({{call, 3, {"train.tags.de-en.de' has 2 segments", "has 1"}}});
  put(folder.path() / "train.tags.de-en.en", "one\ntwo\n");
  expect_refused({{call, 3, {"IWSLT16.TED.tst2013.de-en.de.xml"}}});
  EXPECT_TRUE(untouched(folder.path() / "new"));
}

// ---- stats

constexpr const char* kThreeLines = "the owl sees the owl .\n\nit rains\nthe end .\n";

TEST(DataStats, CountLinesTokensVocabularyAndLengths) {
  TempFolder folder;
  fs::path plain = folder.path() / "three.txt";
  put(plain, kThreeLines);
  fs::path zipped = folder.path() / "three.txt.gz";
  write_file(zipped, kThreeLines);
  ASSERT_EQ(read_file(zipped).substr(0, 2), "\x1f\x8b");
  Outcome outcome = bough({"data", "stats", "--json", plain, zipped});
  ASSERT_TRUE(fine(outcome));
  EXPECT_EQ(outcome.err, "");
  auto objects = json_lines(split_lines(outcome.out));
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0]["file"], plain.string());
  EXPECT_EQ(objects[1]["file"], zipped.string());
  for (const auto& object : objects) {
    EXPECT_EQ(object["sentences"], 3);
    EXPECT_EQ(object["tokens"], 11);
    EXPECT_EQ(object["vocabulary"], 7);
    EXPECT_EQ(object["words_once"], 4);  // sees, it, rains, end
    EXPECT_EQ(object["empty_lines"], 1);
    EXPECT_EQ(object["bad_lines"], 0);
    EXPECT_EQ(object["length"]["max"], 6);
    EXPECT_EQ(object["length"]["min"], 2);
    EXPECT_EQ(object["length"]["median"], 3);
    int sentences = 0;
    for (const auto& bin : object["length_histogram"]) sentences += bin["sentences"].get<int>();
    EXPECT_EQ(sentences, 3);
  }
}

TEST(DataStats, AreTextForPeopleAndReadStandardInput) {
  Outcome outcome = bough({"data", "stats", "-"}, kThreeLines);
  ASSERT_TRUE(fine(outcome));
  for (const char* word : {"sentences", "tokens", "vocabulary", "length", "11", "###"}) {
    EXPECT_TRUE(has(outcome.out, word));
  }
}

TEST(DataStats, PipesHaveNamesTooAndWhatHasNoEndIsRefused) {
  Outcome outcome = bough({"data", "stats", "--json", "/dev/stdin"}, kThreeLines);
  ASSERT_TRUE(fine(outcome));
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["sentences"], 3);
  expect_refused({{{"data", "stats", "/dev/zero"}, 3, {"'/dev/zero', line 1", "line end"}},
                  {{"eval", "/dev/zero", "-i", "/dev/null"}, 3, {"'/dev/zero', line 1"}},
                  {{"data", "stats", "/"}, 3, {"folder"}}});
}

TEST(DataStats, MalformedLinesAreNamedOrCounted) {
  TempFolder folder;
  fs::path bytes = folder.path() / "bytes.txt";
  put(bytes, "a fine line\nbad \xff\xfe bytes\n");
  fs::path zipped = folder.path() / "cut.txt.gz";
  write_file(zipped, kThreeLines);
  fs::resize_file(zipped, fs::file_size(zipped) - 12);
  fs::path not_zipped = folder.path() / "not.txt.gz";
  put(not_zipped, kThreeLines);
  fs::path zeros = folder.path() / "zeros.txt";
  put(zeros, std::string("a fine line\na\0b\nanother\n", 24));
  put(folder.path() / "a.tsv", "two\tcolumns\njust one\n");
  put(folder.path() / "a.jsonl", "{\"text\": \"fine\"}\n{\"text\": 5}\n");
  expect_refused(
      {{{"data", "stats", bytes}, 3, {"bytes.txt', line 2", "UTF-8", "--skip-bad-lines"}},
       {{"data", "stats", folder.path() / "a.tsv"}, 3, {"a.tsv', line 2", "1 column"}},
       {{"data", "stats", folder.path() / "a.jsonl"}, 3, {"a.jsonl', line 2", "text"}},
       {{"data", "stats", zipped}, 3, {"cut.txt.gz", "cut short"}},
       {{"data", "stats", not_zipped}, 3, {"not.txt.gz", "not gzip"}},
       {{"data", "stats", zeros}, 3, {"zeros.txt', line 2: byte 2 ", "--skip-bad-lines"}},
       {{"eval", zeros, "-i", zeros}, 3, {"zeros.txt', line 2: byte 2 "}},
       {{"data", "stats", "/nowhere.txt"}, 3, {"/nowhere.txt"}}});
  Outcome outcome = bough({"data", "stats", "--json", "--skip-bad-lines", bytes, zeros});
  ASSERT_TRUE(fine(outcome));
  auto objects = json_lines(split_lines(outcome.out));
  ASSERT_EQ(objects.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(objects[i]["sentences"], i + 1);
    EXPECT_EQ(objects[i]["bad_lines"], 1);
    EXPECT_TRUE(has(objects[i]["first_bad_line"].get<std::string>(), "line 2"));
  }
}

}  // namespace
}  // namespace bough
