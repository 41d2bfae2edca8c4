// The models that come with bough: each is found by its name, small, and does what its card says.
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/file.h"
#include "program.h"

namespace bough {
namespace {

std::string written(const Words& call, const std::string& input = "") {
  Outcome outcome = bough(call + Words{"--quiet"}, input);
  EXPECT_TRUE(fine(outcome));
  return outcome.out;
}

TEST(Models, AreSmallAndNameTheirData) {
  Outcome outcome = bough({"info", "--list", "--json"});
  ASSERT_TRUE(fine(outcome));
  uint64_t all = 0;
  std::set<std::string> names;
  for (const nlohmann::json& model : nlohmann::json::parse(outcome.out)) {
    uint64_t bytes = model["bytes"];
    EXPECT_LE(bytes, 6U << 20) << model;
    EXPECT_EQ(model["precision"], "int8");
    all += bytes;
    names.insert(model["name"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{"english", "german-english", "order"}));
  EXPECT_LE(all, 20U << 20);
  for (const std::string& name : names) {
    std::string info = written({"info", "--model", name});
    EXPECT_NE(info.find("int8"), std::string::npos) << info;
  }
}

TEST(Models, EnglishWritesAndCompletes) {
  Words sentences = split_lines(written({"generate", "--model", "english", "-n", "20"}));
  ASSERT_EQ(sentences.size(), 20U);
  int finished = 0;
  for (const std::string& line : sentences) {
    finished += line.ends_with('.') || line.ends_with('?') || line.ends_with('!');
    EXPECT_EQ(line.find("￭"), std::string::npos) << line;
  }
  EXPECT_GE(finished, 16);
  std::string line = written({"complete", "--model", "english"}, "___ favorite ___ .\n");
  EXPECT_NE(line.find("favorite"), std::string::npos) << line;
}

TEST(Models, EnglishKnowsGrammarFromSalad) {
  Words lines = split_lines(written({"score", "--model", "english"},
                                    "I have to go to work now.\nI go now to have work to.\n"));
  ASSERT_EQ(lines.size(), 2U);
  double right = nlohmann::json::parse(lines[0])["logprob"];
  double wrong = nlohmann::json::parse(lines[1])["logprob"];
  EXPECT_GT(right, wrong + 3.0);
}

TEST(Models, OrderPutsWordsInOrder) {
  EXPECT_EQ(written({"reorder", "--model", "order", "--exact"}, "have I . time no\n"),
            "I have no time.\n");
}

TEST(Models, GermanEnglishTranslates) {
  std::string line = written({"translate", "--model", "german-english"}, "Ich habe keine Zeit.\n");
  EXPECT_TRUE(line == "I have no time.\n" || line == "I don't have time.\n") << line;
}

}  // namespace
}  // namespace bough
