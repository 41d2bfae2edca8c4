// Text with its translation, from two files or one.
#include <gtest/gtest.h>

#include "bough/base/error.h"
#include "bough/data/corpus.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

class ParallelCorpus : public testing::Test {
 protected:
  std::string put_file(const std::string& name, std::string_view content) const {
    write_file(folder_.path() / name, content);  // gzipped where the name says so
    return folder_.path() / name;
  }
  Pairs read(const CorpusSide& source, const CorpusSide& target,
             const CorpusOptions& options = {}) {
    Pairs pairs;
    report_ = read_parallel(source, target, options,
                            [&](std::vector<std::string>&& from, std::vector<std::string>&& to) {
                              pairs.emplace_back(join_words(from), join_words(to));
                            });
    return pairs;
  }

  TempFolder folder_;
  Tokenizer marks_;
  CorpusReport report_;
};

TEST_F(ParallelCorpus, TwoFilesLineByLine) {
  for (const std::string suffix : {"", ".gz"}) {
    auto source = put_file("a.de" + suffix, "eins\nzwei \n\n \t\nfünf.\n\n");
    auto target = put_file("a.en" + suffix, "one\n two\nthree\nfour\nfive!\n \n");
    Pairs pairs = read({source, marks_}, {target, marks_});
    EXPECT_EQ(pairs, (Pairs{{"eins", "one"}, {"zwei", "two"}, {"fünf .", "five !"}}));
    EXPECT_EQ(report_.sentences, 3);
    EXPECT_EQ(report_.empty_lines, 3);
  }
}

TEST_F(ParallelCorpus, BothInATable) {
  auto table = put_file("a.tsv", "1\tone\teins\n2\ttwo\tzwei\n3\t\tdrei\n");
  EXPECT_EQ(read({table, marks_, 3}, {table, marks_, 2}),
            (Pairs{{"eins", "one"}, {"zwei", "two"}}));
  EXPECT_EQ(report_.empty_lines, 1);
  expect_contains(message_of<DataError>([&] {
                    read({table, marks_, 4}, {table, marks_, 2});
                  }),
                  "3 columns");
}

TEST_F(ParallelCorpus, WhatDoesNotFitIsNamed) {
  auto source = put_file("a.de", "eins\nzwei\n");
  auto target = put_file("a.en", "one\ntwo\nthree\nfour\n");
  std::string message = message_of<DataError>([&] { read({source, marks_}, {target, marks_}); });
  for (const char* part : {"a.de' has 2 lines", "a.en' has 4"}) expect_contains(message, part);
  auto bad = put_file("bad.en", "one\nt\xffo\n");
  expect_contains(message_of<DataError>([&] { read({source, marks_}, {bad, marks_}); }), "line 2");
  CorpusOptions options;
  options.skip_bad_lines = true;
  EXPECT_EQ(read({source, marks_}, {bad, marks_}, options), (Pairs{{"eins", "one"}}));
  EXPECT_EQ(report_.bad_lines, 1);
  EXPECT_EQ(report_.empty_lines, 0);
}

}  // namespace
}  // namespace bough
