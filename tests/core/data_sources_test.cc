// Corpora made from other people's files: WordNet, Ding, Persona-Chat; and their statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/data/ding.h"
#include "bough/data/personachat.h"
#include "bough/data/splits.h"
#include "bough/data/stats.h"
#include "bough/data/wordnet.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Lines = std::vector<std::string>;

/// No line of the three files is in two of them.
void expect_disjoint(const fs::path& folder, const std::string& ending) {
  std::set<std::string> seen;
  for (const char* name : {"train", "valid", "test"}) {
    auto lines = lines_of(folder / (name + ending));
    std::set<std::string> own(lines.begin(), lines.end());
    for (const auto& line : own) EXPECT_TRUE(seen.insert(line).second) << line;
  }
}

// ---- splits

TEST(Splits, FollowFromTheText) {
  int valid = 0;
  int test = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto text = "sentence " + std::to_string(i);
    Split split = split_of(text);
    EXPECT_EQ(split, split_of(text));
    valid += split == Split::kValid ? 1 : 0;
    test += split == Split::kTest ? 1 : 0;
  }
  EXPECT_NEAR(valid, 1000, 150);
  EXPECT_NEAR(test, 1000, 150);
}

TEST(Splits, NeverChangeFromVersionToVersion) {
  // Once published, a split must stay as it is: these follow from the definition of the hash.
  EXPECT_EQ(stable_hash("a river runs by"), 9386780900567933394U);
  Lines of_valid;
  for (int i = 0; i < 40; ++i) {
    auto text = std::to_string(i);
    if (split_of(text) == Split::kValid) of_valid.push_back(text);
  }
  EXPECT_EQ(of_valid, Lines{"24"});
}

TEST(Splits, EachRowOnceASplitInItsOrder) {
  TempFolder folder;
  SplitCorpus corpus({".de", ".en"});
  EXPECT_TRUE(corpus.add(Split::kTrain, Lines{"eins", "one"}));
  EXPECT_TRUE(corpus.add(Split::kTrain, Lines{"eins", "a"}));
  EXPECT_FALSE(corpus.add(Split::kTrain, Lines{"eins", "one"}));
  EXPECT_TRUE(corpus.add(Split::kTest, Lines{"eins", "one"}));
  EXPECT_FALSE(corpus.add(Split::kTrain, Lines{"zwei", ""}));
  corpus.write(folder.path() / "new" / "folder");
  EXPECT_EQ(lines_of(folder.path() / "new/folder/train.de"), (Lines{"eins", "eins"}));
  EXPECT_EQ(lines_of(folder.path() / "new/folder/train.en"), (Lines{"one", "a"}));
  EXPECT_EQ(lines_of(folder.path() / "new/folder/valid.de"), Lines());
  EXPECT_EQ(lines_of(folder.path() / "new/folder/test.en"), Lines{"one"});
  EXPECT_EQ(corpus.counts(), (SplitCounts{.train = 2, .valid = 0, .test = 1, .duplicates = 1}));
}

TEST(Splits, NothingIsLeftBehindWhereAFileCannotBeWritten) {
  TempFolder folder;
  fs::create_directories(folder.path() / "test.txt");
  put(folder.path() / "train.txt", "old\n");
  SplitCorpus corpus({".txt"});
  corpus.add(Split::kTrain, Lines{"new"});
  EXPECT_THROW(corpus.write(folder.path()), DataError);
  EXPECT_EQ(lines_of(folder.path() / "train.txt"), Lines{"old"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

TEST(Splits, NewFoldersAreGoneWhereAFileCannotBeWritten) {
  TempFolder folder;
  const std::vector<CorpusFile> files = {{"one.txt", "a\n"}, {"missing/two.txt", "b\n"}};
  for (const char* out : {"old/new/newer", "old/new/", "old"}) {
    fs::create_directories(folder.path() / "old");
    EXPECT_THROW(write_together(folder.path() / out, files), DataError);
    EXPECT_TRUE(fs::is_directory(folder.path() / "old"));
    EXPECT_TRUE(fs::is_empty(folder.path() / "old")) << out;
  }
}

TEST(Splits, OneLine) {
  EXPECT_EQ(one_line("  a\t b\n\nc\u00a0d \x01 "), "a b c d");
  EXPECT_EQ(one_line(" \n"), "");
  EXPECT_EQ(one_line("größer"), "größer");
}

// ---- WordNet

TEST(Wordnet, ExamplesOfAGloss) {
  EXPECT_EQ(gloss_examples(R"(a small boat; "we took the skiff"; "the skiff leaked"  )"),
            (Lines{"we took the skiff", "the skiff leaked"}));
  EXPECT_EQ(gloss_examples("a small boat; often with oars"), Lines());
  EXPECT_EQ(gloss_examples(""), Lines());
  EXPECT_EQ(gloss_examples("\""), Lines());
  EXPECT_EQ(gloss_examples(R"("only an example")"), Lines{"only an example"});
}

TEST(Wordnet, AttributionsAreLeftOut) {
  EXPECT_EQ(gloss_examples(R"(dim; "a dim and mossy lane"- Anna Poet; "dim lights"--B.C.Novelist)"),
            (Lines{"a dim and mossy lane", "dim lights"}));
  EXPECT_EQ(gloss_examples(R"(dim; "a dim sky" - A. Poet)"), Lines{"a dim sky"});
  EXPECT_EQ(gloss_examples(R"(dim; "a dim sky" A.Poet; "dim hall" (literary))"),
            (Lines{"a dim sky", "dim hall"}));
}

TEST(Wordnet, SeparatorsInsideAndOutside) {
  EXPECT_EQ(gloss_examples(R"(go; "come; don't wait", "he came":"come!". "come;" "go";"stay")"),
            (Lines{"come; don't wait", "he came", "come!", "come", "go", "stay"}));
  EXPECT_EQ(gloss_examples(R"(go; " come in ")"), Lines{"come in"});
  EXPECT_EQ(gloss_examples(R"(go; "...and off they went")"), Lines{"...and off they went"});
}

TEST(Wordnet, QuotesInADefinitionAreNoExamples) {
  EXPECT_EQ(gloss_examples(R"(gains (as in "take strides" or "a stride"); "they took strides")"),
            Lines{"they took strides"});
}

TEST(Wordnet, InnerQuotesBecomePlainOnes) {
  EXPECT_EQ(gloss_examples("say; \"`never,' she said\""), Lines{"'never,' she said"});
}

TEST(Wordnet, MissingQuotes) {
  // The closing one: up to the next example, but nothing that is cut off.
  EXPECT_EQ(gloss_examples(R"(leaf; "a leaf fell; "two leaves fell"; "three leav)"),
            (Lines{"a leaf fell", "two leaves fell"}));
  // The opening one.
  EXPECT_EQ(gloss_examples(R"(leaf; "a leaf fell"; two leaves fell"; "three fell")"),
            (Lines{"a leaf fell", "three fell"}));
  // One in the place of an apostrophe, or of a separator.
  EXPECT_EQ(gloss_examples(R"(leaf; "I"ve a leaf"; "two fell")"), Lines{"two fell"});
  EXPECT_EQ(gloss_examples(R"(leaf; "a (or one"); "two fell")"), Lines{"two fell"});
}

void put_wordnet(const fs::path& folder, std::string_view nouns) {
  put(folder / "data.noun", nouns);
  for (const char* name : {"data.verb", "data.adj", "data.adv"}) put(folder / name, "");
}

TEST(Wordnet, WritesTokenisedLinesOnce) {
  TempFolder folder;
  put_wordnet(
      folder.path() / "in",
      "  1 A licence with \"quotes\" that is no data  \n"
      "00000001 03 n 01 oar 0 000 | a pole; \"the oars, all six, broke\"  \n"
      "00000002 03 n 01 sail 0 000 | a cloth; \"Set sail!\"; \"the oars , all six, broke\"\n");
  WordnetOptions options{.folder = folder.path() / "in"};
  auto counts = write_wordnet(options, Tokenizer({.lowercase = true}), folder.path() / "out");
  EXPECT_EQ(counts.total(), 2);
  EXPECT_EQ(counts.duplicates, 1);
  Lines all;
  for (const char* name : {"train.txt", "valid.txt", "test.txt"}) {
    for (auto& line : lines_of(folder.path() / "out" / name)) all.push_back(line);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Lines{"set sail !", "the oars , all six , broke"}));
}

TEST(Wordnet, ErrorsSayWhereAndWhatToDo) {
  TempFolder folder;
  auto missing = message_of<DataError>([&] { wordnet_examples(folder.path() / "nowhere"); });
  expect_contains(missing, "nowhere");
  expect_contains(missing, "wordnet-base");
  expect_contains(missing, "--folder");
  auto no_file = message_of<DataError>([&] { wordnet_examples(folder.path()); });
  expect_contains(no_file, "data.noun");
  expect_contains(no_file, "wordnet-base");
  put_wordnet(folder.path(), "  licence\n00000001 03 n 01 oar 0 000 a pole\n");
  auto no_gloss = message_of<DataError>([&] { wordnet_examples(folder.path()); });
  expect_contains(no_gloss, "data.noun', line 2");
  put_wordnet(folder.path(), "00000001 03 n 01 oar 0 000 | a \xff pole\n");
  expect_contains(message_of<DataError>([&] { wordnet_examples(folder.path()); }),
                  "line 1: not UTF-8");
  put_wordnet(folder.path(), "00000001 03 n 01 oar 0 000 | a pole\n");
  WordnetOptions options{.folder = folder.path()};
  auto nothing =
      message_of<DataError>([&] { write_wordnet(options, Tokenizer(), folder.path() / "out"); });
  expect_contains(nothing, "no examples");
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

TEST(Wordnet, TheRealFiles) {
  WordnetOptions options;
  ASSERT_TRUE(fs::exists(options.folder)) << "install wordnet-base";
  TempFolder folder;
  Tokenizer tokenizer;
  auto counts = write_wordnet(options, tokenizer, folder.path());
  EXPECT_GT(counts.total(), 47'500);
  EXPECT_LT(counts.total(), 49'000);
  EXPECT_NEAR(static_cast<double>(counts.valid), 0.05 * static_cast<double>(counts.total()), 250);
  EXPECT_NEAR(static_cast<double>(counts.test), 0.05 * static_cast<double>(counts.total()), 250);
  expect_disjoint(folder.path(), ".txt");
  for (Split split : kAllSplits) {
    for (const auto& line : lines_of(folder.path() / (std::string(name_of(split)) + ".txt"))) {
      EXPECT_EQ(join_words(tokenizer.split(line)), line);
      EXPECT_EQ(find_bad_utf8(line), std::string::npos) << line;
      EXPECT_EQ(line.find_first_of("\"`|"), std::string::npos) << line;
      EXPECT_EQ(split_of(line), split) << line;
    }
  }
}

// ---- Ding

/// The sentence pairs of a line as `German # English`.
Lines pairs_of(std::string_view line, bool phrases = false) {
  Lines lines;
  for (const auto& pair : ding_line_pairs(line, phrases)) {
    lines.push_back(pair.german + " # " + pair.english);
  }
  return lines;
}

TEST(Ding, PartsAreAligned) {
  EXPECT_EQ(pairs_of("Kahn {m} | Der Kahn sinkt. | Kähne {pl} | Sinkt er? :: "
                     "barge | The barge is sinking. | barges | Is it sinking?"),
            (Lines{"Der Kahn sinkt. # The barge is sinking.", "Sinkt er? # Is it sinking?"}));
  EXPECT_EQ(pairs_of("Der Kahn sinkt. | Sinkt er? :: The barge is sinking."), Lines());
}

TEST(Ding, AnnotationsAreLeftOut) {
  EXPECT_EQ(pairs_of("Er hat (gar) keinen Kahn {m} [naut.] . [übtr.] :: "
                     "He has no barge [Br.] <bargee> (at (any) all; really) . /HNB/"),
            Lines{"Er hat keinen Kahn. # He has no barge."});
  EXPECT_EQ(pairs_of("Ich komm(e) , wenn es geht! {interj} :: I’ll come [coll.] , if I can!"),
            Lines{"Ich komm, wenn es geht! # I’ll come, if I can!"});
  EXPECT_EQ(pairs_of("Er kommt (bald. :: He is coming soon."), Lines());
  EXPECT_EQ(pairs_of("Er kommt bald). :: He is coming soon."), Lines());
  EXPECT_EQ(pairs_of("Er kommt (bald]. :: He is coming soon."), Lines());
}

TEST(Ding, TheFirstAlternativeThatIsASentence) {
  EXPECT_EQ(pairs_of("Er rudert.; Er ist am Rudern. :: He rows.; He is rowing."),
            Lines{"Er rudert. # He rows."});
  EXPECT_EQ(pairs_of("rudern; Er rudert. :: He rows / He is rowing now.; He is rowing."),
            Lines{"Er rudert. # He is rowing."});
}

TEST(Ding, WhatIsNoSentence) {
  EXPECT_EQ(pairs_of("er rudert. :: He rows."), Lines());
  EXPECT_EQ(pairs_of("Er rudert. :: he rows"), Lines());
  EXPECT_EQ(pairs_of("Los! :: Go!"), Lines());
  EXPECT_EQ(pairs_of("Los! :: Let’s go!"), Lines{"Los! # Let’s go!"});
  EXPECT_EQ(pairs_of("Übe mehr! :: Practise more!"), Lines{"Übe mehr! # Practise more!"});
}

TEST(Ding, GapsAndStandInsArePassedOver) {
  EXPECT_EQ(pairs_of("Applaus für … ! :: Give it up for … !"), Lines());
  EXPECT_EQ(pairs_of("Es mangelt an etw. :: There is a lack of sth."), Lines());
  EXPECT_EQ(pairs_of("Das ist jds. Kahn. :: This is sb.’s barge."), Lines());
  EXPECT_EQ(pairs_of("Das kostet +10 Euro. :: That is another 10 euros."), Lines());
}

TEST(Ding, SlashesBetweenSingleWords) {
  auto english = [](const std::string& text) {
    auto pairs = ding_line_pairs("Ein Satz. :: " + text, false);
    return pairs.empty() ? "" : pairs[0].english;
  };
  EXPECT_EQ(english("It may/might rain."), "It may rain.");
  EXPECT_EQ(english("The/A barge sinks."), "");
  EXPECT_EQ(english("His/her barge sinks."), "His barge sinks.");
  EXPECT_EQ(english("We got wet/soaked/drenched!"), "We got wet!");
  EXPECT_EQ(english("The water is deep / profound, and cold."), "The water is deep, and cold.");
  EXPECT_EQ(english("It does 9 km/h on a 24/7 basis."), "It does 9 km/h on a 24/7 basis.");
  // Alternatives of several words can't be told from what follows.
  EXPECT_EQ(english("It goes up / climbs fast there."), "");
  EXPECT_EQ(english("The farmer/the dog ran."), "");
  EXPECT_EQ(english("I can row/I can steer it."), "");
  EXPECT_EQ(english("He is released/set free/freed today."), "");
  EXPECT_EQ(english("He wants to go with it/to accompany it now."), "");
  EXPECT_EQ(english("The pump/on-switch failed us."), "");
  EXPECT_EQ(english("It sank. / It is gone."), "");
  EXPECT_EQ(english("It sank /"), "");
}

TEST(Ding, PhrasesOnDemand) {
  std::string line =
      "Kahn {m} | den Kahn rudern; den Kahn paddeln | Er rudert. | etw. im Kahn suchen :: "
      "barge | to row the barge | He rows. | to look for sth. in the barge";
  EXPECT_EQ(pairs_of(line), Lines{"Er rudert. # He rows."});
  EXPECT_EQ(pairs_of(line, true),
            (Lines{"den Kahn rudern # to row the barge", "Er rudert. # He rows."}));
  EXPECT_EQ(pairs_of("kleiner/großer Kahn :: small barge", true), Lines());
  EXPECT_EQ(pairs_of("der Kahn- :: the barge", true), Lines());
}

/// Enough pairs for all splits, some of them twice.
std::string small_dictionary() {
  std::string text = "# a comment\n\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("Satz | Der Kahn {} sinkt.  (bald) :: sentence | Barge {} sinks.\n", i, i);
    if (i % 10 == 0) text += fmt::format("Der Kahn {} sinkt. :: Barge {} goes down!\n", i, i);
    if (i % 20 == 0) text += fmt::format("Der Kahn {} sinkt. :: Barge {} sinks.\n", i, i);
  }
  return text;
}

TEST(Ding, WritesAlignedSplitsThatDoNotShareASource) {
  TempFolder folder;
  put(folder.path() / "dictionary", small_dictionary());
  DingOptions options{.file = folder.path() / "dictionary"};
  auto counts = write_ding(options, Tokenizer(), folder.path() / "raw");
  EXPECT_EQ(counts.total(), 220);
  EXPECT_EQ(counts.duplicates, 10);
  EXPECT_GT(counts.valid, 0);
  EXPECT_GT(counts.test, 0);
  expect_disjoint(folder.path() / "raw", ".de");
  auto german = lines_of(folder.path() / "raw/train.de");
  auto english = lines_of(folder.path() / "raw/train.en");
  ASSERT_EQ(german.size(), english.size());
  for (size_t i = 0; i < german.size(); ++i) {
    auto number = german[i].substr(9, german[i].find(" sinkt.") - 9);
    EXPECT_TRUE(english[i].starts_with("Barge " + number + " ")) << german[i] << english[i];
  }

  // The same splits in another form.
  options.tokenize = true;
  auto tokenized = write_ding(options, Tokenizer({.lowercase = true}), folder.path() / "words");
  EXPECT_EQ(tokenized, counts);
  auto words = lines_of(folder.path() / "words/valid.de");
  auto raw = lines_of(folder.path() / "raw/valid.de");
  ASSERT_EQ(words.size(), raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    EXPECT_EQ(words[i], join_words(Tokenizer({.lowercase = true}).split(raw[i])));
  }
}

TEST(Ding, ErrorsSayWhereAndWhatToDo) {
  TempFolder folder;
  DingOptions options{.file = folder.path() / "dictionary"};
  auto missing = message_of<DataError>([&] { ding_pairs(options); });
  expect_contains(missing, "dictionary");
  expect_contains(missing, "trans-de-en");
  expect_contains(missing, "--file");
  put(options.file, "# comment\nKahn :: barge\nKahn : barge\n");
  auto malformed = message_of<DataError>([&] { ding_pairs(options); });
  expect_contains(malformed, "dictionary', line 3");
  expect_contains(malformed, "'German :: English'");
  put(options.file, "K\xe4hne :: barges\n");
  expect_contains(message_of<DataError>([&] { ding_pairs(options); }),
                  "line 1: not UTF-8 at byte 2");
  put(options.file, "Kahn :: barge\n");
  auto nothing =
      message_of<DataError>([&] { write_ding(options, Tokenizer(), folder.path() / "out"); });
  expect_contains(nothing, "no pairs of sentences");
}

void expect_clean(const std::string& line) {
  EXPECT_EQ(find_bad_utf8(line), std::string::npos) << line;
  EXPECT_EQ(line, one_line(line));
  EXPECT_EQ(line.find_first_of("[](){}<>|;+"), std::string::npos) << line;
  EXPECT_EQ(line.find("…"), std::string::npos) << line;
  EXPECT_FALSE(line.empty());
}

TEST(Ding, TheRealFile) {
  DingOptions options;
  ASSERT_TRUE(fs::exists(options.file)) << "install trans-de-en";
  TempFolder folder;
  auto counts = write_ding(options, Tokenizer(), folder.path());
  EXPECT_GT(counts.total(), 18'500);
  EXPECT_LT(counts.total(), 21'000);
  expect_disjoint(folder.path(), ".de");
  for (Split split : kAllSplits) {
    auto name = std::string(name_of(split));
    auto german = lines_of(folder.path() / (name + ".de"));
    auto english = lines_of(folder.path() / (name + ".en"));
    ASSERT_EQ(german.size(), english.size());
    for (const auto* side : {&german, &english}) {
      for (const auto& line : *side) {
        expect_clean(line);
        EXPECT_NE(std::string(".!?").find(line.back()), std::string::npos) << line;
      }
    }
  }
  options.phrases = true;
  auto pairs = ding_pairs(options);
  auto phrases = static_cast<int64_t>(pairs.size()) - counts.total();
  EXPECT_GT(phrases, 55'000);
  EXPECT_LT(phrases, 62'000);
  for (const auto& pair : pairs) {
    expect_clean(pair.german);
    expect_clean(pair.english);
  }
}

// ---- Persona-Chat

TEST(Personachat, TextFiles) {
  TempFolder folder;
  put(folder.path() / "train_both_original.txt",
      "1 your persona: I row a barge.\n"
      "2 partner's persona: i have two oars.\n"
      "3 __SILENCE__\thello , who is there ?\t\tnot me|nor me|hello , who is there ?\n"
      "4 it's me .\tgood .\n"
      "1 your persona: i row a barge .\n"
      "2 good .\thello , who is there ?\t\tnobody\n");
  put(folder.path() / "train_both_revised.txt",
      "1 your persona: i row boats.\n"
      "2 it ' s me .\tgood .\t\tx|y\n");
  put(folder.path() / "test_self_original_no_cands.txt", "1 good .\tit's late .\n");
  put(folder.path() / "valid_notes.txt", "not one of the files\n");
  PersonachatOptions options{.raw = folder.path()};
  auto counts = write_personachat(options, Tokenizer({.lowercase = true}), folder.path() / "out");
  EXPECT_EQ(lines_of(folder.path() / "out/train.txt"),
            (Lines{"i row a barge .", "i have two oars .", "hello , who is there ?", "it ' s me .",
                   "good .", "i row boats ."}));
  EXPECT_EQ(lines_of(folder.path() / "out/test.txt"), (Lines{"good .", "it ' s late ."}));
  EXPECT_FALSE(fs::exists(folder.path() / "out/valid.txt"));
  EXPECT_EQ(counts, (SplitCounts{.train = 6, .valid = 0, .test = 2, .duplicates = 5}));
}

constexpr std::string_view kPersonaJson = R"({
  "train": [
    {"personality": ["i row a barge ."],
     "utterances": [
       {"candidates": ["wrong .", "hello !"], "history": ["__SILENCE__"]},
       {"candidates": ["wrong .", "i row ."], "history": ["__SILENCE__", "hello !", "what\ndo you do ?"]}]},
    {"personality": ["i row a barge .", "i sing ."], "utterances": []}],
  "notes": {"of": ["no", {"use": 1}]},
  "valid": [
    {"personality": [], "utterances": [{"history": ["hello !"], "candidates": ["bye ."]}]}]})";

TEST(Personachat, Json) {
  TempFolder folder;
  put(folder.path() / "personachat_self_original.json", kPersonaJson);
  for (const fs::path& raw : {folder.path(), folder.path() / "personachat_self_original.json"}) {
    write_personachat({.raw = raw}, Tokenizer(), folder.path() / "out");
    EXPECT_EQ(lines_of(folder.path() / "out/train.txt"),
              (Lines{"i row a barge .", "hello !", "what do you do ?", "i row .", "i sing ."}));
    EXPECT_EQ(lines_of(folder.path() / "out/valid.txt"), (Lines{"hello !", "bye ."}));
    EXPECT_FALSE(fs::exists(folder.path() / "out/test.txt"));
    fs::remove_all(folder.path() / "out");
  }
}

TEST(Personachat, ErrorsOfTextFiles) {
  TempFolder folder;
  auto read = [&](const fs::path& raw) {
    return message_of<DataError>([&] { read_personachat(raw, [](Split, std::string_view) {}); });
  };
  expect_contains(read(folder.path() / "nowhere"), "--raw");
  auto empty = read(folder.path());
  expect_contains(empty, folder.path().string());
  expect_contains(empty, "train_both_original.txt");
  for (const char* line : {"hello\tthere", "1hello\tthere", "17", " 1 hello"}) {
    put(folder.path() / "valid_both_revised.txt", fmt::format("1 a\tb\n\n{}\n", line));
    auto message = read(folder.path());
    expect_contains(message, "valid_both_revised.txt', line 3");
    expect_contains(message, "number");
  }
  put(folder.path() / "valid_both_revised.txt", "1 a\xff\tb\n");
  expect_contains(read(folder.path()), "line 1: not UTF-8 at byte 4");
  put(folder.path() / "valid_both_revised.txt", "");
  auto nothing = message_of<DataError>(
      [&] { write_personachat({.raw = folder.path()}, Tokenizer(), folder.path() / "out"); });
  expect_contains(nothing, "no sentences");
}

TEST(Personachat, ErrorsOfJson) {
  TempFolder folder;
  auto path = folder.path() / "raw.json";
  auto read = [&](std::string_view content) {
    put(path, content);
    auto message =
        message_of<DataError>([&] { read_personachat(path, [](Split, std::string_view) {}); });
    expect_contains(message, "raw.json");
    return message;
  };
  expect_contains(read("your persona: i row.\n"), "not valid JSON");
  expect_contains(read(""), "not valid JSON");
  expect_contains(read(R"({"train": [{"personality": ["i)"), "not valid JSON");
  expect_contains(read("[]"), "the top is not an object");
  expect_contains(read("{}"), "the top is not an object");
  expect_contains(read("7"), "the top is not an object");
  expect_contains(read(R"({"train": {}})"), "\"train\" is not a list of dialogues");
  expect_contains(read(R"({"valid": "x"})"), "\"valid\" is not a list of dialogues");
  expect_contains(read(R"({"train": [7]})"), "\"train\"[0] is not a dialogue");
  expect_contains(read(R"({"train": [[]]})"), "\"train\"[0] is not a dialogue");
  expect_contains(read(R"({"train": [{"utterances": []}]})"),
                  "\"train\"[0].personality is not a list of strings");
  expect_contains(read(R"({"train": [{"personality": []}]})"),
                  "\"train\"[0].utterances is not a list");
  expect_contains(read(R"({"train": [{"personality": [], "utterances": []},
                          {"personality": [], "utterances": [{"history": [1]}]}]})"),
                  "\"train\"[1].utterances[0].history is not a list of strings");
  expect_contains(
      read(
          R"({"train": [{"personality": [], "utterances": [{"history": [], "candidates": []}]}]})"),
      "\"train\"[0].utterances[0].candidates is not a list with the reply");
}

// ---- statistics

TEST(Statistics, OfASmallCorpus) {
  TempFolder folder;
  auto path = (folder.path() / "corpus.txt").string();
  put(path, "the barge sinks .\n\nthe barge\na barge\nbad \xff line\nsix words are in this line\n");
  auto statistics = measure_corpus(path, Tokenizer(), {.skip_bad_lines = true});
  EXPECT_EQ(statistics.report.sentences, 4);
  EXPECT_EQ(statistics.report.words, 14);
  EXPECT_EQ(statistics.report.empty_lines, 1);
  EXPECT_EQ(statistics.report.bad_lines, 1);
  EXPECT_EQ(statistics.distinct_words, 11);
  EXPECT_EQ(statistics.single_words, 9);
  EXPECT_DOUBLE_EQ(statistics.single_share(), 9.0 / 14.0);
  EXPECT_DOUBLE_EQ(statistics.mean_length, 3.5);
  EXPECT_EQ(statistics.median_length, 2);
  EXPECT_EQ(statistics.shortest, 2);
  EXPECT_EQ(statistics.longest, 6);
  EXPECT_EQ(
      statistics.lengths,
      (std::vector<LengthBin>{{1, 1, 0}, {2, 2, 2}, {3, 3, 0}, {4, 4, 1}, {5, 5, 0}, {6, 6, 1}}));

  auto value = to_json(statistics);
  EXPECT_EQ(value["file"], path);
  EXPECT_EQ(value["sentences"], 4);
  EXPECT_EQ(value["tokens"], 14);
  EXPECT_EQ(value["vocabulary"], 11);
  EXPECT_EQ(value["length"]["mean"], 3.5);
  EXPECT_EQ(value["length"]["max"], 6);
  EXPECT_EQ(value["length_histogram"][1]["sentences"], 2);
  expect_contains(value["first_bad_line"], "line 5");

  auto text = describe(statistics);
  expect_contains(text, path);
  expect_contains(text, std::string("2  ") + std::string(50, '#') + "\n");
  expect_contains(text, std::string("1  ") + std::string(25, '#') + "\n");
  EXPECT_EQ(text.find(std::string(51, '#')), std::string::npos);
}

TEST(Statistics, BinsOfLongSentences) {
  TempFolder folder;
  auto path = (folder.path() / "corpus.txt").string();
  std::string longest;
  for (int i = 0; i < 101; ++i) longest += "word ";
  put(path, "one\na b c d e f g h i j\na b c d e f g h i j k\n" + longest + "\n");
  auto statistics = measure_corpus(path, Tokenizer(), {});
  ASSERT_EQ(statistics.lengths.size(), 11U);
  EXPECT_EQ(statistics.lengths[0], (LengthBin{1, 10, 2}));
  EXPECT_EQ(statistics.lengths[1], (LengthBin{11, 20, 1}));
  EXPECT_EQ(statistics.lengths[10], (LengthBin{101, 110, 1}));
  expect_contains(describe(statistics), "101-110");
}

TEST(Statistics, OfNothing) {
  TempFolder folder;
  auto path = (folder.path() / "empty.txt").string();
  put(path, "");
  auto statistics = measure_corpus(path, Tokenizer(), {});
  EXPECT_EQ(statistics.report.sentences, 0);
  EXPECT_EQ(statistics.mean_length, 0);
  EXPECT_TRUE(statistics.lengths.empty());
  EXPECT_EQ(to_json(statistics)["length_histogram"], nlohmann::ordered_json::array());
  expect_contains(describe(statistics), "sentences");
  EXPECT_THROW(measure_corpus(path + ".missing", Tokenizer(), {}), DataError);
}

// ---- options

TEST(DataOptions, AreDeclared) {
  OptionSet set;
  WordnetOptions wordnet;
  DingOptions ding;
  PersonachatOptions personachat;
  wordnet.declare(set);
  ding.declare(set);
  personachat.declare(set);
  EXPECT_THROW(set.check_required(), UsageError);
  set.set("folder", "a", "--folder");
  set.set("file", "b", "--file");
  set.set("raw", "c", "--raw");
  set.set("phrases", "true", "--phrases");
  set.set("tokenize", "true", "--tokenize");
  set.check_required();
  EXPECT_EQ(wordnet.folder, "a");
  EXPECT_EQ(ding.file, "b");
  EXPECT_EQ(personachat.raw, "c");
  EXPECT_TRUE(ding.phrases && ding.tokenize);
}

}  // namespace
}  // namespace bough
