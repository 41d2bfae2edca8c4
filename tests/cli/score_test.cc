// `bough score`.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

Words score_call(const fs::path& model, const Words& more = {}) {
  return Words{"score", "--model", model, "--threads", "1", "--quiet"} + more;
}

std::vector<nlohmann::json> scores(const fs::path& model, const std::string& input,
                                   const Words& more = {}) {
  Outcome outcome = bough(score_call(model, more), input);
  EXPECT_TRUE(fine(outcome));
  return json_lines(split_lines(outcome.out));
}

TEST(Score, AnswersEachLineWithTheContractsFields) {
  fs::path model = oracle_model("uniform");
  auto found = scores(model, "she reads a long letter .\nrain falls .\n", {"--samples", "16"});
  ASSERT_EQ(found.size(), 2U);
  for (const auto& one : found) {
    for (const char* name : {"text", "logprob", "bound", "samples", "ess", "low", "high", "tokens",
                             "perplexity", "exact"}) {
      EXPECT_TRUE(one.contains(name)) << name;
    }
    EXPECT_EQ(one["samples"], 16);
    EXPECT_FALSE(one["exact"]);
    EXPECT_LE(one["bound"].get<double>(), one["logprob"].get<double>() + 1e-6);
    EXPECT_LE(one["low"].get<double>(), one["logprob"].get<double>());
    EXPECT_GE(one["high"].get<double>(), one["logprob"].get<double>());
    EXPECT_GE(one["ess"].get<double>(), 1.0 - 1e-6);
    EXPECT_LE(one["ess"].get<double>(), 16.0 + 1e-6);
    EXPECT_NEAR(one["perplexity"].get<double>(),
                std::exp(-one["logprob"].get<double>() / one["tokens"].get<double>()), 1e-6);
  }
  EXPECT_EQ(found[0]["text"], "she reads a long letter .");
  EXPECT_EQ(found[0]["tokens"], 6);
}

TEST(Score, TheEstimateIsNearTheSum) {
  fs::path model = oracle_model("annealed");
  std::string lines = "she reads a long letter .\nthe the the the .\n";
  auto estimated = scores(model, lines, {"--samples", "2000", "--draws", "independent"});
  auto exact = scores(model, lines, {"--exact"});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(exact[i]["exact"]);
    EXPECT_EQ(exact[i]["samples"], i == 0 ? 132 : 42);
    double width = estimated[i]["high"].get<double>() - estimated[i]["low"].get<double>();
    EXPECT_NEAR(estimated[i]["logprob"].get<double>(), exact[i]["logprob"].get<double>(),
                1.5 * width + 1e-3);
  }
}

TEST(Score, AnOrderIsExact) {
  for (const char* order : {"left-right", "right-left"}) {
    auto found = scores(oracle_model(order), "she reads a long letter by the quiet old river .\n");
    EXPECT_TRUE(found[0]["exact"]);
    EXPECT_EQ(found[0]["samples"], 1);
    EXPECT_EQ(found[0]["low"], found[0]["high"]);
  }
  auto all = scores(oracle_model("left-right"), "she reads .\n", {"--all-trees", "--exact"});
  auto one = scores(oracle_model("left-right"), "she reads .\n");
  EXPECT_EQ(all[0]["samples"], 5);
  EXPECT_GE(all[0]["logprob"].get<double>(), one[0]["logprob"].get<double>() - 1e-6);
}

TEST(Score, NeitherBatchNorThreadsChangeAnything) {
  fs::path model = oracle_model("uniform");
  Words call = {"score", "--model", model, "--quiet", "--samples", "12"};
  std::string input = joined(tiny_sentences());
  std::string first = bough(call + Words{"--threads", "1"}, input).out;
  EXPECT_EQ(split_lines(first).size(), tiny_sentences().size());
  EXPECT_EQ(bough(call + Words{"--threads", "2", "--batch-size", "5"}, input).out, first);
  EXPECT_NE(bough(call + Words{"--threads", "1", "--seed", "2"}, input).out, first);
}

TEST(Score, SummaryIsTheSum) {
  fs::path model = oracle_model("uniform");
  std::string input = joined(tiny_sentences());
  double logprob = 0.0;
  int64_t tokens = 0;
  for (const auto& one : scores(model, input, {"--samples", "8"})) {
    logprob += one["logprob"].get<double>();
    tokens += one["tokens"].get<int64_t>();
  }
  auto found = scores(model, input, {"--samples", "8", "--summary"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["sentences"], tiny_sentences().size());
  EXPECT_EQ(found[0]["tokens"], tokens);
  EXPECT_NEAR(found[0]["logprob"].get<double>(), logprob, 1e-6);
  EXPECT_LT(found[0]["perplexity_low"].get<double>(), found[0]["perplexity"].get<double>());
  EXPECT_GT(found[0]["perplexity_high"].get<double>(), found[0]["perplexity"].get<double>());
  double costs = 0.0;
  for (const auto& cost : found[0]["costs"]) {
    costs += cost["words"].get<double>() + cost["shape"].get<double>();
  }
  EXPECT_NEAR(costs, -found[0]["bound"].get<double>(), 1e-6);
}

TEST(Score, EmptyLinesAndUnknownWords) {
  Outcome outcome = bough({"score", "--model", oracle_model("uniform"), "--threads", "1"},
                          "\nshe reads a zyzzyva .\n   \n");
  ASSERT_TRUE(fine(outcome));
  Words lines = split_lines(outcome.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "");
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["unknown"], 1);
  EXPECT_TRUE(has(outcome.err, "1 of 5 words are outside the vocabulary"));
}

TEST(Score, TextHasPerplexityFirst) {
  Outcome outcome = bough(score_call(oracle_model("left-right"), {"--format", "text"}),
                          "she reads a long letter .\n");
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(has(outcome.out, "\tshe reads a long letter .\n"));
  EXPECT_GT(std::stod(outcome.out), 1.0);
}

/// A sentence without a word, or with another there.
std::string changed(const std::string& sentence, size_t place, const std::string& other) {
  std::istringstream stream(sentence);
  std::string text;
  size_t at = 0;
  for (std::string word; stream >> word; ++at) text += (at == place ? other : word) + " ";
  return text;
}

TEST(Score, AWordCostsWhatTheSentenceIsLikelierWithoutIt) {
  std::string sentence = "she reads a letter .";
  Words reorder = {"--task", "reorder", "--oracle", "uniform"};
  for (const fs::path& model : {oracle_model("uniform"), TinyModels::shared().with(reorder)}) {
    Words exact = {"--exact", "--by-word", "--others", "3"};
    auto found = scores(model, sentence + "\n", exact)[0];
    ASSERT_EQ(found["by_word"].size(), 5U);
    std::string lines;
    for (size_t place = 0; place < 5; ++place) {
      const auto& word = found["by_word"][place];
      EXPECT_NE(word["other"], word["token"]);
      lines += changed(sentence, place, "") + "\n";
      lines += changed(sentence, place, word["other"].get<std::string>()) + "\n";
    }
    auto expected = scores(model, lines, {"--exact"});
    double own = found["logprob"].get<double>();
    for (size_t place = 0; place < 5; ++place) {
      const auto& word = found["by_word"][place];
      EXPECT_NEAR(word["without"].get<double>(), expected[2 * place]["logprob"].get<double>() - own,
                  1e-3);
      EXPECT_NEAR(word["with_other"].get<double>(),
                  expected[2 * place + 1]["logprob"].get<double>() - own, 1e-3);
    }
  }
}

TEST(Score, TheOtherWordIsTheBestOfThoseTried) {
  // Left to right the policy's own next words are tried: the first of them is its likeliest.
  fs::path model = oracle_model("left-right");
  std::string line = "the cat reads .\n";
  auto few = scores(model, line, {"--by-word", "--others", "1"})[0]["by_word"];
  auto many = scores(model, line, {"--by-word", "--others", "1000"})[0]["by_word"];
  for (size_t place = 0; place < 4; ++place) {
    EXPECT_LE(few[place]["with_other"].get<double>(), many[place]["with_other"].get<double>());
  }
  auto none = scores(model, line, {"--by-word", "--others", "0"})[0]["by_word"];
  EXPECT_FALSE(none[0].contains("other"));
  // The last word changes nothing behind it, so its best other word is the likeliest of all.
  double best = -INFINITY;
  std::string all;
  for (const std::string& word : split_lines(read_file(model / "vocab.txt"))) {
    all += "the cat reads " + word + "\n";
  }
  for (const auto& one : scores(model, all)) {
    if (one["unknown"] == 0 && !one["text"].get<std::string>().ends_with(" .")) {
      best = std::max(best, one["logprob"].get<double>());
    }
  }
  double own = scores(model, line)[0]["logprob"].get<double>();
  EXPECT_NEAR(many[3]["with_other"].get<double>(), best - own, 1e-3);
}

TEST(Score, WordsInTextAndAPage) {
  TempFolder folder;
  fs::path page = folder.path() / "words.html";
  Words call =
      score_call(oracle_model("uniform"), {"--samples", "4", "--by-word", "--others", "1"});
  Outcome outcome =
      bough(call + Words{"--format", "text", "--report", page}, "she reads .\n\n<b> sleeps .\n");
  ASSERT_TRUE(fine(outcome));
  Words lines = split_lines(outcome.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(has(lines[0], "\tshe reads .\tshe "));
  EXPECT_EQ(lines[1], "");
  std::string html = read_file(page);
  EXPECT_TRUE(has(html, ">reads<"));
  EXPECT_TRUE(has(html, "&lt;"));
  EXPECT_FALSE(has(html, "<b> sleeps"));
}

TEST(Score, ABagIsTheSentencesOwnWords) {
  fs::path model = TinyModels::shared().with({"--task", "reorder", "--oracle", "uniform"});
  auto found = scores(model, "she reads a long letter .\n");
  EXPECT_LT(found[0]["logprob"].get<double>(), 0.0);
}

/// Words backwards, cut into pieces.
class ScoredTranslation : public testing::Test {
 protected:
  static fs::path file(const std::string& name) {
    static TempFolder folder;
    return folder.path() / name;
  }

  static void SetUpTestSuite() {
    Words from;
    for (const std::string& line : tiny_sentences()) from.emplace_back(line.rbegin(), line.rend());
    put(file("from.txt"), joined(from));
    put(file("to.txt"), joined(tiny_sentences()));
    put(file("short.txt"), "one\n");
    Words call = tiny_train(file("to.txt"), file("model"),
                            {"--task", "translate", "--source-train", file("from.txt"), "--oracle",
                             "uniform", "--bpe-merges", "30", "--updates", "20", "--quiet"});
    ASSERT_TRUE(fine(bough(call)));
  }
};

TEST_F(ScoredTranslation, HasASourceALineAndSurfaceWords) {
  auto found = scores(file("model"), joined(tiny_sentences()),
                      {"--source", file("from.txt"), "--samples", "4"});
  ASSERT_EQ(found.size(), tiny_sentences().size());
  EXPECT_EQ(found[0]["words"], 8);
  EXPECT_GT(found[0]["tokens"].get<int>(), 8);
  EXPECT_GT(found[0]["word_perplexity"].get<double>(), found[0]["perplexity"].get<double>());
}

TEST_F(ScoredTranslation, SourcesHaveToFit) {
  fs::path one = file("short.txt");
  expect_refused({{score_call(file("model"), {"-i", one}), 2, {"--source"}},
                  {score_call(file("model"), {"-i", file("to.txt"), "--source", one}),
                   3,
                   {"short.txt", "1 lines"}},
                  {score_call(file("model"), {"-i", one, "--source", file("to.txt")}),
                   3,
                   {"more lines than"}}});
}

TEST(Score, TrainingKeepsTheLikeliestModel) {
  fs::path corpus = TinyModels::shared().corpus();
  fs::path model = TinyModels::shared().with(
      {"--oracle", "annealed", "--beta-rate", "0.5", "--valid-likelihood", "6"});
  double best = INFINITY;
  for (const auto& line : json_lines(split_lines(read_file(model / "metrics.jsonl")))) {
    if (!line.contains("valid_perplexity")) continue;
    double perplexity = line["valid_perplexity"].get<double>();
    EXPECT_EQ(line["best"].get<bool>(), perplexity < best);
    best = std::min(best, perplexity);
  }
  auto found =
      scores(model, "",
             {"-i", corpus, "--samples", "6", "--summary", "--seed", std::to_string(test_seed())});
  EXPECT_NEAR(found[0]["perplexity"].get<double>(), best, 1e-3 * best);
}

TEST(Score, RefusesWhatItCannotScore) {
  fs::path model = oracle_model("uniform");
  TempFolder folder;
  fs::path lines = folder.path() / "lines.txt";
  put(lines, "she reads .\na b c d e f g h i j\n");
  expect_refused(
      {{score_call(model, {"-i", lines, "--exact"}), 4, {"line 2", "16796 trees"}},
       {score_call(model, {"-i", lines, "--max-words", "9"}), 3, {"line 2", "--max-words 9"}},
       {score_call(model, {"-i", folder.path() / "none.txt"}), 3, {"none.txt"}},
       {score_call(model, {"--source", lines, "-i", lines}), 2, {"--source"}},
       {score_call(model, {"--samples", "0"}), 2, {"--samples"}},
       {score_call(model, {"--report", "page.html"}), 2, {"--report", "--by-word"}},
       {score_call(model, {"--by-word", "--summary"}), 2, {"--by-word", "--summary"}},
       {score_call(folder.path() / "none"), 3, {"none"}}});
  auto skipped =
      scores(model, "she reads .\na b c d e f g h i j\n", {"--exact", "--on-error", "skip"});
  EXPECT_TRUE(skipped[0].contains("logprob"));
  EXPECT_TRUE(skipped[1].contains("error"));
}

}  // namespace
}  // namespace bough
