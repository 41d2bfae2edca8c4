// `bough train --shape arity`: every verb does with such models what it does with the others.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tiny_models.h"

namespace bough {
namespace {

/// A model of each task that knows the tiny sentences by heart.
fs::path model_of(const std::string& task) {
  return TinyModels::shared().with(
      Words{"--task", task, "--shape", "arity", "--oracle", "annealed", "--beta-rate", "0.5"} +
      by_heart());
}

/// Runs a verb and gives its lines.
Words lines_of(const Words& call, const std::string& input = "") {
  Outcome outcome = bough(call + Words{"--quiet"}, input);
  EXPECT_TRUE(fine(outcome));
  return split_lines(outcome.out);
}

std::multiset<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(Shape, TracesTakeAStepAWordAndNameClosedSides) {
  Words lines = lines_of({"generate", "--model", model_of("lm"), "-n", "20", "--format", "jsonl"});
  ASSERT_EQ(lines.size(), 20U);
  for (const std::string& line : lines) {
    nlohmann::json trace = nlohmann::json::parse(line);
    ASSERT_EQ(trace["actions"].size(), trace["tokens"].size());
    for (const auto& node : trace["nodes"]) {
      std::set<std::string> sides;
      for (const auto& other : trace["nodes"]) {
        if (other["parent"] == node["id"]) sides.insert(other["side"]);
      }
      std::string closed = node.value("closed", "");
      EXPECT_EQ(sides.contains("left"), closed != "left" && closed != "both") << line;
      EXPECT_EQ(sides.contains("right"), closed != "right" && closed != "both") << line;
    }
  }
  std::string traces;
  for (const std::string& line : lines) traces += line + "\n";
  TempFolder folder;
  put(folder.path() / "traces.jsonl", traces);
  EXPECT_FALSE(lines_of({"analyze", "--traces", folder.path() / "traces.jsonl"}).empty());
}

TEST(Shape, SentencesThatWereLearnedComeOut) {
  std::set<std::string> known(tiny_sentences().begin(), tiny_sentences().end());
  for (const Words& way : {Words{"--top-k", "1"}, Words{"--beam-size", "4"}}) {
    Words lines = lines_of(Words{"generate", "--model", model_of("lm")} + way);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(known.contains(lines[0])) << lines[0];
  }
}

TEST(Shape, TemplatesAndGivenWordsAreKept) {
  fs::path model = model_of("lm");
  for (const Words& way : {Words{}, Words{"--decode", "greedy"}, Words{"--beam-size", "3"},
                           Words{"--precision", "int8"}}) {
    Words lines = lines_of(Words{"complete", "--model", model} + way,
                           "___ dog <blank:1-2> the ___\nthe <blank:0> moon ___ .\n");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_NE(lines[0].find("dog "), std::string::npos) << lines[0];
    EXPECT_TRUE(lines[1].starts_with("the moon") && lines[1].ends_with(" .")) << lines[1];
    lines = lines_of(Words{"complete", "--model", model, "--must", "bread,door", "--length", "6"} +
                     way);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(words_of(lines[0]).size(), 6U) << lines[0];
  }
}

/// What makes sides likelier to be closed, or open, holds for those of given words, too.
TEST(Shape, ALengthBiasOpensSidesOfGivenWords) {
  Words call = {"reorder",  "--model", model_of("reorder"), "--root", ".",
                "--format", "jsonl",   "--length-ratio",    "3",      "--length-bias"};
  std::string bag = ". river the quiet along walk we\n";
  for (const Words& way : {Words{}, Words{"--beam-size", "2"}}) {
    auto root = [&](const std::string& bias) {
      return nlohmann::json::parse(lines_of(call + Words{bias} + way, bag).at(0))["nodes"][0];
    };
    EXPECT_EQ(root("0").value("closed", ""), "right");  // nothing stands behind a full stop
    EXPECT_FALSE(root("100").contains("closed"));
  }
}

/// Whoever avoids all words is told so, not given what is no word.
TEST(Shape, WhereNoWordIsLeftTheDemandIsUnmet) {
  std::set<std::string> all;
  for (const std::string& sentence : tiny_sentences()) {
    for (const std::string& word : words_of(sentence)) all.insert(word);
  }
  all.erase("moon");
  std::string avoided = "moon moon";
  for (const std::string& word : all) avoided += "," + word;
  for (const fs::path& model : {model_of("lm"), oracle_model("uniform")}) {
    Words call = {"complete", "--model", model, "--length", "3", "--avoid", avoided, "--quiet"};
    for (const Words& way : {Words{}, Words{"--decode", "greedy"}, Words{"--beam-size", "3"},
                             Words{"--mbr", "4"}, Words{"--nbest", "2"}}) {
      Outcome outcome = bough(call + way, "moon ___\n");
      EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
      EXPECT_EQ(outcome.out, "");
      EXPECT_NE(outcome.err.find("avoid"), std::string::npos) << outcome.err;
    }
  }
}

TEST(Shape, ABagIsPutInOrderExactly) {
  fs::path model = model_of("reorder");
  std::string bags = "the dog old . door the by sleeps\n. river the quiet along walk we\n";
  for (const Words& way : {Words{}, Words{"--beam-size", "3"}, Words{"--mbr", "4"}}) {
    Words lines = lines_of(Words{"reorder", "--model", model, "--exact"} + way, bags);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(words_of(lines[0]), words_of(tiny_sentences()[0]));
    EXPECT_EQ(words_of(lines[1]), words_of(tiny_sentences()[3]));
  }
}

/// Sides are closed by a rule, or drawn; in a search they compete, and there is nothing to try.
TEST(Shape, TuningTriesWhatSidesAreClosedBy) {
  auto tried = [&](const Words& way) {
    Words table = lines_of(Words{"tune", "--model", model_of("reorder"), "--valid",
                                 TinyModels::shared().corpus(), "-n", "4", "--dry-run"} +
                           way);
    std::map<std::string, int> rules;
    for (const std::string& row : table) ++rules[row.substr(0, row.find('\t'))];
    return rules;
  };
  std::map<std::string, int> greedy = tried({"--decode", "greedy"});
  EXPECT_GE(greedy["threshold"], 8);
  EXPECT_GE(greedy["sample"], 1);
  std::map<std::string, int> search = tried({"--beam-size", "2"});
  EXPECT_EQ(search.count("threshold"), 0U);
  EXPECT_GE(search["auto"], 2);
}

/// Known sentences are likelier than the same words in another order; few words can be summed up.
TEST(Shape, SentencesAreScored) {
  fs::path model = model_of("lm");
  auto score = [&](const std::string& line, const Words& more) {
    Words lines = lines_of(Words{"score", "--model", model} + more, line + "\n");
    return nlohmann::json::parse(lines.at(0))["logprob"].get<double>();
  };
  EXPECT_GT(score("she reads a long letter .", {}), score("letter long a reads she .", {}) + 3.0);
  EXPECT_NEAR(score("she reads a long letter .", {"--exact"}),
              score("she reads a long letter .", {"--samples", "256"}), 0.3);
}

TEST(Shape, TrainingGoesOnWhereItWasAndAnEndHeadIsRefused) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  Words shape = {"--shape", "arity",       "--oracle", "annealed",        "--quiet", "--average",
                 "0.9",     "--beta-rate", "1",        "--epoch-updates", "2"};
  auto train = [&](const std::string& name, const Words& more) {
    return bough(tiny_train(corpus, folder.path() / name, shape + more));
  };
  ASSERT_TRUE(fine(train("whole", {"--updates", "8"})));
  ASSERT_TRUE(fine(train("parts", {"--updates", "4"})));
  ASSERT_TRUE(fine(train("parts", {"--updates", "8", "--resume"})));
  EXPECT_TRUE(tensors_of(folder.path() / "whole" / "model.safetensors") ==
              tensors_of(folder.path() / "parts" / "model.safetensors"));
  Outcome refused = train("none", {"--end-head"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--end-head goes with --shape end"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace bough
