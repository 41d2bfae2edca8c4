// Words from lines and back, and the vocabulary.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "bough/text/tokenizer.h"
#include "bough/text/vocabulary.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;

// ---- tokenizer

std::string utf8(char32_t code_point) {
  std::string text;
  auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xc0 | code_point >> 6);
    byte(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    byte(0xe0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  } else {
    byte(0xf0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3f));
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  }
  return text;
}

/// A line from all of Unicode, with many spaces and marks.
std::string random_line(RandomStream& random) {
  std::string line;
  for (uint64_t left = random.below(40); left > 0; --left) {
    constexpr std::array<uint64_t, 6> kLimits = {0x80, 0x80, 0x250, 0x2100, 0x10000, 0x110000};
    auto code_point = static_cast<char32_t>(random.below(kLimits[random.below(6)]));
    if (code_point == '\n' || (code_point >= 0xd800 && code_point < 0xe000)) code_point = ' ';
    line += utf8(code_point);
  }
  return line;
}

template <size_t kSize>
std::string_view pick(RandomStream& random, const std::array<const char*, kSize>& from) {
  return from[random.below(kSize)];
}

constexpr std::array<const char*, 12> kLetters = {"a",      "B", "z",  "7", "ß",  "Ö",
                                                  "\u0301", "ж", "大", "ع", "ｗ", "\U0001d400"};
constexpr std::array<const char*, 16> kMarks = {".", ",", "-", "_", "'", "\"", "<",    "+",
                                                "$", "^", "€", "¿", "’", "。", "🙂", "\u2014"};
constexpr std::array<const char*, 7> kSpaces = {" ", " ", "\t", "\u00a0", "\u2003", "\u3000", "\r"};

/// A line of known pieces, and what must come of it.
struct KnownLine {
  std::string line;
  std::string without_spaces;
  Words words;
};

KnownLine known_line(RandomStream& random) {
  KnownLine known;
  bool inside = false;
  bool behind_mark = false;  // where an accent belongs to it
  for (uint64_t left = random.below(30); left > 0; --left) {
    uint64_t kind = random.below(8);
    std::string_view piece = kind < 2   ? pick(random, kMarks)
                             : kind < 4 ? pick(random, kSpaces)
                                        : pick(random, kLetters);
    known.line += piece;
    if (behind_mark && piece == "\u0301") {
      known.words.back() += piece;
      known.without_spaces += piece;
      continue;
    }
    behind_mark = kind < 2;
    if (kind < 2 || (kind >= 4 && !inside)) known.words.emplace_back(piece);
    if (kind >= 4 && inside) known.words.back() += piece;
    if (kind < 2 || kind >= 4) known.without_spaces += piece;
    inside = kind >= 4;
  }
  return known;
}

TEST(Tokenizer, SplitsAtWhiteSpaceAndAroundEveryMark) {
  RandomStream random(1, Purpose::kTest);
  for (int i = 0; i < 3000; ++i) {
    KnownLine known = known_line(random);
    Words words = Tokenizer().split(known.line);
    EXPECT_EQ(words, known.words) << known.line;
    std::string joined;
    for (const std::string& word : words) joined += word;
    EXPECT_EQ(joined, known.without_spaces);
  }
  EXPECT_EQ(Tokenizer().split("How are you?"), (Words{"How", "are", "you", "?"}));
  EXPECT_EQ(Tokenizer().split("well-known: $3.50 (don't)"),
            (Words{"well", "-", "known", ":", "$", "3", ".", "50", "(", "don", "'", "t", ")"}));
  EXPECT_EQ(Tokenizer().split(" \t "), Words());
  EXPECT_EQ(Tokenizer().split(""), Words());
}

TEST(Tokenizer, SplittingAgainChangesNothing) {
  RandomStream random(2, Purpose::kTest);
  for (bool pretokenized : {false, true}) {
    for (bool lowercase : {false, true}) {
      Tokenizer tokenizer({.pretokenized = pretokenized, .lowercase = lowercase});
      for (int i = 0; i < 3000; ++i) {
        std::string line = random_line(random);
        Words words = tokenizer.split(line);
        EXPECT_EQ(tokenizer.split(join_words(words)), words) << for_message(line, 1000);
        for (const std::string& word : words) {
          EXPECT_FALSE(word.empty());
          EXPECT_EQ(find_bad_utf8(word), std::string::npos);
        }
      }
    }
  }
}

TEST(Tokenizer, PretokenisedLinesAreSplitAtSpacesOnly) {
  Tokenizer tokenizer({.pretokenized = true});
  EXPECT_EQ(tokenizer.split("don't  stop, <now> \u00a0 ... "),
            (Words{"don't", "stop,", "<now>", "\u00a0", "..."}));
  EXPECT_EQ(tokenizer.split("   "), Words());
}

TEST(Tokenizer, LowerCaseOnDemand) {
  EXPECT_EQ(Tokenizer({.lowercase = true}).split("ÄRGER im Boot!"),
            (Words{"ärger", "im", "boot", "!"}));
  EXPECT_EQ(Tokenizer({.pretokenized = true, .lowercase = true}).split("ÄRGER! Im"),
            (Words{"ärger!", "im"}));
  EXPECT_EQ(Tokenizer().split("Im"), Words{"Im"});
}

TEST(Tokenizer, InvisibleJoinersStayInsideTheirWord) {
  // A soft hyphen, the joiners of Persian and Indic spelling: format characters, no white space.
  for (const char* word : {"Schiff\u00adfahrt", "می\u200cروم", "क\u094d\u200dष"}) {
    EXPECT_EQ(Tokenizer().split(word), Words{word});
  }
}

TEST(Tokenizer, WhatReadsAsOneCharacterIsNotCut) {
  for (const char* word : {"👩‍👩‍👧", "🇩🇪", "👍🏽", "❤️", "#️⃣", "1️⃣",
                           "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏳️‍🌈", "!\u0301"}) {
    EXPECT_EQ(Tokenizer().split(word), Words{word});
    EXPECT_EQ(Tokenizer().split(std::string("so") + word + word + "\t."),
              (Words{"so", word, word, "."}));
  }
  EXPECT_EQ(Tokenizer().split("cafe\u0301! \u0301a"), (Words{"cafe\u0301", "!", "\u0301a"}));
}

TEST(Tokenizer, RandomEmojiSplitAgainChangeNothing) {
  RandomStream random(3, Purpose::kTest);
  constexpr std::array<const char*, 14> kParts = {"a",      "1",      "#",      " ",     "\u0301",
                                                  "\u200d", "\ufe0f", "\u20e3", "👩",     "🏽",
                                                  "🇩",      "🇪",      "\u00ad", "\u0600"};
  for (int i = 0; i < 5000; ++i) {
    std::string line;
    for (uint64_t left = random.below(12); left > 0; --left) {
      line += kParts[random.below(kParts.size())];
    }
    Words words = Tokenizer().split(line);
    EXPECT_EQ(Tokenizer().split(join_words(words)), words) << for_message(line, 1000);
  }
}

TEST(Tokenizer, JoinedWordsHaveOneSpaceBetweenThem) {
  EXPECT_EQ(join_words(Words{}), "");
  EXPECT_EQ(join_words(Words{"a"}), "a");
  EXPECT_EQ(join_words(Words{"a", "!", "b"}), "a ! b");
}

TEST(Detokenizer, WritesAsPeopleDo) {
  for (std::string_view text :
       {"How are you?", "Stop, wait; listen: now!", "I don't know, it's John's.", "We’re late.",
        "They'd say we've lost; I'm sure you'll row.", "He paid $3.50 at 10:30.",
        "Nearly 1,000 of them (or 50%) sank...", "She said \"row the boat\" and left.",
        "\"Row!\" he said.", "It is a 'boat', not a barge.", "a well-known man/woman",
        "¿Dónde está el barco? ¡Aquí!", "[one] {two} and «three»", "see #4 and @home",
        "rock & roll", "one — two", "word"}) {
    EXPECT_EQ(detokenize(Tokenizer().split(text)), text);
  }
  EXPECT_EQ(detokenize(Words{}), "");
  EXPECT_EQ(detokenize(Words{"don't", "stop", "."}), "don't stop.");
  EXPECT_EQ(detokenize(Words{"-", "said", "I", "-"}), "- said I -");
}

TEST(Detokenizer, OnlySpacesAreLost) {
  RandomStream random(3, Purpose::kTest);
  for (int i = 0; i < 3000; ++i) {
    Words words = Tokenizer().split(random_line(random));
    std::string joined;
    for (const std::string& word : words) joined += word;
    std::string text = detokenize(words);
    EXPECT_NE(text.substr(0, 1), " ");
    EXPECT_EQ(text.find("  "), std::string::npos);
    std::erase(text, ' ');
    EXPECT_EQ(text, joined);
    // So no two words that a space kept apart run into each other unless one is a mark.
    EXPECT_EQ(Tokenizer().split(detokenize(words)), words);
  }
}

// ---- vocabulary

Words words_of(const Vocabulary& vocabulary) {
  Words words;
  for (WordId id = kSpecials; id < vocabulary.size(); ++id) words.push_back(vocabulary.word(id));
  return words;
}

const WordCounts kCounts = {{"the", 9}, {"b", 4},      {"a", 4}, {"ä", 4},
                            {"B", 4},   {"<end>", 20}, {"z", 1}, {"<unk>", 1}};

TEST(Vocabulary, SpecialsThenByCountThenByBytes) {
  auto vocabulary = Vocabulary::build(kCounts, {});
  EXPECT_EQ(words_of(vocabulary), (Words{"<end>", "the", "B", "a", "b", "ä", "<unk>", "z"}));
  EXPECT_EQ(vocabulary.size(), kSpecials + 8);
  const Words specials = {"<s>", "<p>", "</s>", "<unk>", "<end>"};
  for (WordId id = 0; id < kSpecials; ++id) {
    EXPECT_EQ(vocabulary.word(id), specials.at(static_cast<size_t>(id)));
  }
}

TEST(Vocabulary, RareWordsAreDropped) {
  EXPECT_EQ(words_of(Vocabulary::build(kCounts, {.max_vocab = 3})), (Words{"<end>", "the", "B"}));
  EXPECT_EQ(words_of(Vocabulary::build(kCounts, {.min_count = 5})), (Words{"<end>", "the"}));
  EXPECT_EQ(words_of(Vocabulary::build(kCounts, {.max_vocab = 1, .min_count = 5})), Words{"<end>"});
  EXPECT_EQ(Vocabulary::build(kCounts, {.max_vocab = 100}).size(), kSpecials + 8);
  EXPECT_EQ(Vocabulary::build({}, {}).size(), kSpecials);
}

TEST(Vocabulary, IdsAndWordsAreOneToOne) {
  auto vocabulary = Vocabulary::build(kCounts, {});
  for (WordId id = kSpecials; id < vocabulary.size(); ++id) {
    EXPECT_EQ(vocabulary.id(vocabulary.word(id)), id);
  }
  const Words words = {"a", "the", "<end>"};
  EXPECT_EQ(vocabulary.words(vocabulary.ids(words)), words);
  EXPECT_EQ(vocabulary.ids(Words{"A", "the", ""}),
            (std::vector<WordId>{kUnknown, kSpecials + 1, kUnknown}));
}

TEST(Vocabulary, AWordNeverIsASpecial) {
  auto vocabulary = Vocabulary::build(kCounts, {});
  EXPECT_EQ(vocabulary.id("<end>"), kSpecials);
  EXPECT_GE(vocabulary.id("<unk>"), kSpecials);
  for (const char* absent : {"<s>", "<p>", "</s>"}) EXPECT_EQ(vocabulary.id(absent), kUnknown);
}

TEST(Vocabulary, RoundTripThroughAFile) {
  TempFolder folder;
  auto path = folder.path() / "vocab.txt";
  auto vocabulary = Vocabulary::build(kCounts, {});
  vocabulary.save(path);
  EXPECT_EQ(lines_of(path)[kEnd], "<end>");
  auto loaded = Vocabulary::load(path);
  ASSERT_EQ(loaded.size(), vocabulary.size());
  for (WordId id = 0; id < loaded.size(); ++id) {
    EXPECT_EQ(loaded.word(id), vocabulary.word(id));
    EXPECT_EQ(loaded.id(loaded.word(id)), vocabulary.id(vocabulary.word(id)));
  }
}

TEST(Vocabulary, ErrorsNameFileAndLine) {
  TempFolder folder;
  auto path = folder.path() / "vocab.txt";
  const std::string specials = "<s>\n<p>\n</s>\n<unk>\n<end>\n";
  auto load = [&](const std::string& content) {
    put(path, content);
    return message_of<DataError>([&] { Vocabulary::load(path); });
  };
  EXPECT_EQ(load(specials), "");
  EXPECT_EQ(load(specials + "a\nb"), "");
  expect_contains(load("a\nb\n"), "vocab.txt', line 1: 'a' where '<s>' should stand");
  expect_contains(load("<s>\n<p>\n</s>\n<end>\n<unk>\n"), "vocab.txt', line 4");
  expect_contains(load("<s>\n\n"), "vocab.txt', line 2");
  expect_contains(load("<s>\n<p>\n"), "vocab.txt' is no vocabulary");
  expect_contains(load(""), "vocab.txt' is no vocabulary");
  expect_contains(load(specials + "a\nb\na\n"), "vocab.txt', line 8: the word 'a'");
  expect_contains(load(specials + "a\n\nb\n"), "vocab.txt', line 7");
  expect_contains(load(specials + "a\nb\xff\n"), "vocab.txt', line 7");
  expect_contains(message_of<DataError>([&] { Vocabulary::load(folder.path() / "nowhere"); }),
                  "nowhere");
  expect_contains(message_of<DataError>([&] { Vocabulary::load(folder.path()); }),
                  folder.path().string());
}

}  // namespace
}  // namespace bough
