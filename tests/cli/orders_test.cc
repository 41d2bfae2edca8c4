// The orders that a model writes in: several in one (`train --orders`), and words that are put
// whole.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tiny_models.h"

namespace bough {
namespace {

/// A model of a task that knows the tiny sentences by heart, from both ends.
fs::path two_orders(const std::string& task) {
  return TinyModels::shared().with(
      Words{"--task", task, "--shape", "arity", "--orders", "left-right,right-left"} + by_heart());
}

Words lines_in_order(const Words& call, const std::string& input = "") {
  Outcome outcome = bough(call + Words{"--quiet"}, input);
  EXPECT_TRUE(fine(outcome));
  return split_lines(outcome.out);
}

/// Where the root of a trace's tree stands in its sentence.
enum class Root { kFirst, kLast, kWithin };
Root root_of(const std::string& line) {
  nlohmann::json trace = nlohmann::json::parse(line);
  size_t place = trace["nodes"][0]["position"];
  if (place == 0) return Root::kFirst;
  return place + 1 == trace["tokens"].size() ? Root::kLast : Root::kWithin;
}

TEST(Orders, TheStartNamesTheOrder) {
  fs::path model = two_orders("lm");
  std::set<std::string> known(tiny_sentences().begin(), tiny_sentences().end());
  Words write = {"generate", "--model", model, "--top-k", "1", "--format", "jsonl"};
  for (const Words& precision : {Words{}, Words{"--precision", "int8"}}) {
    Words usual = lines_in_order(write + precision);
    Words first = lines_in_order(write + precision + Words{"--order", "left-right"});
    Words last = lines_in_order(write + precision + Words{"--order", "right-left"});
    EXPECT_EQ(usual, first);
    EXPECT_EQ(root_of(first.at(0)), Root::kFirst);
    EXPECT_EQ(root_of(last.at(0)), Root::kLast);
    for (const std::string& line : {first.at(0), last.at(0)}) {
      EXPECT_TRUE(known.contains(nlohmann::json::parse(line)["text"])) << line;
    }
  }
}

TEST(Orders, TheBestOfSeveralAreOneList) {
  fs::path model = two_orders("reorder");
  std::string bag = ". river the quiet along walk we\n";
  Words search = {"reorder", "--model", model, "--exact", "--beam-size", "3", "--order"};
  EXPECT_EQ(lines_in_order(search + Words{"left-right,right-left"}, bag),
            Words{"we walk along the quiet river ."});
  Words ranked =
      lines_in_order(search + Words{"left-right,right-left", "--rerank", "likelihood"}, bag);
  EXPECT_EQ(ranked, Words{"we walk along the quiet river ."});
  Words both = lines_in_order(search + Words{"left-right,right-left", "--nbest", "6"}, bag);
  Words one = lines_in_order(search + Words{"left-right", "--nbest", "6"}, bag);
  EXPECT_GT(both.size(), one.size());
  std::set<std::string> texts;
  for (const std::string& line : both) {
    texts.insert(line.substr(0, line.find(" ||| ", line.find(" ||| ") + 5)));
  }
  EXPECT_EQ(texts.size(), both.size());
}

/// What a model says of a sentence in one of its orders.
nlohmann::json scored_in(const fs::path& model, const std::string& order,
                         const std::string& sentence = "we walk along the quiet river .") {
  Words lines = lines_in_order({"score", "--model", model, "--order", order, "--threads", "1"},
                               sentence + "\n");
  return nlohmann::json::parse(lines.at(0));
}

TEST(Orders, ASentenceIsScoredByOneOfThem) {
  fs::path model = two_orders("lm");
  EXPECT_TRUE(scored_in(model, "left-right")["exact"]);
  EXPECT_NE(scored_in(model, "left-right")["logprob"], scored_in(model, "right-left")["logprob"]);
}

/// Ranked by the mean of what the orders say of a sentence, not by the likelihood of one drawn by
/// chance.
TEST(Orders, AgreementIsTheirMean) {
  fs::path model = two_orders("lm");
  Words lines = lines_in_order({"generate", "--model", model, "--order", "left-right,right-left",
                                "--beam-size", "6", "--nbest", "8", "--min-length", "2", "--rerank",
                                "agreement", "--format", "jsonl"});
  ASSERT_GE(lines.size(), 4U);
  double before = 0.0;
  for (const std::string& line : lines) {
    nlohmann::json found = nlohmann::json::parse(line);
    double mean = 0.0;
    for (const char* order : {"left-right", "right-left"}) {
      mean += 0.5 * scored_in(model, order, found["text"])["logprob"].get<double>();
    }
    double score = found["score"];
    EXPECT_NEAR(score, mean / static_cast<double>(found["tokens"].size()), 2e-3);
    EXPECT_GE(found["likelihood"].get<double>(), mean - 2e-3);
    EXPECT_LE(score, before);
    before = score;
  }
}

TEST(Orders, WhatDoesNotFitIsRefused) {
  fs::path model = two_orders("reorder");
  Outcome unknown = bough({"reorder", "--model", model, "--order", "balanced"}, "a b\n");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("left-right, right-left"), std::string::npos) << unknown.err;
  Outcome greedy =
      bough({"reorder", "--model", model, "--order", "left-right,right-left"}, "a b\n");
  EXPECT_EQ(greedy.exit_code, 2);
  EXPECT_NE(greedy.err.find("--beam-size"), std::string::npos) << greedy.err;
  TempFolder folder;
  Outcome one = bough({"train", "--out", folder.path() / "m", "--train", folder.path() / "none",
                       "--orders", "uniform"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_NE(one.err.find("two or three"), std::string::npos) << one.err;
}

/// Of all pieces that end within a word: how many have the next one as their right child.
double share_put_whole(const fs::path& model) {
  int pieces = 0;
  int whole = 0;
  for (const std::string& line : lines_in_order(
           {"generate", "--model", model, "-n", "200", "--seed", "1", "--format", "jsonl"})) {
    nlohmann::json trace = nlohmann::json::parse(line);
    std::map<int, nlohmann::json> nodes;  // by position
    for (const nlohmann::json& node : trace["nodes"]) nodes[node["position"]] = node;
    for (const auto& [position, node] : nodes) {
      bool unfinished = node["token"].get<std::string>().ends_with("@@");
      if (!unfinished || !nodes.contains(position + 1)) continue;
      ++pieces;
      whole += nodes[position + 1]["parent"] == node["id"] ? 1 : 0;
    }
  }
  EXPECT_GT(pieces, 100);
  return static_cast<double>(whole) / pieces;
}

TEST(Orders, WordsThatAreCutArePutWhole) {
  Words cut = Words{"--oracle", "uniform", "--bpe-merges", "10"} + by_heart();
  Words whole = cut + Words{"--whole-words"};
  TinyModels::shared().make({cut, whole});
  EXPECT_GT(share_put_whole(TinyModels::shared().with(whole)), 0.95);
  EXPECT_LT(share_put_whole(TinyModels::shared().with(cut)), 0.8);
  TempFolder folder;
  Words train =
      tiny_train(TinyModels::shared().corpus(), folder.path() / "none", {"--whole-words"});
  expect_refused({{train, 2, {"--whole-words", "--bpe-merges"}}});
}

/// Where the oracle knows one tree of each sentence, its probability is the sentence's.
TEST(Orders, OneTreeASentenceIsScoredExactly) {
  for (const Words& oracle : {Words{"--oracle", "content-first", "--frequent-words", "4"},
                              Words{"--oracle", "right-left"}}) {
    SCOPED_TRACE(oracle.at(1));
    fs::path model = TinyModels::shared().with(
        oracle + Words{"--bpe-merges", "10", "--whole-words"} + by_heart());
    Words lines = lines_in_order({"score", "--model", model}, "we walk along the quiet river .\n");
    nlohmann::json scored = nlohmann::json::parse(lines.at(0));
    EXPECT_TRUE(scored["exact"]);
    EXPECT_GT(scored["logprob"].get<double>(), -7.0);  // one of a few sentences, known by heart
  }
}

}  // namespace
}  // namespace bough
