// WordNet's synonyms, from Debian's package wordnet-base and from small files made here.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/data/synonyms.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Numbers = std::vector<uint32_t>;

Numbers sets_of(const SynonymTable& table, std::string_view word) {
  auto sets = table.sets_of(word);
  return {sets.begin(), sets.end()};
}

const SynonymTable& wordnet() {
  static const SynonymTable table("/usr/share/wordnet");
  return table;
}

/// A folder with WordNet's eight files, in which a test puts its own lines.
class SmallWordnet {
 public:
  SmallWordnet() {
    for (const char* pos : {"noun", "verb", "adj", "adv"}) {
      put(path() / (std::string("index.") + pos), "  1 licence\n");
      put(path() / (std::string(pos) + ".exc"), "");
    }
  }
  fs::path path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

TEST(Synonyms, AllOfWordnet) {
  // As many words as METEOR's file has; the forms belong to 4,270 base forms.
  EXPECT_EQ(wordnet().lemmas(), 147'306U);
  EXPECT_EQ(wordnet().irregular_forms(), 5'940U);
}

TEST(Synonyms, WordsOfOneSet) {
  EXPECT_TRUE(wordnet().are_synonyms("car", "automobile"));
  EXPECT_TRUE(wordnet().are_synonyms("big", "large"));
  EXPECT_FALSE(wordnet().are_synonyms("car", "river"));
  EXPECT_FALSE(wordnet().are_synonyms("car", "no_such_word"));
  EXPECT_TRUE(wordnet().are_synonyms("ice_cream", "icecream"));
  EXPECT_TRUE(wordnet().sets_of("").empty());
  EXPECT_TRUE(wordnet().sets_of("größer").empty());
}

TEST(Synonyms, InflectedForms) {
  EXPECT_TRUE(wordnet().are_synonyms("cars", "automobile"));   // regular
  EXPECT_TRUE(wordnet().are_synonyms("geese", "goose"));       // an exception
  EXPECT_TRUE(wordnet().are_synonyms("bought", "purchases"));  // one of each
  EXPECT_EQ(sets_of(wordnet(), "automobiles"), sets_of(wordnet(), "automobile"));
}

TEST(Synonyms, NumbersOfDifferentPartsOfSpeechMeet) {
  // A verb and an adjective at the same place of their files.
  EXPECT_TRUE(wordnet().are_synonyms("cuddle", "local"));
}

TEST(Synonyms, SetsAreOwnAndOfBaseForms) {
  SmallWordnet files;
  put(files.path() / "index.noun",
      "  1 licence\n"
      "party n 2 1 @ 2 0 00000009 00000003  \n"
      "axe n 1 0 1 0 00000005  \n"
      "axis n 1 2 @ ~ 1 0 00000006  \n"
      "axes n 1 0 1 0 00000007  \n"
      "glass n 1 0 1 0 00000008  \n"
      "glas n 1 0 1 0 00000010  \n"
      "bas n 1 0 1 0 00000012  \n"
      "base n 1 0 1 0 00000013\n");
  put(files.path() / "index.verb", "party v 2 0 2 0 00000001 00000003  \n");
  put(files.path() / "index.adj", "free a 1 0 1 0 00000011  \n");
  put(files.path() / "noun.exc", "axes axis\nparties unknown\nfrees free glass\n");
  SynonymTable table(files.path());
  EXPECT_EQ(table.lemmas(), 9U);
  EXPECT_EQ(table.irregular_forms(), 3U);
  EXPECT_EQ(sets_of(table, "party"), (Numbers{1, 3, 9}));  // of all parts of speech, each once
  EXPECT_EQ(sets_of(table, "partying"), (Numbers{1, 3, 9}));
  EXPECT_EQ(sets_of(table, "axes"), (Numbers{6, 7}));    // its own and the exception's, not axe's
  EXPECT_EQ(sets_of(table, "parties"), Numbers{});       // an exception leaves no regular ending
  EXPECT_EQ(sets_of(table, "frees"), (Numbers{8, 11}));  // several base forms
  EXPECT_EQ(sets_of(table, "based"), (Numbers{13}));     // -ed → -e comes first
  EXPECT_EQ(sets_of(table, "bases"), (Numbers{13}));     // -s → nothing comes before -es
  EXPECT_EQ(sets_of(table, "glass"), (Numbers{8}));      // no ending after -ss
  EXPECT_EQ(sets_of(table, "glasses"), (Numbers{8}));    // -ses → -s comes after -s: `glasse`
}

TEST(Synonyms, MissingFolderAndFiles) {
  TempFolder folder;
  auto missing = [&] { SynonymTable table(folder.path() / "none"); };
  expect_contains(message_of<DataError>(missing), "wordnet-base");
  auto empty = [&] { SynonymTable table(folder.path()); };
  expect_contains(message_of<DataError>(empty), "index.noun'. Install");
  SmallWordnet files;
  fs::remove(files.path() / "verb.exc");
  auto incomplete = [&] { SynonymTable table(files.path()); };
  expect_contains(message_of<DataError>(incomplete), "verb.exc");
}

TEST(Synonyms, MalformedLines) {
  for (const char* line : {
           "dog",                              // nothing else
           "dog n 2 0 1 0 00000001",           // a number too few
           "dog n 1 0 1 0 00000001 00000002",  // a number too many
           "dog n 1 0 1 0 0000001",            // seven digits
           "dog n 1 0 1 0 0000000x",           // no number
           "dog n 1 x 1 0 00000001",           // no count
           "dog n 0 0 1 0",                    // no sets
       }) {
    SmallWordnet files;
    put(files.path() / "index.verb", std::string("  1 licence\n") + line + "\n");
    auto message = message_of<DataError>([&] { SynonymTable table(files.path()); });
    expect_contains(message, "index.verb', line 2");
    expect_contains(message, line);
  }
  SmallWordnet files;
  put(files.path() / "adv.exc", "better well\nbest\n");
  auto message = message_of<DataError>([&] { SynonymTable table(files.path()); });
  expect_contains(message, "adv.exc', line 2");
}

TEST(WordNumbers, FindsAllItWasGiven) {
  WordNumbers words;
  EXPECT_EQ(words.find("a"), WordNumbers::kUnknown);
  for (uint32_t i = 0; i < 10'000; ++i) EXPECT_EQ(words.add(std::to_string(i)), i);
  EXPECT_EQ(words.add("77"), 77U);
  EXPECT_EQ(words.size(), 10'000U);
  for (uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(words.find(std::to_string(i)), i);
    EXPECT_EQ(words.word(i), std::to_string(i));
  }
  EXPECT_EQ(words.find("10000"), WordNumbers::kUnknown);
}

}  // namespace
}  // namespace bough
