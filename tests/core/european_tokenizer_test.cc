// Words, marks and joiners of European languages, and back.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "bough/data/ding.h"
#include "bough/text/bpe_splitter.h"
#include "bough/text/european_tokenizer.h"
#include "bough/text/tokenizer.h"
#include "bough/text/vocabulary.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;

/// The line with single spaces between what white space parts.
std::string with_single_spaces(std::string_view line) {
  std::string text;
  for (std::string_view word : split_at_white_space(line)) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

/// The law, and what every token is.
void expect_round_trip(std::string_view line) {
  Words tokens = split_european(line);
  EXPECT_EQ(join_european(tokens), with_single_spaces(line)) << for_message(line, 1000);
  // The tokens survive a file with spaces between them.
  EXPECT_EQ(Tokenizer({.pretokenized = true}).split(join_words(tokens)), tokens);
  for (const std::string& token : tokens) {
    EXPECT_FALSE(token.empty());
    EXPECT_EQ(split_at_white_space(token).size(), 1U) << for_message(token, 1000);
  }
}

/// Splits a line and writes its tokens with spaces between them.
std::string tokens_of(std::string_view line) {
  expect_round_trip(line);
  return join_words(split_european(line));
}

TEST(EuropeanTokenizer, MarksAreCutOffAndCarryTheJoiner) {
  EXPECT_EQ(tokens_of("Hello, world!"), "Hello ￭, world ￭!");
  EXPECT_EQ(tokens_of("Hello, (big) world!"), "Hello ￭, (￭ big ￭) world ￭!");
  EXPECT_EQ(tokens_of("He said: \"Wait!\""), "He said ￭: \"￭ Wait ￭! ￭\"");
  EXPECT_EQ(tokens_of("„Warte“, sagte er."), "„￭ Warte ￭“ ￭, sagte er ￭.");
  EXPECT_EQ(tokens_of("»Ja«, « oui », “yes”."), "»￭ Ja ￭« ￭, « oui » ￭, “￭ yes ￭” ￭.");
  EXPECT_EQ(tokens_of("¿Qué? ¡Ay!"), "¿￭ Qué ￭? ¡￭ Ay ￭!");
  EXPECT_EQ(tokens_of("(\"a\")"), "(￭ \"￭ a ￭\" ￭)");
  EXPECT_EQ(tokens_of("word(s) and/or x=y"), "word ￭(￭ s ￭) and ￭/￭ or x ￭=￭ y");
  EXPECT_EQ(tokens_of("50% of $5 or 5€"), "50 ￭% of $￭ 5 or 5 ￭€");
  EXPECT_EQ(tokens_of("AT&T a@b.de #tag"), "AT ￭&￭ T a ￭@￭ b.de #￭ tag");
}

TEST(EuropeanTokenizer, MarksAmongThemselves) {
  EXPECT_EQ(tokens_of("Well... no -- yes!!! What?!"), "Well ￭... no -- yes ￭!!! What ￭? ￭!");
  EXPECT_EQ(tokens_of("...and on--and on"), "...￭ and on ￭--￭ and on");
  EXPECT_EQ(tokens_of("- ?\" ..."), "- ? ￭\" ...");
}

TEST(EuropeanTokenizer, WhiteSpaceOfAllKinds) {
  EXPECT_EQ(split_european(" \ta \u00a0 b\u2003c\u3000.\r\n"), (Words{"a", "b", "c", "."}));
  EXPECT_EQ(split_european(""), Words());
  EXPECT_EQ(split_european(" \t "), Words());
  EXPECT_EQ(tokens_of("a , b ."), "a , b .");
}

TEST(EuropeanTokenizer, NumbersStayWhole) {
  EXPECT_EQ(tokens_of("3.5, 1,000 and 10:30."), "3.5 ￭, 1,000 and 10:30 ￭.");
  EXPECT_EQ(tokens_of("1.000,50 1'000 1’000 192.168.0.1"), "1.000,50 1'000 1’000 192.168.0.1");
  EXPECT_EQ(tokens_of("3-5 1/2 -5 .5 1:"), "3 ￭-￭ 5 1 ￭/￭ 2 -￭ 5 .￭ 5 1 ￭:");
  EXPECT_EQ(tokens_of("am 3. Mai 2006."), "am 3 ￭. Mai 2006 ￭.");
  EXPECT_EQ(tokens_of("CO2 3pm 1990's 20°C"), "CO2 3pm 1990 ￭'s 20 ￭°￭ C");
}

TEST(EuropeanTokenizer, HyphenatedWordsStayWhole) {
  EXPECT_EQ(tokens_of("a well-known E-Mail, 20-jährig"), "a well-known E-Mail ￭, 20-jährig");
  EXPECT_EQ(tokens_of("Haupt- und Nebensatz (Haupt-)"), "Haupt- und Nebensatz (￭ Haupt- ￭)");
  EXPECT_EQ(tokens_of("-satz a-- a–b a—b"), "-￭ satz a ￭-- a ￭–￭ b a ￭—￭ b");
}

TEST(EuropeanTokenizer, AbbreviationsKeepTheirPeriods) {
  EXPECT_EQ(tokens_of("z.B. in the U.S., e.g. at 3 p.m."), "z.B. in the U.S. ￭, e.g. at 3 p.m.");
  EXPECT_EQ(tokens_of("Dr. Meier bzw. Mrs. Smith usw."), "Dr. Meier bzw. Mrs. Smith usw.");
  EXPECT_EQ(tokens_of("Ca. 5 d. h. J. R. Smith, Ph.D.!"), "Ca. 5 d. h. J. R. Smith ￭, Ph.D. ￭!");
  EXPECT_EQ(tokens_of("(etc.) etc... Dr.-Ing."), "(￭ etc. ￭) etc ￭... Dr. ￭-￭ Ing.");
  EXPECT_EQ(tokens_of("www.example.com."), "www.example.com ￭.");
  EXPECT_EQ(tokens_of("The end.Next one. Bonn."), "The end.Next one ￭. Bonn ￭.");
  EXPECT_EQ(tokens_of("It ended.Next one."), "It ended ￭.￭ Next one ￭.");
}

TEST(EuropeanTokenizer, ASingleLetterMayEndASentence) {
  EXPECT_EQ(tokens_of("This is plan B."), "This is plan B ￭.");
  EXPECT_EQ(tokens_of("(\"Plan B.\")"), "(￭ \"￭ Plan B ￭. ￭\" ￭)");
  EXPECT_EQ(tokens_of("So am I. So is J. Smith."), "So am I ￭. So is J. Smith ￭.");
}

TEST(EuropeanTokenizer, Apostrophes) {
  EXPECT_EQ(tokens_of("I don't, it's; WE'RE"), "I don ￭'t ￭, it ￭'s ￭; WE ￭'RE");
  EXPECT_EQ(tokens_of("Wie geht’s? I’ve"), "Wie geht ￭’s ￭? I ￭’ve");
  EXPECT_EQ(tokens_of("l'homme d’accord qu'il L'an"), "l'￭ homme d’￭ accord qu'￭ il L'￭ an");
  EXPECT_EQ(tokens_of("o'clock rock'n'roll aujourd'hui ma'am"),
            "o'clock rock'n'roll aujourd'hui ma'am");
  EXPECT_EQ(tokens_of("the dogs' 'big' tail, 'tis"), "the dogs ￭' '￭ big ￭' tail ￭, '￭ tis");
  EXPECT_EQ(tokens_of("the U.S.'s bull's-eye's"), "the U.S. ￭'s bull ￭'s ￭-￭ eye ￭'s");
  EXPECT_EQ(tokens_of("'s 't"), "'￭ s '￭ t");
}

TEST(EuropeanTokenizer, CombiningMarksStayWithTheirCharacter) {
  EXPECT_EQ(tokens_of("cafe\u0301."), "cafe\u0301 ￭.");
  EXPECT_EQ(tokens_of("I \u2764\ufe0f\u2764\ufe0f!"), "I \u2764\ufe0f\u2764\ufe0f ￭!");
  EXPECT_EQ(tokens_of("Schiff\u00adfahrt"), "Schiff\u00adfahrt");
}

TEST(EuropeanTokenizer, WhatReadsAsOneCharacterIsNotCut) {
  EXPECT_EQ(tokens_of("Us:👩‍👩‍👧!"), "Us ￭: ￭👩‍👩‍👧 ￭!");
  EXPECT_EQ(tokens_of("go 🇩🇪🇩🇰, 👍🏽👍🏿"),
            "go 🇩🇪 ￭🇩🇰 ￭, 👍🏽 ￭👍🏿");
  EXPECT_EQ(tokens_of("👍🏽👍🏽 🇩🇪🇩🇪"),
            "👍🏽👍🏽 🇩🇪🇩🇪");  // the same mark several times
  EXPECT_EQ(tokens_of("#️⃣1️⃣2️⃣"), "#️⃣ ￭1️⃣ ￭2️⃣");
  EXPECT_EQ(tokens_of("🏴󠁧󠁢󠁥󠁮󠁧󠁿. 🏳️‍🌈?"),
            "🏴󠁧󠁢󠁥󠁮󠁧󠁿 ￭. 🏳️‍🌈 ￭?");
}

TEST(EuropeanTokenizer, JoinersInTheTextSurvive) {
  EXPECT_EQ(tokens_of("a ￭ b ￭￭"), "a ￮j b ￮j￮j");
  EXPECT_EQ(tokens_of("￭, ￮ ￮j ￮￭"), "￮j ￭, ￮e ￮e￭ j ￮e ￭￮j");
  // A line that was split is text like any other.
  std::string line = "Hello, (big) world!";
  std::string again = line;
  for (int i = 0; i < 4; ++i) again = tokens_of(again);
  for (int i = 0; i < 4; ++i) again = join_european(Tokenizer({.pretokenized = true}).split(again));
  EXPECT_EQ(again, line);
}

TEST(EuropeanTokenizer, JoiningTakesWhatAModelWrites) {
  EXPECT_EQ(join_european(Words{}), "");
  EXPECT_EQ(join_european(Words{"￭,", "a", "￭", "b", "c￭"}), ", ab c");
  EXPECT_EQ(join_european(Words{"￭￭a￭￭", "b￭c", "", "d"}), "abc d");
  EXPECT_EQ(join_european(Words{"￮", "￮x", "￮", "j"}), "￮ ￮x ￮ j");
  EXPECT_EQ(join_european(Words{"\xef\xbf", "\xad", "(￭", "￭)"}), "\xef\xbf \xad ()");
  RandomStream random(1, Purpose::kTest);
  constexpr std::array<const char*, 8> kParts = {"￭", "￭", "￮", "j", "e", "a", ".", "\xef"};
  for (int i = 0; i < 2000; ++i) {
    Words tokens;
    for (uint64_t words = random.below(8); words > 0; --words) {
      tokens.emplace_back();
      for (uint64_t parts = random.below(5); parts > 0; --parts) {
        tokens.back() += kParts[random.below(kParts.size())];
      }
    }
    std::string text = join_european(tokens);
    EXPECT_EQ(text.find("  "), std::string::npos);
    EXPECT_FALSE(text.starts_with(' '));
  }
}

// ---- the law

TEST(EuropeanTokenizerLaws, RandomTextComesBack) {
  RandomStream random(2, Purpose::kTest);
  constexpr std::array<const char*, 38> kParts = {
      " ",      " ",    "\t", "a",    "I", "s", "t",      "Dr",     "z",  "B",
      "5",      "2",    ".",  ".",    ",", ":", "'",      "’",      "\"", "-",
      "-",      "(",    ")",  "“",    "„", "￭", "￮",      "\u0301", "j",  "\u00a0",
      "\u200d", "\xff", "👩",  "🏽", "🇩", "🇪", "\ufe0f", "\u20e3"};
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    for (uint64_t left = random.below(25); left > 0; --left) {
      line += kParts[random.below(kParts.size())];
    }
    EXPECT_EQ(join_european(split_european(line)), with_single_spaces(line)) << line;
  }
}

TEST(EuropeanTokenizerLaws, TrickyLinesComeBackInPiecesToo) {
  Bpe bpe(BpeCodes::load(golden_path("bpe_codes_500.txt")));
  BpeSplitter splitter(bpe);
  for (const char* name : {"ref1.txt", "hypB.txt"}) {
    for (const std::string& line : golden_lines(name)) {
      expect_round_trip(line);
      Words pieces = splitter.split(split_european(line));
      EXPECT_EQ(join_european(join_bpe(pieces)), with_single_spaces(line));
    }
  }
}

TEST(EuropeanTokenizerLaws, TheDictionaryComesBack) {
  DingOptions options{.phrases = true};
  ASSERT_TRUE(fs::exists(options.file)) << "install trans-de-en";
  for (const GermanEnglish& pair : ding_pairs(options)) {
    for (const std::string& line : {pair.german, pair.english}) {
      EXPECT_EQ(join_european(split_european(line)), line);
    }
  }
}

TEST(EuropeanTokenizer, OneTokenReadsWithoutJoiners) {
  EXPECT_EQ(shown_token("￭'s"), "'s");
  EXPECT_EQ(shown_token("(￭"), "(");
  EXPECT_EQ(shown_token("word"), "word");
  EXPECT_TRUE(joins("it", "￭'s"));
  EXPECT_TRUE(joins("(￭", "big"));
  EXPECT_FALSE(joins("big", "word"));
}

TEST(EuropeanTokenizer, AMarkByItselfIsTheOneBehindAWord) {
  Vocabulary words = Vocabulary::build({{"it", 3}, {"￭.", 2}, {"-", 1}, {"￭-", 1}}, {});
  EXPECT_EQ(known_token(".", words), "￭.");
  EXPECT_EQ(known_token("-", words), "-");
  EXPECT_EQ(known_token("it", words), "it");
  EXPECT_EQ(known_token("unheard", words), "unheard");
}

}  // namespace
}  // namespace bough
