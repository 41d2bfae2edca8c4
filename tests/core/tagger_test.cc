// The tagger: what it learns, that it stays the same on disk, and that nothing odd breaks it.
#include "bough/analysis/tagger.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bough/analysis/tagger_learn.h"
#include "bough/analysis/tagger_score.h"
#include "bough/base/error.h"
#include "bough/base/random.h"
#include "bough/base/safetensors.h"
#include "bough/base/utf8.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;

/// From `the/DET cat/NOUN`.
ConlluSentence sentence_of(std::string_view text) {
  ConlluSentence sentence;
  for (std::string_view item : split_at_white_space(text)) {
    size_t slash = item.rfind('/');
    sentence.words.push_back({.form = std::string(item.substr(0, slash)),
                              .tag = universal_tag(item.substr(slash + 1)),
                              .head = 0});
  }
  return sentence;
}

/// Small enough to learn by heart; `can`, `fish` and `saw` have two tags each.
std::vector<ConlluSentence> small_treebank() {
  ConlluSentence clitics = sentence_of("I/PRON do/AUX n't/PART fish/VERB ./PUNCT");
  clitics.tokens.push_back({.first = 1, .last = 2, .form = "don't"});
  return {sentence_of("The/DET cat/NOUN saw/VERB a/DET fish/NOUN ./PUNCT"),
          sentence_of("Anna/PROPN can/AUX fish/VERB ./PUNCT"),
          sentence_of("The/DET saw/NOUN is/AUX sharp/ADJ ./PUNCT"),
          sentence_of("We/PRON can/AUX see/VERB the/DET can/NOUN ./PUNCT"),
          sentence_of("Paul/PROPN opened/VERB two/NUM cans/NOUN and/CCONJ slept/VERB ./PUNCT"),
          sentence_of("Oh/INTJ ,/PUNCT the/DET fish/NOUN quickly/ADV swam/VERB to/ADP Anna/PROPN"),
          clitics};
}

Tagger small_tagger(int64_t seed = 1) {
  return learn_tagger(small_treebank(), {.iterations = 20, .seed = seed, .min_count = 1});
}

std::string tags_of(const Tagger& tagger, const Words& words) {
  std::string text;
  for (UniversalTag tag : tagger.tag(words)) {
    text += (text.empty() ? "" : " ") + std::string(name_of(tag));
  }
  return text;
}

std::string bytes_of(const Tagger& tagger) {
  TempFolder folder;
  tagger.save(folder.path() / "small.tagger");
  return read_file(folder.path() / "small.tagger");
}

/// What the error for a file says.
std::string complaint(std::string_view content) {
  TempFolder folder;
  put(folder.path() / "small.tagger", content);
  return message_of<DataError>([&] { Tagger::load(folder.path() / "small.tagger"); });
}

// ---- sentences to learn from

TEST(Spellings, AreThoseOfOtherCorpora) {
  auto ways = spellings(small_treebank().back());
  ASSERT_EQ(ways.size(), 4U);
  EXPECT_EQ(ways[0].words, (Words{"I", "do", "n't", "fish", "."}));
  EXPECT_EQ(ways[1].words, (Words{"i", "do", "n't", "fish", "."}));
  EXPECT_EQ(ways[2].words, (Words{"i", "don", "t", "fish", "."}));
  EXPECT_EQ(ways[3].words, (Words{"i", "don't", "fish", "."}));
  for (const auto& way : ways) EXPECT_EQ(way.words.size(), way.tags.size());
  EXPECT_EQ(ways[2].tags[2], UniversalTag::kParticle);
  EXPECT_EQ(ways[3].tags[1], UniversalTag::kAuxiliary);
  EXPECT_EQ(ways[3].tags[2], UniversalTag::kVerb);
  EXPECT_EQ(spellings(small_treebank().front()).size(), 2U);
}

TEST(TaggedSentences, NeedAllTheirTags) {
  std::vector<ConlluSentence> sentences = small_treebank();
  EXPECT_EQ(tagged_sentences(sentences, "x.conllu").size(), sentences.size());
  sentences[1].words[1].tag.reset();
  expect_contains(message_of<DataError>([&] { tagged_sentences(sentences, "x.conllu"); }),
                  "'x.conllu', sentence 2: the word 'can' has no UPOS");
  expect_contains(message_of<DataError>([] { tagged_sentences({}, "x.conllu"); }),
                  "'x.conllu' has no sentences");
}

// ---- learning

TEST(Tagger, LearnsASmallTreebankByHeart) {
  Tagger tagger = small_tagger();
  for (const ConlluSentence& sentence : small_treebank()) {
    TaggerScore score = judge_tagger(tagger, spellings(sentence));
    EXPECT_EQ(score.right, score.words) << fmt::format("{}", fmt::join(sentence.forms(), " "));
    EXPECT_EQ(score.unseen_words, 0);
  }
}

TEST(Tagger, GoesByTheEndOfAWordItDoesNotKnow) {
  std::vector<ConlluSentence> sentences;
  for (const char* stem : {"quick", "slow", "sad", "glad", "bold", "calm", "kind", "loud"}) {
    sentences.push_back(sentence_of(fmt::format("they/PRON {}ly/ADV ran/VERB", stem)));
    sentences.push_back(sentence_of(fmt::format("they/PRON {}ed/VERB {}ness/NOUN", stem, stem)));
  }
  Tagger tagger = learn_tagger(sentences, {.iterations = 10});
  EXPECT_FALSE(tagger.knows("softly"));
  EXPECT_EQ(tags_of(tagger, {"they", "softly", "ran"}), "PRON ADV VERB");
  EXPECT_EQ(tags_of(tagger, {"they", "pitted", "softness"}), "PRON VERB NOUN");
}

TEST(Tagger, IsTheSameForTheSameSeed) {
  EXPECT_EQ(bytes_of(small_tagger(4)), bytes_of(small_tagger(4)));
  EXPECT_NE(bytes_of(small_tagger(4)), bytes_of(small_tagger(5)));
}

TEST(Tagger, KeepsNoMoreFeaturesThanAsked) {
  Tagger tagger =
      learn_tagger(small_treebank(), {.iterations = 5, .max_features = 50, .min_count = 1});
  EXPECT_LE(tagger.feature_count(), 50U);
  EXPECT_GT(tagger.feature_count(), 0U);
  EXPECT_GT(small_tagger().feature_count(), 50U);
}

TEST(Tagger, ReportsItsIterations) {
  std::vector<int64_t> seen;
  learn_tagger(small_treebank(), {.iterations = 3, .max_features = 50, .min_count = 1},
               [&](const TaggerProgress& progress) {
                 seen.push_back(progress.iteration);
                 EXPECT_LE(progress.iteration, progress.iterations);
                 EXPECT_GE(progress.accuracy, 0.0);
                 EXPECT_LE(progress.accuracy, 1.0);
               });
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

TEST(Tagger, LearnsNothingFromNothing) {
  Tagger tagger = learn_tagger({}, {});
  EXPECT_EQ(tagger.feature_count(), 0U);
  EXPECT_EQ(tagger.tag(Words{"a", "b"}).size(), 2U);
}

// ---- scores

TEST(TaggerScore, CountsByTag) {
  TaggerScore score;
  auto noun = static_cast<size_t>(UniversalTag::kNoun);
  auto verb = static_cast<size_t>(UniversalTag::kVerb);
  score.confusion[noun][noun] = 6;
  score.confusion[noun][verb] = 2;
  score.confusion[verb][verb] = 1;
  score.confusion[verb][noun] = 1;
  score.words = 10;
  score.right = 7;
  TagScore nouns = score_of(score, UniversalTag::kNoun);
  EXPECT_EQ(nouns.words, 8);
  EXPECT_DOUBLE_EQ(nouns.recall, 6.0 / 8);
  EXPECT_DOUBLE_EQ(nouns.precision, 6.0 / 7);
  EXPECT_DOUBLE_EQ(nouns.f1, 12.0 / 15);
  EXPECT_DOUBLE_EQ(score_of(score, UniversalTag::kVerb).precision, 1.0 / 3);
  auto json = to_json(score);
  EXPECT_DOUBLE_EQ(json["accuracy"].get<double>(), 0.7);
  EXPECT_EQ(json["unseen_accuracy"].get<double>(), 0.0);
  EXPECT_EQ(json["tags"].size(), 2U);
  expect_contains(describe(score), "NOUN          8      85.71    75.00    80.00");
}

TEST(TaggerScore, KnowsWordsInAnyCase) {
  Tagger tagger = small_tagger();
  EXPECT_TRUE(tagger.knows("CAT"));
  EXPECT_TRUE(tagger.knows("anna"));
  EXPECT_TRUE(tagger.knows("don't"));
  EXPECT_FALSE(tagger.knows("dog"));
  TaggerScore score = judge_tagger(
      tagger,
      {{.words = {"The", "dog"}, .tags = {UniversalTag::kDeterminer, UniversalTag::kNoun}}});
  EXPECT_EQ(score.words, 2);
  EXPECT_EQ(score.unseen_words, 1);
}

// ---- odd words

TEST(Tagger, TagsWhateverItIsGiven) {
  Tagger tagger = small_tagger();
  EXPECT_TRUE(tagger.tag(Words{}).empty());
  Words odd = {
      "",         "Ünïcödé",  "日本語", "İ",        "ﬁsh",  "\xc3\x28", std::string(1, '\0'),
      "e\u0301",  "🙂🙂", "ẞ",      "\xff\xfe", "a\tb", "‘’“”",     std::string(100'000, 'x'),
      "1,000.50", "----",     "ǅ"};
  EXPECT_EQ(tagger.tag(odd).size(), odd.size());
  RandomStream random(7, Purpose::kTest);
  for (int trial = 0; trial < 200; ++trial) {
    Words words(random.below(12));
    for (std::string& word : words) {
      word.resize(random.below(8));
      for (char& byte : word) byte = static_cast<char>(random.below(256));
    }
    EXPECT_EQ(tagger.tag(words).size(), words.size());
  }
}

// ---- files

TEST(TaggerFile, GivesTheSameTagger) {
  TempFolder folder;
  Tagger tagger = small_tagger();
  tagger.save(folder.path() / "small.tagger");
  Tagger loaded = Tagger::load(folder.path() / "small.tagger");
  EXPECT_EQ(loaded.feature_count(), tagger.feature_count());
  EXPECT_EQ(loaded.word_count(), tagger.word_count());
  EXPECT_EQ(bytes_of(loaded), bytes_of(tagger));
  RandomStream random(3, Purpose::kTest);
  Words vocabulary = {"The", "cat", "saw", "can", "fish", "quickly", "Zoe", "don't", "12", "."};
  for (int trial = 0; trial < 200; ++trial) {
    Words words(1 + random.below(10));
    for (std::string& word : words) word = vocabulary[random.below(vocabulary.size())];
    EXPECT_EQ(loaded.tag(words), tagger.tag(words));
  }
}

TEST(TaggerFile, IsRefusedWhereItIsDamaged) {
  std::string good = bytes_of(small_tagger());
  EXPECT_EQ(complaint(good), "");
  std::string flipped = good;
  flipped[flipped.size() - 5] ^= 1;
  expect_contains(complaint(flipped), "small.tagger' is damaged: its checksum does not fit");
  expect_contains(complaint(good.substr(0, good.size() - 10)), "is cut short");
  expect_contains(complaint(good.substr(0, 40)), "is cut short");
  expect_contains(complaint("not a tagger"), "is not a safetensors file");
  expect_contains(complaint(""), "is not a safetensors file");
  for (size_t i = 0; i < good.size(); i += 97) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] + 1);
    EXPECT_NE(complaint(damaged), "") << i;
  }
  expect_contains(message_of<DataError>([] { Tagger::load("no/such.tagger"); }),
                  "cannot read 'no/such.tagger'");
}

/// A file with the right form and these arrays; keys and tags are U32, weights I8.
std::string complaint_about(const std::vector<uint32_t>& keys, const std::vector<uint32_t>& tags,
                            const std::vector<int8_t>& weights, const std::string& version = "1",
                            const std::vector<uint32_t>& entries = {}) {
  TempFolder folder;
  auto path = folder.path() / "made.tagger";
  auto bytes = [](const auto& numbers) {
    return std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof numbers[0]);
  };
  auto length = [](const auto& numbers) {
    return std::vector<int64_t>{static_cast<int64_t>(numbers.size())};
  };
  std::vector<uint32_t> words;
  for (size_t i = 0; i < entries.size(); ++i) words.push_back(static_cast<uint32_t>(i));
  write_safetensors(path,
                    {{"word_keys", "U32", length(words), bytes(words)},
                     {"word_entries", "U32", length(entries), bytes(entries)},
                     {"feature_keys", "U32", length(keys), bytes(keys)},
                     {"feature_tags", "U32", length(tags), bytes(tags)},
                     {"weights", "I8", length(weights), bytes(weights)}},
                    {{"format", "bough-tagger"}, {"version", version}});
  return message_of<DataError>([&] { Tagger::load(path); });
}

TEST(TaggerFile, IsRefusedWhereItsArraysDoNotFit) {
  EXPECT_EQ(complaint_about({1, 5}, {1, 3}, {1, 2, 3}), "");
  EXPECT_EQ(complaint_about({}, {}, {}), "");
  expect_contains(complaint_about({5, 1}, {1, 3}, {1, 2, 3}), "feature_keys doesn't rise");
  expect_contains(complaint_about({5, 5}, {1, 3}, {1, 2, 3}), "feature_keys doesn't rise");
  expect_contains(complaint_about({1, 5}, {1, 3}, {1, 2}), "don't fit together");
  expect_contains(complaint_about({1, 5}, {1}, {1}), "don't fit together");
  expect_contains(complaint_about({1}, {1U << 20}, {1}), "don't fit together");
  expect_contains(complaint_about({}, {}, {}, "1", {31U << 17}), "a word has no such tag");
  expect_contains(complaint_about({}, {}, {}, "7"), "it is of version 7, this program reads");
}

TEST(TaggerFile, OfAnotherKindIsNoTagger) {
  TempFolder folder;
  auto path = folder.path() / "model.safetensors";
  write_safetensors(path, {}, {});
  expect_contains(message_of<DataError>([&] { Tagger::load(path); }), "it is no tagger");
}

TEST(TaggerFile, OfBoughIsFoundAndTagsEnglish) {
  ::unsetenv("BOUGH_TAGGER");
  Tagger tagger = Tagger::load(default_tagger_path());
  EXPECT_EQ(tags_of(tagger, {"The", "old", "man", "gave", "her", "two", "books", "."}),
            "DET ADJ NOUN VERB PRON NUM NOUN PUNCT");
  EXPECT_EQ(tags_of(tagger, {"i", "don", "t", "like", "cats", "."}),
            "PRON AUX PART VERB NOUN PUNCT");
  EXPECT_EQ(tags_of(tagger, {"i", "don't", "like", "cats", "."}), "PRON AUX VERB NOUN PUNCT");
  ::setenv("BOUGH_TAGGER", "another.tagger", 1);
  EXPECT_EQ(default_tagger_path(), "another.tagger");
  ::unsetenv("BOUGH_TAGGER");
}

}  // namespace
}  // namespace bough
