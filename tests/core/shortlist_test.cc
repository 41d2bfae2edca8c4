// Which words translate which: what is learned from pairs, what a list holds, and its file.
#include "bough/data/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bough/base/error.h"
#include "bough/base/list_file.h"
#include "bough/base/random.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

constexpr int64_t kVocabulary = 60;

/// Word w is translated by w + 1; a frequent word stands in every target beside them.
constexpr WordId kFrequent = 59;

struct Pairs {
  Dataset sources;
  Dataset targets;
};

Pairs made_up_pairs() {
  Pairs pairs;
  RandomStream random(1, Purpose::kTest);
  for (int i = 0; i < 400; ++i) {
    std::vector<WordId> source(2 + random.below(6));
    std::vector<WordId> target = {kFrequent, kUnknown};
    for (WordId& word : source) {
      word = kSpecials + static_cast<WordId>(random.below(40));
      target.push_back(word + 1);
    }
    std::ranges::reverse(target);
    pairs.sources.add(source);
    pairs.targets.add(target);
  }
  return pairs;
}

Shortlist learned() {
  Pairs pairs = made_up_pairs();
  return Shortlist::learn(pairs.sources, pairs.targets, kVocabulary, kVocabulary);
}

Vocabulary numbered_vocabulary(int64_t words) {
  WordCounts counts;
  for (int64_t i = 0; i < words; ++i) counts[std::to_string(i)] = 1;
  return Vocabulary::build(counts, {});
}

TEST(Shortlist, FindsTheTranslationOfEachWord) {
  Shortlist list = learned();
  for (WordId word = kSpecials; word < kSpecials + 40; ++word) {
    std::vector<WordId> expected = {0, 1, 2, 3, 4, word + 1, kFrequent};
    EXPECT_EQ(list.words_for({&word, 1}, 1), expected) << word;
  }
}

TEST(Shortlist, RisesAndHoldsTheSpecialSymbolsAndGrowsToAll) {
  Shortlist list = learned();
  std::vector<WordId> source = {7, 30, 7, kUnknown, 50};  // the last one was never seen
  std::vector<WordId> before;
  for (int64_t each : {0, 1, 2, 5, 20, 1000}) {
    std::vector<WordId> words = list.words_for(source, each);
    EXPECT_EQ(std::ranges::adjacent_find(words, std::greater_equal{}), words.end()) << each;
    for (WordId special = 0; special < kSpecials; ++special) {
      EXPECT_EQ(words[static_cast<size_t>(special)], special);
    }
    EXPECT_TRUE(std::ranges::includes(words, before)) << each;
    before = words;
  }
  std::vector<WordId> all(kVocabulary);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(before, all);
}

TEST(Shortlist, StaysTheSameOnDisk) {
  TempFolder folder;
  auto path = folder.path() / Shortlist::kFile;
  Vocabulary vocabulary = numbered_vocabulary(kVocabulary - kSpecials);
  Shortlist list = learned();
  list.save(path, vocabulary, vocabulary);
  Shortlist again = Shortlist::load(path, vocabulary, vocabulary);
  EXPECT_EQ(again.translations(), list.translations());
  std::vector<WordId> source = {7, 30, 12};
  EXPECT_EQ(again.words_for(source, 4), list.words_for(source, 4));
}

TEST(Shortlist, OfAnotherVocabularyIsRefused) {
  TempFolder folder;
  auto path = folder.path() / Shortlist::kFile;
  Vocabulary own = numbered_vocabulary(kVocabulary - kSpecials);
  learned().save(path, own, own);
  WordCounts renamed;
  for (int i = 0; i < kVocabulary - kSpecials; ++i) renamed["x" + std::to_string(i)] = 1;
  Vocabulary other = Vocabulary::build(renamed, {});
  auto complaint = [&](const Vocabulary& source, const Vocabulary& target) {
    return message_of<DataError>([&] { Shortlist::load(path, source, target); });
  };
  EXPECT_EQ(complaint(own, own), "");
  expect_contains(complaint(own, other), "another vocabulary");
  expect_contains(complaint(other, own), "another vocabulary");
}

TEST(Shortlist, IsRefusedWhereItsListsDoNotFit) {
  TempFolder folder;
  Vocabulary vocabulary = numbered_vocabulary(1);  // six entries
  Dataset sentence;
  sentence.add(std::vector<WordId>{5});
  auto good = folder.path() / "good";
  Shortlist::learn(sentence, sentence, 6, 6).save(good, vocabulary, vocabulary);
  SafetensorsFile file = SafetensorsFile::read(good);
  using Numbers = std::vector<uint32_t>;
  auto complaint = [&](const Numbers& frequent, const Numbers& begins, const Numbers& words) {
    auto path = folder.path() / "list";
    write_safetensors(path,
                      {list_entry("frequent", frequent), list_entry("begins", begins),
                       list_entry("translations", words)},
                      file.metadata());
    return message_of<DataError>([&] { Shortlist::load(path, vocabulary, vocabulary); });
  };
  EXPECT_EQ(complaint({5}, {0, 0, 0, 0, 0, 0, 1}, {5}), "");
  expect_contains(complaint({6}, {0, 0, 0, 0, 0, 0, 1}, {5}), "don't fit");
  expect_contains(complaint({5}, {0, 0, 0, 0, 0, 0, 1}, {4}), "don't fit");
  expect_contains(complaint({5}, {0, 0, 0, 0, 0, 1}, {5}), "don't fit");
  expect_contains(complaint({5}, {0, 0, 2, 0, 0, 0, 1}, {5}), "don't fit");
  expect_contains(complaint({5}, {0, 0, 0, 0, 0, 0, 2}, {5}), "don't fit");
  expect_contains(complaint({5}, {}, {}), "don't fit");
}

}  // namespace
}  // namespace bough
