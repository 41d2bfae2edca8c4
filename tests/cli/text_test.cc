// One rule for text, whatever the verb and the format: people's where the tokenizer can give it,
// tokens on demand.
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

constexpr std::string_view kJoiner = "￭";

fs::path european_corpus() {
  static TempFolder folder;
  fs::path path = folder.path() / "corpus.txt";
  if (fs::exists(path)) return path;
  Words lines = {"I'm going home, my friend.", "Don't you know (yet)?", "It's 3.5 miles, isn't it?",
                 "She's well-known; he's not."};
  put(path, joined(lines + lines + lines + lines));
  return path;
}

/// A verb of a model, and what it writes from.
struct Writing {
  Words call;
  std::string input;
};

/// Verbs of models that were trained with these options; `pieces`: those whose words may be cut.
std::vector<Writing> writings(const Words& options, bool pieces) {
  std::string corpus = european_corpus();
  auto model = [&](const Words& task) {
    Words training = {"--train",   corpus,       "--valid-samples", "0",
                      "--updates", "100",        "--valid",         corpus,
                      "--oracle",  "left-right", "--learning-rate", "0.03"};
    return TinyModels::shared().with(training + task + options);
  };
  Words translate = {"--task", "translate", "--source-train", corpus, "--source-valid", corpus};
  std::string lines = read_file(corpus);
  fs::path lm = model({});
  std::vector<Writing> all = {{{"complete", "--model", lm, "--nbest", "2"}, "Don't ___ ?\n"},
                              {{"translate", "--model", model(translate)}, lines}};
  if (pieces) return all;
  all.push_back({{"generate", "--model", lm, "-n", "20"}, ""});
  all.push_back({{"generate", "--model", lm, "--nbest", "4", "--beam-size", "4"}, ""});
  all.push_back({{"complete", "--model", lm}, "I'm ___ , my friend.\n"});
  all.push_back({{"reorder", "--model", model({"--task", "reorder"}), "--exact"}, lines});
  return all;
}

std::string output(const Writing& writing, const Words& more) {
  Outcome outcome = bough(writing.call + Words{"--quiet", "--threads", "1"} + more, writing.input);
  EXPECT_TRUE(fine(outcome)) << testing::PrintToString(writing.call + more);
  return outcome.out;
}

/// The sentence of a line, which may be one of a list of the best.
std::string sentence_of(const std::string& line) {
  size_t begin = line.find(" ||| ");
  if (begin == std::string::npos) return line;
  return line.substr(begin + 5, line.find(" ||| ", begin + 5) - begin - 5);
}

struct Answer {
  Words texts;   // the same in text and in traces
  Words tokens;  // with spaces between them
};

Answer answer(const Writing& writing, const Words& more) {
  Answer result;
  for (const std::string& line : split_lines(output(writing, more))) {
    result.texts.push_back(sentence_of(line));
  }
  Words texts;
  for (const auto& trace :
       json_lines(split_lines(output(writing, more + Words{"--format", "jsonl"})))) {
    texts.push_back(trace.at("text"));
    std::string line;
    for (const std::string token : trace.at("tokens")) line += (line.empty() ? "" : " ") + token;
    result.tokens.push_back(line);
  }
  EXPECT_EQ(texts, result.texts);
  return result;
}

void expect_text_of_people(const std::vector<Writing>& all) {
  for (const Writing& writing : all) {
    SCOPED_TRACE(testing::PrintToString(writing.call));
    Answer usual = answer(writing, {});
    EXPECT_FALSE(has(joined(usual.texts), kJoiner));
    EXPECT_FALSE(has(joined(usual.texts), "@@"));
    EXPECT_TRUE(has(joined(usual.tokens), kJoiner));
    EXPECT_EQ(answer(writing, {"--detokenize"}).texts, usual.texts);
    EXPECT_EQ(answer(writing, {"--tokens"}).texts, usual.tokens);
  }
}

TEST(Text, OfAEuropeanTokenizerIsAsPeopleWriteIt) {
  std::vector<Writing> words = writings({"--tokenizer", "european"}, false);
  expect_text_of_people(words);
  expect_text_of_people(writings({"--tokenizer", "european", "--bpe-merges", "10"}, true));
  Words plain = words[0].call;
  plain.resize(plain.size() - 2);  // a tree isn't one of a list
  std::string tree = output({plain, words[0].input}, {"--format", "tree"});
  EXPECT_FALSE(has(tree, kJoiner)) << tree;
  EXPECT_TRUE(has(output({plain, words[0].input}, {"--format", "tree", "--tokens"}), kJoiner));
}

void expect_words(const std::vector<Writing>& all) {
  for (const Writing& writing : all) {
    SCOPED_TRACE(testing::PrintToString(writing.call));
    Answer usual = answer(writing, {});
    EXPECT_FALSE(has(joined(usual.texts), "@@"));
    EXPECT_EQ(answer(writing, {"--tokens"}).texts, usual.tokens);
    Words for_people = answer(writing, {"--detokenize"}).texts;
    EXPECT_NE(for_people, usual.texts) << "marks close up";
    EXPECT_FALSE(has(joined(for_people), "@@"));
    EXPECT_FALSE(has(joined(for_people), " ?"));
  }
}

TEST(Text, OfMarksIsWordsUnlessPeoplesIsAskedFor) {
  expect_words(writings({}, false));
  expect_words(writings({"--bpe-merges", "10"}, true));
}

TEST(Text, MarksThatAreGivenByThemselvesCloseUp) {
  Writing given = writings({"--tokenizer", "european"}, false)[0];
  given.call.resize(given.call.size() - 2);
  Outcome outcome = bough(given.call, "Don't ___ ?\n");
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(outcome.out.ends_with("?\n") && !has(outcome.out, " ?")) << outcome.out;
  EXPECT_FALSE(has(outcome.err, "does not know")) << outcome.err;
}

TEST(Text, TokensAreNotForPeople) {
  expect_refused({{{"generate", "--model", oracle_model("uniform"), "--tokens", "--detokenize"},
                   2,
                   {"--tokens", "--detokenize"}}});
}

}  // namespace
}  // namespace bough
