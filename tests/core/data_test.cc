// Reading corpora, and the batches of a pass over them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/data/corpus.h"
#include "bough/data/dataset.h"
#include "error_messages.h"
#include "random_sentences.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;

// ---- corpora

struct Read {
  std::vector<Words> sentences;
  CorpusReport report;
  std::string error;  // what the DataError said, if there was one
};

/// Writes `content` to a file of this name and reads it as a corpus.
Read read(const std::string& name, const std::string& content, const CorpusOptions& options = {},
          const TokenizerOptions& tokenizer = {}) {
  TempFolder folder;
  auto path = folder.path() / name;
  write_file(path, content);  // zipped where the name says so
  Read result;
  try {
    result.report = read_corpus(path.string(), Tokenizer(tokenizer), options, [&](Words&& words) {
      result.sentences.push_back(std::move(words));
    });
  } catch (const DataError& error) {
    result.error = error.what();
  }
  return result;
}

const std::vector<Words> kBarges = {{"the", "barge", "sinks", "."}, {"Boot", "!"}, {"größer"}};

TEST(Corpus, PlainTextASentenceALine) {
  Read plain = read("corpus.txt", "the barge sinks.\n\nBoot!\r\n \t \ngrößer");
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.sentences, kBarges);
  EXPECT_EQ(plain.report.sentences, 3);
  EXPECT_EQ(plain.report.words, 7);
  EXPECT_EQ(plain.report.empty_lines, 2);
  EXPECT_EQ(plain.report.bad_lines, 0);
  EXPECT_EQ(plain.report.first_bad, "");
  EXPECT_EQ(read("any name", "the barge sinks.\nBoot!\ngrößer\n").sentences, kBarges);
  EXPECT_EQ(read("corpus", "Don't!", {}, {.pretokenized = true, .lowercase = true}).sentences,
            std::vector<Words>{{"don't!"}});
  Read empty = read("empty", "");
  EXPECT_EQ(empty.error, "");
  EXPECT_EQ(empty.report.sentences, 0);
}

TEST(Corpus, TsvGivesOneOfItsColumns) {
  const std::string content =
      "the barge sinks.\tder Kahn sinkt.\tx\nBoot!\t\ty\n\ngrößer\tGRÖSSER\t\n";
  EXPECT_EQ(read("corpus.tsv", content).sentences, kBarges);
  Read second = read("corpus.tsv", content, {.column = 2}, {.lowercase = true});
  EXPECT_EQ(second.sentences, (std::vector<Words>{{"der", "kahn", "sinkt", "."}, {"grösser"}}));
  EXPECT_EQ(second.report.empty_lines, 2);  // one of them in this column only
  EXPECT_EQ(read("corpus.tsv", content, {.column = 3}).sentences,
            (std::vector<Words>{{"x"}, {"y"}}));
}

TEST(Corpus, JsonlGivesTokensAsTheyAreAndTextSplit) {
  Read json =
      read("corpus.jsonl", R"({"tokens": ["the", "barge", "sinks", "."], "text": "not this"})"
                           "\n"
                           R"({"id": 7, "text": "Boot!"})"
                           "\n\n"
                           R"({"tokens": []})"
                           "\n"
                           R"({"text": "gr\u00f6\u00dfer"})");
  EXPECT_EQ(json.error, "");
  EXPECT_EQ(json.sentences, kBarges);
  EXPECT_EQ(json.report.empty_lines, 2);
  EXPECT_EQ(read("c.jsonl", R"({"tokens": ["Don't", "A!"]})", {}, {.lowercase = true}).sentences,
            (std::vector<Words>{{"don't", "a!"}}));
}

TEST(Corpus, GzipMayFollowEveryFormat) {
  EXPECT_EQ(read("corpus.txt.gz", "the barge sinks.\nBoot!\ngrößer\n").sentences, kBarges);
  EXPECT_EQ(
      read("corpus.tsv.gz", "a\tthe barge sinks.\nb\tBoot!\nc\tgrößer\n", {.column = 2}).sentences,
      kBarges);
  EXPECT_EQ(read("corpus.jsonl.gz", R"({"text": "größer"})").sentences,
            std::vector<Words>{{"größer"}});
}

TEST(Corpus, MalformedLinesAreNamedWithTheirFile) {
  const std::string million(1'100'000, 'x');
  struct Case {
    const char* name;
    std::string content;
    int line;
    const char* what;
  };
  for (const auto& [name, content, line, what] : std::vector<Case>{
           {"c.txt", "fine\nK\xe4hne\n", 2, "not UTF-8 at byte 2"},
           {"c.txt", "fine\nfine\n\xed\xa0\x80\n", 3, "not UTF-8 at byte 1"},
           {"c.txt", "fine\n\n1 2 3 4 5 6 7\n", 3, "7 words, more than --max-line-words 6"},
           {"c.txt", "fine\n" + million + "\n", 2, "bytes, more than"},
           {"c.tsv", "a\tb\na\tb\tc\n", 2, "3 columns, the lines before it 2"},
           {"c.tsv", "a\tb\n\na\n", 3, "1 columns and --column is 2"},
           {"c.tsv", "a\n", 1, "1 columns and --column is 2"},
           {"c.tsv", "a\tb\xff\n", 1, "not UTF-8"},
           {"c.jsonl", "{\"text\": \"a\"}\n{\"text\": \"a\"\n", 2, "not valid JSON"},
           {"c.jsonl", "a barge\n", 1, "not valid JSON"},
           {"c.jsonl", "[\"a\"]\n", 1, "\"tokens\""},
           {"c.jsonl", "{\"words\": [\"a\"]}\n", 1, "\"tokens\""},
           {"c.jsonl", "{\"text\": 7}\n", 1, "\"text\""},
           {"c.jsonl", "{\"tokens\": \"a\"}\n", 1, "not a list of words"},
           {"c.jsonl", "{\"tokens\": [\"a\", 7]}\n", 1, "not a list of words"},
           {"c.jsonl", "{\"tokens\": [\"a\", \"\"]}\n", 1, "empty or has white space"},
           {"c.jsonl", "{\"tokens\": [\"a b\"]}\n", 1, "empty or has white space"},
           {"c.jsonl", "{\"tokens\": [\"a\\nb\"]}\n", 1, "empty or has white space"},
           {"c.jsonl", "{\"text\": \"\\ud800\"}\n", 1, "not valid JSON"},
           {"c.jsonl", "{\"text\": \"1 2 3 4 5 6 7\"}\n", 1, "--max-line-words"}}) {
    CorpusOptions options{.column = 2, .max_line_words = 6};
    std::string error = read(name, content, options).error;
    expect_contains(error, fmt::format("{}', line {}: ", name, line));
    expect_contains(error, what);
    expect_contains(error, "--skip-bad-lines");
    options.skip_bad_lines = true;
    Read skipped = read(name, content, options);
    EXPECT_EQ(skipped.error, "");
    EXPECT_EQ(skipped.report.bad_lines, 1);
    expect_contains(skipped.report.first_bad, fmt::format("{}', line {}: ", name, line));
  }
}

TEST(Corpus, SkippedLinesAreCountedAndTheFirstRemembered) {
  Read skipped =
      read("c.txt", "one\n\xff\ntwo\n\n\xfe and more\nthree\n", {.skip_bad_lines = true});
  EXPECT_EQ(skipped.sentences, (std::vector<Words>{{"one"}, {"two"}, {"three"}}));
  EXPECT_EQ(skipped.report.sentences, 3);
  EXPECT_EQ(skipped.report.bad_lines, 2);
  EXPECT_EQ(skipped.report.empty_lines, 1);
  expect_contains(skipped.report.first_bad, "line 2: not UTF-8");
  // A bad first line does not say how many columns the others have.
  Read columns = read("c.tsv", "a\nb\tc\nd\te\n", {.skip_bad_lines = true, .column = 2});
  EXPECT_EQ(columns.sentences, (std::vector<Words>{{"c"}, {"e"}}));
  EXPECT_EQ(columns.report.bad_lines, 1);
}

TEST(Corpus, AllSentencesAtOnce) {
  TempFolder folder;
  std::string path = (folder.path() / "c.txt").string();
  Tokenizer tokenizer{TokenizerOptions{}};
  put(path, "the barge sinks.\n\n\xff\nBoot!\n");
  EXPECT_EQ(read_sentences(path, tokenizer, {.skip_bad_lines = true}),
            (std::vector<Words>{{"the", "barge", "sinks", "."}, {"Boot", "!"}}));
  expect_contains(message_of<DataError>([&] { read_sentences(path, tokenizer, {}); }), "line 3");
  EXPECT_TRUE(read_sentences("", tokenizer, {}).empty()) << "no file, no sentences";
  put(path, "\n \n");
  expect_contains(message_of<DataError>([&] { read_sentences(path, tokenizer, {}); }),
                  "c.txt' has no sentences");
}

TEST(Corpus, AFileThatCannotBeReadIsNeverSkipped) {
  TempFolder folder;
  auto path = (folder.path() / "corpus.gz").string();
  auto take = [](Words&&) {};
  CorpusOptions skip{.skip_bad_lines = true};
  EXPECT_THROW(read_corpus(path, Tokenizer(), skip, take), DataError);
  write_file(path, "one\ntwo\n");
  std::string zipped = read_file(path);
  put(path, zipped.substr(0, zipped.size() - 4));
  EXPECT_THROW(read_corpus(path, Tokenizer(), skip, take), DataError);
  EXPECT_THROW(read_corpus(folder.path().string(), Tokenizer(), skip, take), DataError);
}

TEST(Corpus, ItsVocabularySurvivesAFile) {
  // Line breaks inside a pretokenised line or a JSON text must not end up inside a word.
  for (const auto& [name, content] : std::vector<std::pair<const char*, const char*>>{
           {"c.jsonl", R"({"text": "a\nb c\r\nd b\r"})"}, {"c.txt", "a\r b a\n"}}) {
    for (bool pretokenized : {false, true}) {
      Read corpus = read(name, content, {}, {.pretokenized = pretokenized});
      ASSERT_EQ(corpus.error, "");
      WordCounts counts;
      for (const std::string& word : corpus.sentences.at(0)) ++counts[word];
      auto vocabulary = Vocabulary::build(counts, {});
      TempFolder folder;
      vocabulary.save(folder.path() / "vocab.txt");
      auto loaded = Vocabulary::load(folder.path() / "vocab.txt");
      EXPECT_EQ(loaded.size(), vocabulary.size());
      EXPECT_EQ(loaded.ids(corpus.sentences[0]), vocabulary.ids(corpus.sentences[0]));
    }
  }
}

// ---- datasets and batches

TEST(Dataset, GivesBackItsSentences) {
  RandomStream random(1, Purpose::kTest);
  Dataset data;
  EXPECT_EQ(data.size(), 0);
  std::vector<std::vector<WordId>> sentences = {{}};
  for (int i = 0; i < 100; ++i) sentences.push_back(random_sentence(random));
  int64_t words = 0;
  for (const auto& sentence : sentences) {
    data.add(sentence);
    words += static_cast<int64_t>(sentence.size());
  }
  EXPECT_EQ(data.size(), 101);
  EXPECT_EQ(data.word_count(), words);
  for (size_t i = 0; i < sentences.size(); ++i) {
    auto sentence = data.sentence(static_cast<int64_t>(i));
    EXPECT_EQ(std::vector<WordId>(sentence.begin(), sentence.end()), sentences[i]);
    EXPECT_EQ(data.length(static_cast<int64_t>(i)), static_cast<int64_t>(sentences[i].size()));
  }
}

Dataset random_dataset(int sentences) {
  RandomStream random(2, Purpose::kTest);
  Dataset data;
  for (int i = 0; i < sentences; ++i) {
    data.add(random_sentence(random, static_cast<int>(1 + random.below(30)), 9));
  }
  return data;
}

using Batches = std::vector<std::vector<int64_t>>;

Batches batches_of(const BatchPlan& plan) {
  Batches batches;
  for (int64_t i = 0; i < plan.size(); ++i) {
    batches.emplace_back(plan.batch(i).begin(), plan.batch(i).end());
  }
  return batches;
}

void expect_each_once(const Batches& batches, int64_t sentences) {
  std::set<int64_t> seen;
  for (const auto& batch : batches) {
    EXPECT_FALSE(batch.empty());
    for (int64_t sentence : batch) EXPECT_TRUE(seen.insert(sentence).second) << sentence;
  }
  EXPECT_EQ(static_cast<int64_t>(seen.size()), sentences);
  EXPECT_TRUE(seen.empty() || (*seen.begin() == 0 && *seen.rbegin() == sentences - 1));
}

TEST(BatchPlan, EverySentenceStandsInExactlyOneBatch) {
  for (int sentences : {0, 1, 31, 32, 33, 1000, 5000}) {
    Dataset data = random_dataset(sentences);
    for (const BatchOptions& options :
         {BatchOptions{}, BatchOptions{.batch_size = 1}, BatchOptions{.batch_size = 7},
          BatchOptions{.batch_tokens = 100}}) {
      expect_each_once(batches_of(BatchPlan::shuffled(data, options, 1, 0)), sentences);
      expect_each_once(batches_of(BatchPlan::sorted(data, options)), sentences);
    }
  }
}

TEST(BatchPlan, BatchesAreAsLargeAsAskedFor) {
  Dataset data = random_dataset(5000);
  for (int64_t size : {1, 7, 32}) {
    int64_t smaller = 0;
    for (const auto& batch : batches_of(BatchPlan::shuffled(data, {.batch_size = size}, 1, 0))) {
      EXPECT_LE(static_cast<int64_t>(batch.size()), size);
      smaller += static_cast<int64_t>(batch.size()) < size ? 1 : 0;
    }
    EXPECT_LE(smaller, 1 + 5000 / (100 * size));  // the last of each pool of a hundred
  }
}

int64_t words_of(const Dataset& data, const std::vector<int64_t>& batch) {
  int64_t words = 0;
  for (int64_t sentence : batch) words += data.length(sentence);
  return words;
}

TEST(BatchPlan, BatchTokensBoundTheWords) {
  Dataset data = random_dataset(5000);
  Batches batches = batches_of(BatchPlan::shuffled(data, {.batch_tokens = 200}, 1, 0));
  for (const auto& batch : batches) EXPECT_LE(words_of(data, batch), 200);
  EXPECT_GT(data.word_count() / static_cast<int64_t>(batches.size()), 160);  // and fill it
  // A sentence that is longer stands alone.
  for (const auto& batch : batches_of(BatchPlan::shuffled(data, {.batch_tokens = 20}, 1, 0))) {
    EXPECT_TRUE(batch.size() == 1 || words_of(data, batch) <= 20);
  }
}

TEST(BatchPlan, SentencesOfABatchAreOfLikeLength) {
  Dataset data = random_dataset(5000);  // of 1 to 30 words
  auto mean_spread = [&](const Batches& batches) {
    int64_t spread = 0;
    for (const auto& batch : batches) {
      auto [low, high] = std::minmax_element(batch.begin(), batch.end(), [&](int64_t a, int64_t b) {
        return data.length(a) < data.length(b);
      });
      spread += data.length(*high) - data.length(*low);
    }
    return static_cast<double>(spread) / static_cast<double>(batches.size());
  };
  EXPECT_LT(mean_spread(batches_of(BatchPlan::shuffled(data, {}, 1, 0))), 1.0);
  EXPECT_LT(mean_spread(batches_of(BatchPlan::shuffled(data, {.batch_tokens = 300}, 1, 0))), 1.0);
}

TEST(BatchPlan, SeedAndPassNameThePlan) {
  Dataset data = random_dataset(1000);
  Batches batches = batches_of(BatchPlan::shuffled(data, {}, 1, 0));
  EXPECT_EQ(batches_of(BatchPlan::shuffled(data, {}, 1, 0)), batches);
  for (const auto& [seed, pass] : {std::pair{1, 1}, std::pair{2, 0}}) {
    Batches other = batches_of(
        BatchPlan::shuffled(data, {}, static_cast<uint64_t>(seed), static_cast<uint64_t>(pass)));
    EXPECT_NE(other, batches);
    // Not the same batches in another order: their sentences are mixed too.
    std::set<std::set<int64_t>> mine;
    for (const auto& batch : batches) mine.emplace(batch.begin(), batch.end());
    for (const auto& batch : other) EXPECT_FALSE(mine.contains({batch.begin(), batch.end()}));
  }
  // The batches come in no order of length.
  std::vector<int64_t> lengths;
  for (const auto& batch : batches) lengths.push_back(data.length(batch.front()));
  EXPECT_FALSE(std::is_sorted(lengths.begin(), lengths.end()));
}

TEST(BatchPlan, SortedIsByLengthAndTheSameEachTime) {
  Dataset data = random_dataset(1000);
  Batches batches = batches_of(BatchPlan::sorted(data, {.batch_size = 9}));
  EXPECT_EQ(batches_of(BatchPlan::sorted(data, {.batch_size = 9})), batches);
  int64_t longest = 0;
  for (const auto& batch : batches) {
    for (int64_t sentence : batch) {
      EXPECT_GE(data.length(sentence), longest);
      longest = data.length(sentence);
    }
  }
  EXPECT_GT(longest, 20);
}

}  // namespace
}  // namespace bough
