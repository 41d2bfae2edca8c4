// `bough import`: models of the authors' program, run by the verbs.
#include <cmath>

#include "authors_models.h"
#include "program.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Json = nlohmann::json;

/// A golden case as files, and `bough import` of them.
class Import : public testing::Test {
 protected:
  Words call(const std::string& name, const std::string& vocabulary = "tok2i.json") {
    Json numbers = authors_numbers();
    put(folder_.path() / "model_config.json", authors_options(numbers, name).dump());
    std::vector<std::string> words = authors_words(numbers);
    put(folder_.path() / "tok2i.json", authors_vocabulary(words).dump());
    std::string lines;
    for (const std::string& word : words) lines += word + "\n";
    put(folder_.path() / "words.txt", lines);
    return {"import",
            "--weights",
            golden_root() / "models" / "authors" / (name + ".safetensors"),
            "--vocabulary",
            folder_.path() / vocabulary,
            "--options",
            folder_.path() / "model_config.json",
            "--out",
            folder_.path() / name,
            "--quiet"};
  }

  fs::path imported(const std::string& name) {
    EXPECT_TRUE(fine(bough(call(name))));
    return folder_.path() / name;
  }

  TempFolder folder_;
};

TEST_F(Import, VerbsRunWhatItMakes) {
  for (const char* name : {"lm_lstm", "lm_lstm_end_head"}) {
    fs::path model = imported(name);
    Outcome info = bough({"info", "--model", model, "--json", "--quiet"});
    ASSERT_TRUE(fine(info));
    Json said = Json::parse(info.out);
    EXPECT_EQ(said.at("task"), "lm");
    EXPECT_EQ(said.at("end_head"), std::string(name) == "lm_lstm_end_head");
    EXPECT_TRUE(said.at("self_test").at("passed").get<bool>());
    Outcome written = bough({"generate", "--model", model, "-n", "4", "--quiet"});
    ASSERT_TRUE(fine(written));
    EXPECT_EQ(split_lines(written.out).size(), 4U);
    EXPECT_TRUE(has(written.out, "w"));
    Outcome score = bough({"score", "--model", model, "--exact", "--quiet"}, "w9\n");
    ASSERT_TRUE(fine(score));
    EXPECT_EQ(Json::parse(score.out).at("tokens"), 1);
    // A word of the vocabulary, not an unknown one.
    EXPECT_FALSE(Json::parse(score.out).contains("unknown") &&
                 Json::parse(score.out).at("unknown") != 0);
  }
  Outcome ordered =
      bough({"reorder", "--model", imported("reorder_lstm"), "--exact", "--quiet"}, "w9 w8 w7\n");
  ASSERT_TRUE(fine(ordered));
  for (const char* word : {"w7", "w8", "w9"}) EXPECT_TRUE(has(ordered.out, word));
  Outcome translated =
      bough({"translate", "--model", imported("translate_bilstm"), "--quiet"}, "w9 w8\n");
  EXPECT_TRUE(fine(translated));
}

/// The likelihood of a sentence of one word follows from the golden logits.
TEST_F(Import, ScoresAreTheAuthors) {
  Json numbers = authors_numbers();
  double expected = 0.0;
  // The first golden sentence has one word: three steps, of which the last two say <end>.
  ASSERT_EQ(numbers.at("sentences").at(0).size(), 1U);
  int word = numbers.at("sentences").at(0).at(0);
  for (int step = 0; step < 3; ++step) {
    auto logits = numbers.at("lm_lstm").at("scores").at(0).at(step).get<std::vector<double>>();
    double sum = 0.0;
    for (double logit : logits) sum += std::exp(logit);
    expected += logits[step == 0 ? word : 4] - std::log(sum);
  }
  Outcome score = bough({"score", "--model", imported("lm_lstm"), "--exact", "--quiet"},
                        "w" + std::to_string(word) + "\n");
  ASSERT_TRUE(fine(score));
  EXPECT_NEAR(Json::parse(score.out).at("logprob").get<double>(), expected, 1e-4);
}

TEST_F(Import, TakesAWordALineToo) {
  EXPECT_TRUE(fine(bough(call("lm_lstm", "words.txt"))));
  Words lines = lines_of(folder_.path() / "lm_lstm" / "vocab.txt");
  EXPECT_EQ(lines, lines_of(folder_.path() / "words.txt"));
}

TEST_F(Import, RefusesPlainly) {
  fs::path model = imported("lm_lstm");
  EXPECT_TRUE(refused(bough(call("lm_lstm")), 2, {"already holds a model", "--force"}));
  EXPECT_TRUE(fine(bough(call("lm_lstm") + Words{"--force"})));
  EXPECT_TRUE(
      refused(bough({"train", "--train", folder_.path() / "words.txt", "--out", model, "--resume"}),
              2, {"no training state"}));
  Words other = call("lm_lstm") + Words{"--out", folder_.path() / "other"};
  put(folder_.path() / "model_config.json", "{");
  EXPECT_TRUE(refused(bough(other), 3, {"model_config.json", "not JSON"}));
  Words end_head = call("lm_lstm_end_head");
  put(folder_.path() / "model_config.json", authors_options(authors_numbers(), "lm_lstm").dump());
  EXPECT_TRUE(refused(bough(end_head), 3, {"'o2stop.0.weight' is not known"}));
  EXPECT_FALSE(fs::exists(folder_.path() / "lm_lstm_end_head"));
  EXPECT_TRUE(refused(bough({"import", "--weights", "x"}), 2, {"--vocabulary is missing"}));
}

}  // namespace
}  // namespace bough
