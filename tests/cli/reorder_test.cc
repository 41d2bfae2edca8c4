// `bough train --task reorder` and `bough reorder`.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "tiny_models.h"

namespace bough {
namespace {

fs::path reorder_model() {
  return TinyModels::shared().with({"--task", "reorder", "--oracle", "uniform", "--updates", "400",
                                    "--epoch-updates", "100", "--valid-samples", "24"});
}

fs::path certain_model() {
  return TinyModels::shared().with(
      Words{"--task", "reorder", "--oracle", "left-right", "--valid-samples", "24"} + by_heart());
}

/// The tiny sentences with their words in another order.
std::string shuffled_bags() {
  std::mt19937 random(1);
  std::string text;
  for (const std::string& sentence : tiny_sentences()) {
    Words words;
    std::istringstream stream(sentence);
    for (std::string word; stream >> word;) words.push_back(word);
    std::shuffle(words.begin(), words.end(), random);
    for (const std::string& word : words) text += word + " ";
    text += "\n";
  }
  return text;
}

Words sorted_words(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  std::sort(words.begin(), words.end());
  return words;
}

/// Line by line the same words, each as often.
void expect_permutations(const std::string& out, const std::string& in) {
  Words found = split_lines(out);
  Words bags = split_lines(in);
  ASSERT_EQ(found.size(), bags.size());
  for (size_t i = 0; i < bags.size(); ++i) EXPECT_EQ(sorted_words(found[i]), sorted_words(bags[i]));
}

TEST(Reorder, LearnsToPutWordsInOrder) {
  Outcome outcome = bough({"reorder", "--model", certain_model(), "--quiet"}, shuffled_bags());
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(same_output(outcome.out, joined(tiny_sentences())));
}

TEST(Reorder, IsJudgedByBleuAndTheBestIsKept) {
  double best = -1;
  for (const auto& line : json_lines(split_lines(read_file(reorder_model() / "metrics.jsonl")))) {
    if (!line.contains("bleu")) continue;
    EXPECT_EQ(line.at("best").get<bool>(), line.at("bleu").get<double>() > best);
    best = std::max(best, line.at("bleu").get<double>());
    EXPECT_GE(line.at("f1"), 0.0);
    EXPECT_LE(line.at("exact_match"), 1.0);
  }
  EXPECT_GT(best, 0.0);
  // The kept model reaches that score again.
  Outcome outcome = bough({"reorder", "--model", reorder_model(), "--quiet"}, shuffled_bags());
  ASSERT_TRUE(fine(outcome));
  TempFolder folder;
  put(folder.path() / "hyp", outcome.out);
  put(folder.path() / "ref", joined(tiny_sentences()));
  Outcome score = bough({"eval", folder.path() / "ref", "-i", folder.path() / "hyp", "--tokenize",
                         "none", "--width", "9"});
  ASSERT_TRUE(fine(score));
  EXPECT_NEAR(nlohmann::json::parse(score.out).at("score"), best, 1e-6);
}

TEST(Reorder, ExactIsAPermutationWordsOutsideTheVocabularyToo) {
  std::string bags = shuffled_bags() + "zebra the xylophone zebra\n\nthe\n";
  for (const Words& how : {Words{}, Words{"--decode", "sample"}, Words{"--end-rule", "argmax"}}) {
    Outcome outcome =
        bough(Words{"reorder", "--model", reorder_model(), "--exact", "--quiet"} + how, bags);
    ASSERT_TRUE(fine(outcome));
    expect_permutations(outcome.out, bags);
  }
}

TEST(Reorder, BeginsWithTheRootThatIsAskedFor) {
  const std::string bag = "zebra the dog dog .";
  Words call = {"reorder", "--model", reorder_model(), "--quiet", "--root"};
  for (const char* root : {"the", "dog", ".", "zebra"}) {
    for (const Words& how : {Words{}, Words{"--exact"}, Words{"--exact", "--decode", "sample"}}) {
      Outcome outcome = bough(call + Words{root, "--format", "jsonl"} + how, bag);
      ASSERT_TRUE(fine(outcome));
      auto trace = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(trace["nodes"][0]["token"], root);
      if (how.empty()) continue;
      expect_permutations(fmt::format("{}\n", fmt::join(trace["tokens"].get<Words>(), " ")),
                          bag + "\n");
    }
  }
  EXPECT_TRUE(has(bough(call + Words{"cat", "--exact"}, bag).err,
                  "line 1: --root 'cat' is none of the words"));
  EXPECT_TRUE(has(bough(call + Words{" "}, bag).err, "--root names no word"));
}

TEST(Reorder, DoesNotHangOnTheOrderOfTheBagNorOnTheBatch) {
  Words call = {"reorder", "--model", reorder_model(), "--quiet"};
  Outcome shuffled = bough(call, shuffled_bags());
  Outcome in_order = bough(call + Words{"--batch-size", "3"}, joined(tiny_sentences()));
  ASSERT_TRUE(fine(shuffled));
  EXPECT_TRUE(same_output(shuffled.out, in_order.out));
}

TEST(Reorder, MbrTakesOneOfItsSamples) {
  Words call = {"reorder", "--model", reorder_model(), "--quiet", "--mbr", "8"};
  Outcome outcome = bough(call + Words{"--exact"}, shuffled_bags());
  ASSERT_TRUE(fine(outcome));
  expect_permutations(outcome.out, shuffled_bags());
  EXPECT_TRUE(same_output(bough(call, shuffled_bags()).out,
                          bough(call + Words{"--batch-size", "5"}, shuffled_bags()).out));
}

TEST(Reorder, BeamsKeepThePromises) {
  Words call = {"reorder", "--model", reorder_model(), "--quiet", "--beam-size", "4"};
  Outcome outcome = bough(call + Words{"--exact"}, shuffled_bags());
  ASSERT_TRUE(fine(outcome));
  expect_permutations(outcome.out, shuffled_bags());
  // A beam of one is greedy decoding.
  Words greedy = {"reorder", "--model", reorder_model(), "--quiet"};
  EXPECT_TRUE(same_output(bough(greedy + Words{"--beam-size", "1"}, shuffled_bags()).out,
                          bough(greedy, shuffled_bags()).out));
  expect_refused({{call + Words{"--mbr", "4"}, 2, {"--mbr"}}});
  // A beam as wide as all 30 trees of three words, and 4 of two.
  Outcome three =
      bough(call + Words{"--beam-size", "32", "--end-rule", "argmax", "--exact", "--nbest", "3"},
            "the dog sleeps\n\na bird\n");
  ASSERT_TRUE(fine(three));
  Words lists = split_lines(three.out);
  ASSERT_EQ(lists.size(), 3U + 1U + 2U);  // two words have two orders
  EXPECT_EQ(lists[3], "");
  for (size_t i : {0U, 1U, 2U, 4U, 5U}) {
    EXPECT_TRUE(lists[i].starts_with(i < 3 ? "0 ||| " : "2 ||| ")) << lists[i];
    EXPECT_TRUE(has(lists[i], " ||| F0= "));
  }
}

TEST(Reorder, ExactSearchesUnlessToldHow) {
  TempFolder folder;
  fs::path model = folder.path() / "model";
  fs::copy(reorder_model(), model, fs::copy_options::recursive);
  auto traces = [&](const Words& more) {
    Outcome outcome =
        bough(Words{"reorder", "--model", model, "--exact", "--quiet", "--format", "jsonl"} + more,
              shuffled_bags());
    EXPECT_TRUE(fine(outcome));
    return outcome.out;
  };
  std::string search = traces({"--beam-size", "10"});
  std::string greedy = traces({"--decode", "greedy"});
  EXPECT_NE(search, greedy);
  EXPECT_TRUE(same_output(traces({}), search));
  EXPECT_TRUE(same_output(traces({"--beam-size", "0"}), greedy));
  // Settings for the search are taken, and those for greedy decoding mean that this was chosen.
  put(model / "generation.json", R"({"reorder exact beam": {"length-power": 0.5}})");
  EXPECT_TRUE(same_output(traces({}), search)) << "all candidates have the same length";
  put(model / "generation.json", R"({"reorder exact greedy": {"end-rule": "argmax"}})");
  EXPECT_TRUE(same_output(traces({}), traces({"--decode", "greedy", "--end-rule", "argmax"})));
}

/// The best BLEU of a table that `bough tune` has written, and the settings in front of it.
std::pair<double, std::string> best_of(const std::string& table) {
  std::pair<double, std::string> best = {-1.0, ""};
  Words lines = split_lines(table);
  for (size_t i = 1; i < lines.size(); ++i) {
    size_t last = lines[i].rfind('\t');
    double bleu = std::stod(lines[i].substr(last + 1));
    if (bleu > best.first) best = {bleu, lines[i].substr(0, last)};
  }
  return best;
}

class Tune : public testing::Test {
 protected:
  Tune() {
    fs::copy(reorder_model(), reorder_, fs::copy_options::recursive);
    fs::copy(oracle_model("uniform"), lm_, fs::copy_options::recursive);
  }

  nlohmann::json settings(const fs::path& model, const std::string& name) {
    return nlohmann::json::parse(read_file(model / "generation.json")).at(name);
  }

  TempFolder folder_;
  fs::path reorder_ = folder_.path() / "reorder";
  fs::path lm_ = folder_.path() / "lm";
  fs::path corpus_ = TinyModels::shared().corpus();
};

TEST_F(Tune, KeepsTheBestOfItsTable) {
  Words tune = {"tune", "--valid", corpus_, "--quiet", "--model"};
  Outcome greedy = bough(tune + Words{reorder_});
  ASSERT_TRUE(fine(greedy));
  // The header, what was in force, argmax, eight thresholds, four length biases.
  EXPECT_EQ(split_lines(greedy.out).size(), 15U);
  EXPECT_EQ(settings(reorder_, "reorder greedy").at("length-ratio"), 1.0);  // a bag has them all
  std::string rule = settings(reorder_, "reorder greedy").at("end-rule");
  EXPECT_TRUE(best_of(greedy.out).second.starts_with(rule + "\t")) << greedy.out;

  Outcome beam = bough(tune + Words{reorder_, "--exact", "--beam-size", "2"});
  ASSERT_TRUE(fine(beam));
  nlohmann::json found = settings(reorder_, "reorder exact beam");
  EXPECT_TRUE(found.contains("length-power"));
  EXPECT_FALSE(found.contains("temperature"));
  EXPECT_TRUE(settings(reorder_, "reorder greedy").contains("end-rule"));  // still there
  // What `reorder --exact` does by itself is tuned by itself, too.
  fs::remove(reorder_ / "generation.json");
  ASSERT_TRUE(fine(bough(tune + Words{reorder_, "--exact", "-n", "3"})));
  EXPECT_TRUE(settings(reorder_, "reorder exact beam").contains("length-power"));

  Outcome sample = bough(tune + Words{lm_, "--decode", "sample"});
  ASSERT_TRUE(fine(sample));
  double temperature = settings(lm_, "complete sample").at("temperature");
  std::string best = best_of(sample.out).second;  // … temperature, length-power
  EXPECT_DOUBLE_EQ(std::stod(best.substr(best.rfind('\t', best.rfind('\t') - 1) + 1)), temperature)
      << sample.out;
  expect_refused({{tune + Words{lm_, "--exact"}, 2, {"--exact"}}});
}

TEST_F(Tune, WhatItChoosesIsUsedFromThenOn) {
  // Settings of the file count where none are given, and only then.
  put(reorder_ / "generation.json",
      R"({"reorder greedy": {"end-rule": "threshold", "end-threshold": 0.99}})");
  Words call = {"reorder", "--model", reorder_, "--quiet"};
  Words explicit_call = {"--end-rule", "threshold", "--end-threshold", "0.99"};
  std::string by_file = bough(call, shuffled_bags()).out;
  EXPECT_EQ(by_file, bough(Words{"reorder", "--model", reorder_model(), "--quiet"} + explicit_call,
                           shuffled_bags())
                         .out);
  EXPECT_NE(by_file, bough(call + Words{"--end-threshold", "0.3"}, shuffled_bags()).out);
  put(lm_ / "generation.json", R"({"complete sample": {"temperature": 0.001}})");
  Words complete = {"complete", "--quiet", "--must", "the", "--model"};
  EXPECT_EQ(bough(complete + Words{lm_, "--seed", "3"}).out,
            bough(complete + Words{oracle_model("uniform"), "--temperature", "0.001"}).out);
  put(reorder_ / "generation.json", "{");
  expect_refused({{call + Words{"-i", corpus_}, 3, {"generation.json", "tune"}}});
}

TEST(Reorder, ABagHasABound) {
  Words call = {"reorder", "--model", reorder_model(), "--quiet", "--max-source", "3"};
  EXPECT_TRUE(refused(bough(call, "the old dog\n\nthe old dog sleeps\n"), 3,
                      {"line 3", "4 words", "--max-source 3"}));
  Outcome skipped = bough(call + Words{"--on-error", "skip"}, "the old dog sleeps\nthe dog\n");
  ASSERT_TRUE(fine(skipped));
  EXPECT_EQ(split_lines(skipped.out).size(), 2U);
  EXPECT_EQ(split_lines(skipped.out).front(), "");
}

TEST(Reorder, NeedsAModelForIt) {
  expect_refused({{{"reorder", "--model", oracle_model("uniform")}, 2, {"--task reorder", "lm"}},
                  {{"generate", "--model", reorder_model()}, 2, {"--task lm", "reorder"}},
                  {{"train", "--task", "lm", "--encoder", "bag", "--train", "x", "--out", "y"},
                   2,
                   {"--encoder bag"}}});
}

}  // namespace
}  // namespace bough
