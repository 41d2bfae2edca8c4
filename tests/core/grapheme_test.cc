// Characters as readers see them: known ones, and ICU's own break iterator on random text.
#include "bough/text/grapheme.h"

#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/unistr.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bough/base/random.h"
#include "bough/base/utf8.h"

namespace bough {
namespace {

using Parts = std::vector<std::string>;

Parts characters_of(const std::string& text) {
  Parts characters;
  for (size_t at = 0; at < text.size();) {
    size_t end = grapheme_end(text, at);
    characters.push_back(text.substr(at, end - at));
    at = end;
  }
  return characters;
}

TEST(Graphemes, KnownOnes) {
  EXPECT_EQ(characters_of("abc"), (Parts{"a", "b", "c"}));
  EXPECT_EQ(characters_of("cafe\u0301!"), (Parts{"c", "a", "f", "e\u0301", "!"}));
  EXPECT_EQ(characters_of("größer"), (Parts{"g", "r", "ö", "ß", "e", "r"}));
  EXPECT_EQ(characters_of("👩‍👩‍👧👩"), (Parts{"👩‍👩‍👧", "👩"}));
  EXPECT_EQ(characters_of("🇩🇪🇫🇷🇩"), (Parts{"🇩🇪", "🇫🇷", "🇩"}));
  EXPECT_EQ(characters_of("👍🏽👍"), (Parts{"👍🏽", "👍"}));
  EXPECT_EQ(characters_of("1️⃣2#️⃣"), (Parts{"1️⃣", "2", "#️⃣"}));
  EXPECT_EQ(characters_of("각한"), (Parts{"각", "한"}));
  EXPECT_EQ(characters_of("\u1112\u1161\u11ab\u1100"), (Parts{"\u1112\u1161\u11ab", "\u1100"}));
  EXPECT_EQ(characters_of("a\xff\u0301"), (Parts{"a", "\xff\u0301"}));
}

TEST(Graphemes, Keycaps) {
  EXPECT_TRUE(is_keycap("1️⃣"));
  EXPECT_TRUE(is_keycap("#\u20e3"));
  for (const char* other : {"", "1", "#", "👍🏽", "e\u0301"})
    EXPECT_FALSE(is_keycap(other)) << other;
}

TEST(Graphemes, AreIcusInRandomText) {
  constexpr std::array<const char*, 28> kParts = {
      "a",      "1",      "#",      " ",      "\r", "\n",   "ä",      "я",     "\u0301", "\u200d",
      "\ufe0f", "\u20e3", "👩",      "❤",      "©",  "🏽", "🇩",      "🇪",     "\u0939", "\u093f",
      "\u0e33", "\u1100", "\u1161", "\u11a8", "각", "가",   "\u00ad", "\u200b"};
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  ASSERT_TRUE(U_SUCCESS(status));
  RandomStream random(3, Purpose::kTest);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t left = random.below(9); left > 0; --left) {
      text += kParts[random.below(kParts.size())];
    }
    icu::UnicodeString wide = icu::UnicodeString::fromUTF8(text);
    breaks->setText(wide);
    Parts expected;
    for (int32_t begin = breaks->first(), end = breaks->next(); end != icu::BreakIterator::DONE;
         begin = end, end = breaks->next()) {
      wide.tempSubStringBetween(begin, end).toUTF8String(expected.emplace_back());
    }
    ASSERT_EQ(characters_of(text), expected) << for_message(text, 1000);
  }
}

}  // namespace
}  // namespace bough
