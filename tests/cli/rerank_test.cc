// `--rerank likelihood` of the verbs that write: the list is ranked by what `bough score` says.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

/// Where the kernels aren't ours, rows that are computed beside others differ a little.
constexpr double kNear = 2e-3;

std::vector<Json> lists(const Words& call, const std::string& input = "") {
  Outcome outcome = bough(call + Words{"--threads", "1", "--quiet", "--format", "jsonl"}, input);
  EXPECT_TRUE(fine(outcome));
  return json_lines(split_lines(outcome.out));
}

/// What `bough score` says of the texts, one a line.
std::vector<double> scores(const std::vector<Json>& found, const Words& more) {
  Words texts;
  for (const Json& one : found) texts.push_back(one.at("text").get<std::string>());
  Outcome outcome = bough(Words{"score", "--threads", "1", "--quiet"} + more, joined(texts));
  EXPECT_TRUE(fine(outcome));
  std::vector<double> logprobs;
  for (const Json& one : json_lines(split_lines(outcome.out))) {
    logprobs.push_back(one.at("logprob").get<double>());
  }
  return logprobs;
}

/// One list: ranked by likelihood over words, which are those of `expected`.
void expect_ranked(const std::vector<Json>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double before = INFINITY;
  for (size_t i = 0; i < found.size(); ++i) {
    double score = found[i].at("score").get<double>();
    EXPECT_NEAR(found[i].at("likelihood").get<double>(), expected[i], kNear);
    EXPECT_NEAR(score, expected[i] / static_cast<double>(found[i].at("tokens").size()), kNear);
    EXPECT_LE(score, before);
    before = score;
  }
}

TEST(Rerank, TheFirstIsTheLikeliestByTheSameDraws) {
  fs::path model = oracle_model("uniform");
  std::vector<Json> found =
      lists({"generate", "--model", model, "--nbest", "4", "--rerank", "likelihood",
             "--rerank-samples", "6", "--seed", "3", "--min-length", "2"});
  ASSERT_EQ(found.size(), 4U);
  std::vector<double> expected;
  for (const Json& one : found) {  // draws are named by the line: each is the first
    expected.push_back(scores({one}, {"--model", model, "--samples", "6", "--seed", "3"}).front());
  }
  expect_ranked(found, expected);
}

TEST(Rerank, ASecondModelMayHaveAnOrder) {
  fs::path judge = oracle_model("left-right");
  std::vector<Json> found =
      lists({"generate", "--model", oracle_model("uniform"), "--nbest", "6", "--beam-size", "6",
             "--rerank", "likelihood", "--rerank-model", judge, "--min-length", "2"});
  ASSERT_GE(found.size(), 2U);  // trees of the same sentence are one
  expect_ranked(found, scores(found, {"--model", judge}));
}

TEST(Rerank, TheBestOfAVoteAreRanked) {
  Words call = {"generate", "--model", oracle_model("uniform"), "--mbr", "12", "--min-length", "2"};
  Words rerank = {"--rerank", "likelihood", "--rerank-model", oracle_model("left-right")};
  std::vector<Json> votes = lists(call + Words{"--nbest", "3"});
  std::vector<double> likelihoods = scores(votes, {"--model", oracle_model("left-right")});
  std::vector<Json> ranked = lists(call + rerank + Words{"--nbest", "1", "--rerank-among", "3"});
  ASSERT_EQ(ranked.size(), 1U);
  std::vector<std::pair<double, std::string>> expected;
  for (size_t i = 0; i < votes.size(); ++i) {
    auto words = static_cast<double>(votes[i].at("tokens").size());
    expected.emplace_back(likelihoods[i] / words, votes[i].at("text").get<std::string>());
  }
  EXPECT_EQ(ranked[0].at("text"), std::ranges::max(expected).second);
  // Among one, the vote alone decides.
  std::vector<Json> one = lists(call + rerank + Words{"--rerank-among", "1"});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].at("text"), votes[0].at("text"));
  EXPECT_FALSE(one[0].contains("score"));
  EXPECT_TRUE(one[0].contains("likelihood"));
}

TEST(Rerank, DemandsAreStillMet) {
  Words rerank = {"--rerank", "likelihood", "--rerank-samples", "4", "--rerank-among", "5"};
  for (const Json& one :
       lists(Words{"complete", "--model", oracle_model("uniform"), "-n", "3", "--beam-size", "5"} +
                 rerank,
             "___ the ___ .\n")) {
    auto tokens = one.at("tokens").get<Words>();
    EXPECT_TRUE(std::ranges::count(tokens, "the") > 0 && tokens.back() == ".");
  }
}

TEST(Rerank, ABagIsTheOneThatWasGiven) {
  fs::path model = TinyModels::shared().with({"--task", "reorder", "--oracle", "uniform"});
  fs::path judge = TinyModels::shared().with({"--task", "reorder", "--oracle", "left-right"});
  std::vector<Json> found =
      lists({"reorder", "--model", model, "--exact", "--beam-size", "4", "--nbest", "4", "--rerank",
             "likelihood", "--rerank-model", judge},
            "letter a reads . she\n");
  ASSERT_GE(found.size(), 2U);
  for (const Json& one : found) {
    auto tokens = one.at("tokens").get<std::multiset<std::string>>();
    EXPECT_EQ(tokens, (std::multiset<std::string>{".", "a", "letter", "reads", "she"}));
  }
  expect_ranked(found, scores(found, {"--model", judge}));
}

/// Lines backwards. The judge cuts words, the writer doesn't.
TEST(Rerank, AJudgeOfTranslationsReadsBothTextsByItself) {
  TempFolder folder;
  Words from;
  for (const std::string& line : tiny_sentences()) from.emplace_back(line.rbegin(), line.rend());
  put(folder.path() / "from.txt", joined(from));
  put(folder.path() / "to.txt", joined(tiny_sentences()));
  auto train = [&](const std::string& name, const Words& more) {
    return tiny_train(folder.path() / "to.txt", folder.path() / name,
                      Words{"--task", "translate", "--source-train", folder.path() / "from.txt",
                            "--updates", "40", "--quiet"} +
                          more);
  };
  fs::path judge = folder.path() / "judge";
  for (const Outcome& trained :
       bough_each({train("writer", {"--oracle", "uniform", "--bpe-merges", "0"}),
                   train("judge", {"--oracle", "left-right", "--bpe-merges", "30"})})) {
    ASSERT_TRUE(fine(trained));
  }
  for (size_t line : {0, 1}) {
    std::vector<Json> found =
        lists({"translate", "--model", folder.path() / "writer", "--beam-size", "4", "--nbest", "4",
               "--min-length", "2", "--rerank", "likelihood", "--rerank-model", judge},
              from[line] + "\n");
    ASSERT_GE(found.size(), 2U);
    fs::path sources = folder.path() / "sources.txt";
    put(sources, joined(Words(found.size(), from[line])));
    expect_ranked(found, scores(found, {"--model", judge, "--source", sources}));
  }
}

TEST(Rerank, NeitherBatchNorThreadsChangeAnything) {
  Words call = {"generate",
                "--model",
                oracle_model("uniform"),
                "-n",
                "20",
                "--quiet",
                "--rerank",
                "likelihood",
                "--rerank-samples",
                "3",
                "--rerank-among",
                "2"};
  std::string first = bough(call + Words{"--threads", "1"}).out;
  EXPECT_EQ(split_lines(first).size(), 20U);
  EXPECT_TRUE(same_output(bough(call + Words{"--threads", "2", "--batch-size", "3"}).out, first));
}

TEST(Rerank, TextHasTheLikelihoodBehindTheTreesOwn) {
  Outcome outcome =
      bough({"generate", "--model", oracle_model("uniform"), "--nbest", "1", "--length-power", "0",
             "--rerank", "likelihood", "--rerank-samples", "3", "--quiet", "--threads", "1"});
  ASSERT_TRUE(fine(outcome));
  std::istringstream stream(outcome.out.substr(outcome.out.find("F0=")));
  std::string name, bar;
  double tree = 0.0, likelihood = 0.0, score = 0.0;
  stream >> name >> tree >> name >> likelihood >> bar >> score;
  EXPECT_EQ(name, "F1=");
  EXPECT_DOUBLE_EQ(likelihood, score);
}

TEST(Rerank, RefusesWhatMakesNoSense) {
  fs::path model = oracle_model("uniform");
  fs::path reorder = TinyModels::shared().with({"--task", "reorder", "--oracle", "uniform"});
  Words generate = {"generate", "--model", model};
  Words rerank = {"--rerank", "likelihood"};
  expect_refused(
      {{generate + rerank + Words{"--decode", "greedy"}, 2, {"--beam-size"}},
       {Words{"reorder", "--model", reorder} + rerank, 2, {"greedy", "--beam-size"}},
       {generate + rerank + Words{"--rerank-model", reorder}, 2, {"--task reorder", "--task lm"}},
       {generate + rerank + Words{"--rerank-model", "none"}, 3, {"none"}},
       {generate + Words{"--rerank-model", model}, 2, {"--rerank-model", "--rerank likelihood"}},
       {generate + Words{"--rerank-samples", "3"}, 2, {"--rerank-samples"}},
       {generate + rerank + Words{"--rerank-samples", "0"}, 2, {"--rerank-samples"}}});
}

}  // namespace
}  // namespace bough
