// Word vectors: the formats they are read from, and what is wrong with files.
#include "bough/data/word_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Values = std::vector<float>;

WordVectors read_vectors(std::string_view content, const WordSet* keep = nullptr) {
  TempFolder folder;
  put(folder.path() / "vectors.txt", content);
  return WordVectors((folder.path() / "vectors.txt").string(), keep);
}

Values values_of(const WordVectors& vectors, std::string_view word) {
  auto number = vectors.find(word);
  if (!number) return {};
  auto values = vectors.values(*number);
  return {values.begin(), values.end()};
}

/// What the error for a file says.
std::string complaint(std::string_view content, const WordSet* keep = nullptr) {
  return message_of<DataError>([&] { read_vectors(content, keep); });
}

TEST(WordVectors, AreReadWithAndWithoutAHeader) {
  for (const char* content :
       {"2 3\ncat 1 -2.5 3e-1\ndog 0.5 0 -1\n", "cat 1 -2.5 3e-1\ndog 0.5 0 -1\n",
        "2 3\r\ncat 1 -2.5 3e-1 \r\ndog 0.5 0 -1 \r\n", "cat\t1\t-2.5\t3e-1\ndog  0.5 0 -1"}) {
    WordVectors vectors = read_vectors(content);
    EXPECT_EQ(vectors.file_name(), "vectors.txt");
    EXPECT_EQ(vectors.size(), 2U);
    EXPECT_EQ(vectors.dimension(), 3U);
    EXPECT_EQ(values_of(vectors, "cat"), (Values{1.0F, -2.5F, 0.3F}));
    EXPECT_EQ(values_of(vectors, "dog"), (Values{0.5F, 0.0F, -1.0F}));
    EXPECT_FALSE(vectors.find("Cat").has_value());
  }
}

TEST(WordVectors, AreReadFromGzip) {
  TempFolder folder;
  auto path = (folder.path() / "vectors.txt.gz").string();
  write_file(path, "1 2\ncat 3 4\n");
  ASSERT_NE(read_file(path).substr(0, 3), "1 2");
  EXPECT_EQ(values_of(WordVectors(path), "cat"), (Values{3.0F, 4.0F}));
}

TEST(WordVectors, KeepTheBytesOfAWord) {
  WordVectors vectors = read_vectors("3 1\nÜber 1\n日本 2\n\xc3\x28 3\n");
  EXPECT_EQ(values_of(vectors, "Über"), Values{1.0F});
  EXPECT_EQ(values_of(vectors, "日本"), Values{2.0F});
  EXPECT_EQ(values_of(vectors, "\xc3\x28"), Values{3.0F});
}

TEST(WordVectors, MayBeNumbers) {
  WordVectors vectors = read_vectors("2 2\n7 1 2\n8 3 4\n");
  EXPECT_EQ(values_of(vectors, "7"), (Values{1.0F, 2.0F}));
  EXPECT_EQ(values_of(read_vectors("7 1 2\n"), "7"), (Values{1.0F, 2.0F}));
}

TEST(WordVectors, TooSmallForAFloatAreZero) {
  EXPECT_EQ(values_of(read_vectors("cat 1e-60 1\n"), "cat"), (Values{0.0F, 1.0F}));
}

TEST(WordVectors, OfTheSameWordTheLastCounts) {
  WordVectors vectors = read_vectors("3 2\ncat 1 0\ndog 0 1\ncat 0 2\n");
  EXPECT_EQ(vectors.size(), 2U);
  EXPECT_EQ(values_of(vectors, "cat"), (Values{0.0F, 2.0F}));
  EXPECT_DOUBLE_EQ(vectors.cosine(*vectors.find("cat"), *vectors.find("dog")), 1.0);
}

TEST(WordVectors, OfWordsWithBlanksArePassedOver) {
  WordVectors vectors = read_vectors("3 2\ncat 1 2\n. . . 3 4\ndog 5 6\n");
  EXPECT_EQ(vectors.size(), 2U);
  EXPECT_FALSE(vectors.find(".").has_value());
  EXPECT_EQ(values_of(vectors, "dog"), (Values{5.0F, 6.0F}));
}

TEST(WordVectors, OfOtherWordsAreLeftOut) {
  WordSet keep = {"dog", "owl"};
  WordVectors vectors = read_vectors("3 2\ncat 1 2\ndog 3 4\ncow what is this\n", &keep);
  EXPECT_EQ(vectors.size(), 1U);
  EXPECT_EQ(values_of(vectors, "dog"), (Values{3.0F, 4.0F}));
  EXPECT_EQ(values_of(vectors, "cat"), Values());
}

TEST(WordVectors, HaveCosines) {
  // Eleven values: no whole number of blocks.
  std::string content = "left";
  std::string other = "right";
  double product = 0.0;
  double left_squares = 0.0;
  double right_squares = 0.0;
  for (int i = 1; i <= 11; ++i) {
    content += " " + std::to_string(i);
    other += " " + std::to_string(i * i - 40);
    product += i * (i * i - 40);
    left_squares += i * i;
    right_squares += (i * i - 40) * (i * i - 40);
  }
  WordVectors vectors =
      read_vectors(content + "\n" + other + "\nzero" + " 0 0 0 0 0 0 0 0 0 0 0\n");
  auto cosine = [&](std::string_view left, std::string_view right) {
    return vectors.cosine(*vectors.find(left), *vectors.find(right));
  };
  EXPECT_DOUBLE_EQ(cosine("left", "right"), product / std::sqrt(left_squares * right_squares));
  EXPECT_DOUBLE_EQ(cosine("left", "right"), cosine("right", "left"));
  EXPECT_DOUBLE_EQ(cosine("left", "left"), 1.0);
  EXPECT_EQ(cosine("left", "zero"), 0.0);
}

// ---- bad files

TEST(BadWordVectors, WithTheWrongNumberOfValues) {
  std::string message = complaint("2 3\ncat 1 2 3\ndog 1 2\n");
  expect_contains(message, "vectors.txt', line 3: 'dog' has 2 values");
  expect_contains(message, "dimension of the vectors is 3");
  expect_contains(complaint("cat 1 2 3\ndog 1 2 3 4\n"), "line 2: 'dog' has 4 values");
  expect_contains(complaint("1 3\ncat 1 2 3 4\n"), "line 2: 'cat' has 4 values");
  expect_contains(complaint("cat 1 2\n\ndog 1 2\n"), "line 2: '' has 0 values");
}

TEST(BadWordVectors, WithWhatIsNoFiniteNumber) {
  for (const char* value : {"x", "1.5x", "nan", "inf", "-inf", "1e60", "1,5", "--1"}) {
    std::string message = complaint("cat 1 2 3\ndog 1 " + std::string(value) + " 3\n");
    expect_contains(message, "line 2: value 2 of 'dog' is '" + std::string(value) + "'");
  }
  expect_contains(complaint("cat 1 2 x\n"), "line 1: value 3 of 'cat' is 'x'");
}

TEST(BadWordVectors, WithNothingInThem) {
  expect_contains(complaint(""), "has no word vectors");
  expect_contains(complaint("0 50\n"), "has no word vectors");
}

TEST(BadWordVectors, OfAnotherKind) {
  WordSet keep = {"cat"};
  expect_contains(complaint("hello\nworld\n"), "line 1: no word vectors");
  expect_contains(complaint("\n"), "line 1: no word vectors");
  expect_contains(complaint("3 0\n"), "line 1: no word vectors");
  expect_contains(complaint("3 -5\n"), "line 1: no word vectors");
  expect_contains(complaint("3 1000000000000\n"), "line 1: no word vectors");
  expect_contains(complaint("2 2\nThis is a text.\n"), "line 2: 'This' has 3 values");
  // Noticed even where none of the words is wanted.
  expect_contains(complaint("This is a text.\nSo is this.\n", &keep), "line 1: value 1 of 'This'");
}

TEST(BadWordVectors, WhoseHeaderCountsWrongly) {
  expect_contains(complaint("3 2\ncat 1 2\ndog 1 2\n"), "there are 3 words, but there are 2");
  expect_contains(complaint("1 2\ncat 1 2\ndog 1 2\n"), "there are 1 words, but there are 2");
  WordSet keep = {"cat"};
  expect_contains(complaint("3 2\ncat 1 2\ndog 1 2\n", &keep),
                  "header says that there are 3 words");
  EXPECT_EQ(complaint("2 2\ncat 1 2\ndog 1 2\n", &keep), "");
}

TEST(BadWordVectors, WithoutAFile) {
  expect_contains(message_of<DataError>([] { WordVectors("no/such/file.txt"); }),
                  "cannot read 'no/such/file.txt'");
}

}  // namespace
}  // namespace bough
