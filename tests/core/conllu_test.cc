// CoNLL-U: what is read, what is passed over, and what is wrong with files.
#include "bough/analysis/conllu.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/random.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;
using Depths = std::vector<int>;

std::vector<ConlluSentence> read_text(std::string_view content) {
  TempFolder folder;
  put(folder.path() / "text.conllu", content);
  return read_conllu((folder.path() / "text.conllu").string());
}

/// What the error for a file says.
std::string complaint(std::string_view content) {
  return message_of<DataError>([&] { read_text(content); });
}

/// A line: `1 cat NOUN 2` with all columns.
std::string line(std::string_view id, std::string_view form, std::string_view tag,
                 std::string_view head) {
  return fmt::format("{}\t{}\t_\t{}\t_\t_\t{}\t_\t_\t_\n", id, form, tag, head);
}

/// A sentence of `x` with these heads.
std::string with_heads(const std::vector<int>& heads) {
  std::string text;
  for (size_t i = 0; i < heads.size(); ++i) {
    text += line(std::to_string(i + 1), "x", "X", std::to_string(heads[i]));
  }
  return text + "\n";
}

// "She doesn't sleep and he doesn't" with its clitics, and an empty node for the missing verb.
const std::string kWithEverything =
    "# newdoc\n# text = She doesn't sleep and he doesn't\n" + line("1", "She", "PRON", "4") +
    line("2-3", "doesn't", "_", "_") + line("2", "does", "AUX", "4") +
    line("3", "n't", "PART", "4") + line("4", "sleep", "VERB", "0") +
    line("5", "and", "CCONJ", "6") + line("6", "he", "PRON", "4") +
    line("7-8", "doesn't", "_", "_") + line("7", "does", "AUX", "6") +
    line("8", "n't", "PART", "7") + line("8.1", "sleep", "VERB", "_") + "\n";

TEST(Conllu, ReadsWordsTagsAndHeads) {
  auto sentences = read_text(kWithEverything + line("1", "Rain", "NOUN", "0") + "\n");
  ASSERT_EQ(sentences.size(), 2U);
  const ConlluSentence& first = sentences[0];
  EXPECT_EQ(first.forms(), (Words{"She", "does", "n't", "sleep", "and", "he", "does", "n't"}));
  EXPECT_EQ(first.words[3].tag, UniversalTag::kVerb);
  EXPECT_EQ(first.words[7].tag, UniversalTag::kParticle);
  EXPECT_EQ(first.words[0].head, 4);
  ASSERT_EQ(first.tokens.size(), 2U);
  EXPECT_EQ(first.tokens[1].form, "doesn't");
  EXPECT_EQ(first.tokens[1].first, 6U);
  EXPECT_EQ(first.tokens[1].last, 7U);
  EXPECT_TRUE(first.has_tree);
  EXPECT_EQ(dependency_depths(first), (Depths{1, 1, 1, 0, 2, 1, 2, 3}));
  EXPECT_EQ(sentences[1].forms(), Words{"Rain"});
  EXPECT_EQ(dependency_depths(sentences[1]), Depths{0});
}

TEST(Conllu, ForgivesLineEndsBlankLinesAndAMissingEnd) {
  std::string plain = line("1", "Rain", "NOUN", "2") + line("2", "falls", "VERB", "0");
  std::string windows;
  for (char letter : plain) windows += letter == '\n' ? std::string("\r\n") : std::string{letter};
  for (const std::string& content :
       {plain, plain + "\n\n\n", "\n\n# a comment\n\n" + plain, windows, windows + "\r\n",
        plain.substr(0, plain.size() - 1), "\xEF\xBB\xBF" + plain, plain + "\n# a last comment"}) {
    auto sentences = read_text(content);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_EQ(sentences[0].forms(), (Words{"Rain", "falls"}));
  }
  EXPECT_TRUE(read_text("").empty());
  EXPECT_TRUE(read_text("# only a comment\n").empty());
}

TEST(Conllu, IsReadFromGzip) {
  TempFolder folder;
  auto path = (folder.path() / "text.conllu.gz").string();
  write_file(path, kWithEverything);
  ASSERT_NE(read_file(path).substr(0, 2), "# ");
  EXPECT_EQ(read_conllu(path).at(0).words.size(), 8U);
}

TEST(Conllu, NeedsNeitherTagsNorHeads) {
  auto sentence = read_text(line("1", "_", "_", "_") + line("2", "a b", "SPACE", "_")).at(0);
  EXPECT_EQ(sentence.forms(), (Words{"_", "a b"}));
  EXPECT_FALSE(sentence.words[0].tag.has_value());
  EXPECT_EQ(sentence.words[1].tag, UniversalTag::kOther);
  EXPECT_FALSE(sentence.has_tree);
  EXPECT_TRUE(dependency_depths(sentence).empty());
}

TEST(Conllu, TakesEveryUniversalTag) {
  for (const auto& [tag, name] : EnumNames<UniversalTag>::kNames) {
    EXPECT_EQ(read_text(line("1", "x", name, "0")).at(0).words[0].tag, tag);
    EXPECT_EQ(name_of(tag), name);
  }
}

TEST(Conllu, AnEmptyNodeMayComeFirst) {
  auto sentences = read_text(line("0.1", "x", "_", "_") + line("0.2", "x", "_", "_") +
                             line("1", "Rain", "NOUN", "0") + line("1.1", "x", "_", "_"));
  EXPECT_EQ(sentences.at(0).forms(), Words{"Rain"});
}

TEST(Conllu, ADepthIsOneMoreThanItsHeads) {
  RandomStream random(5, Purpose::kTest);
  for (int trial = 0; trial < 50; ++trial) {
    // Each word of a random order hangs below one before it in that order.
    std::vector<int> order(1 + random.below(20));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    std::vector<int> heads(order.size());
    for (size_t i = 1; i < order.size(); ++i) heads[order[i]] = order[random.below(i)] + 1;
    Depths depths = dependency_depths(read_text(with_heads(heads)).at(0));
    ASSERT_EQ(depths.size(), heads.size());
    for (size_t i = 0; i < heads.size(); ++i) {
      EXPECT_EQ(depths[i], heads[i] == 0 ? 0 : depths[heads[i] - 1] + 1);
    }
  }
}

// ---- bad files

TEST(BadConllu, WithTheWrongColumns) {
  expect_contains(complaint("# x\n1\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\n"),
                  "text.conllu', line 2: 9 columns, but CoNLL-U has 10");
  expect_contains(complaint("1 cat cat NOUN _ _ 0 root _ _\n"), "line 1: 1 columns");
  expect_contains(complaint("1\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\t_\n"), "line 1: 11 columns");
  expect_contains(complaint("1\tcat\t\tNOUN\t_\t_\t0\troot\t_\t_\n"), "column 3 is empty");
}

TEST(BadConllu, WithIdsOutOfOrder) {
  expect_contains(complaint(line("1", "a", "X", "0") + line("3", "b", "X", "1")),
                  "line 2: ID is 3, but 2 comes next");
  expect_contains(complaint(line("2", "a", "X", "0")), "line 1: ID is 2, but 1 comes next");
  expect_contains(complaint(line("1", "a", "X", "0") + line("1.2", "b", "X", "_")),
                  "line 2: ID 1.2 is out of order; the empty node after word 1 is 1.1");
  expect_contains(complaint(line("2-3", "a", "X", "0")), "so it begins with 1");
  expect_contains(complaint(line("1-2", "ab", "_", "_") + line("1", "a", "X", "0")),
                  "the sentence at line 1: the multi-word token 'ab' ends at word 2");
  expect_contains(complaint(line("1-2", "ab", "_", "_") + line("1", "a", "X", "0") +
                            line("2-3", "bc", "_", "_")),
                  "line 3: ID 2-3 is part of a range before it");
  for (const char* id : {"one", "-1", "1-", "1.", "1-2-3", "1.1.1", "99999999999", "+1"}) {
    expect_contains(complaint(line(id, "a", "X", "0")), fmt::format("ID '{}'", id));
  }
  expect_contains(complaint(line("0.1", "a", "X", "0")), "it has no words");
}

TEST(BadConllu, WithHeadsThatAreNoTree) {
  expect_contains(complaint(with_heads({2, 3, 1})), "the sentence at line 1: no word is the root");
  expect_contains(complaint("\n" + with_heads({0, 3, 4, 2})), "line 3: the HEADs go round");
  expect_contains(complaint(with_heads({0, 0})), "line 2: a second root (HEAD 0); word 1 is one");
  expect_contains(complaint(with_heads({0, 7})), "line 2: HEAD is 7, but the sentence has 2 words");
  expect_contains(complaint(with_heads({0, 2})), "line 2: HEAD is the word itself (2)");
  expect_contains(complaint(line("1", "a", "X", "0") + line("2", "b", "X", "_")),
                  "the sentence at line 1: HEAD is '_' for some words");
  for (const char* head : {"x", "-1", "1.5", "99999999999"}) {
    expect_contains(complaint(line("1", "a", "X", head)), fmt::format("HEAD '{}'", head));
  }
}

TEST(BadConllu, WithOtherTags) {
  std::string message = complaint(line("1", "cat", "NN", "0"));
  expect_contains(message, "line 1: UPOS 'NN' is no universal tag");
  expect_contains(message, "ADJ ADP ADV AUX CCONJ");
}

TEST(BadConllu, ThatIsNotUtf8) {
  expect_contains(complaint(line("1", "\xc3\x28", "X", "0")),
                  "line 1: the line is not valid UTF-8");
}

}  // namespace
}  // namespace bough
