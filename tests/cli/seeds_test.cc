// `bough train --seeds`, and what verbs that look at models make of the folder that it fills.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

class Seeds : public ::testing::Test {
 protected:
  fs::path out() const { return folder_.path() / "out"; }
  fs::path of(int seed) const { return out() / ("seed-" + std::to_string(seed)); }

  static Words train(const fs::path& out, const Words& more) {
    fs::path corpus = TinyModels::shared().corpus();
    return tiny_train(corpus, out,
                      {"--valid", corpus, "--updates", "7", "--epoch-updates", "4",
                       "--valid-samples", "0"}) +
           more;
  }

  static Json state_of(const fs::path& run) {
    fs::path path = run / "state" / "checkpoint.safetensors";
    return Json::parse(SafetensorsFile::read(path).metadata().at("state"));
  }

  static void expect_same_model(const fs::path& one, const fs::path& other) {
    EXPECT_TRUE(tensors_of(one / "model.safetensors") == tensors_of(other / "model.safetensors"));
  }

  TempFolder folder_;
};

TEST_F(Seeds, EachModelIsTheOneThatItsSeedAloneGives) {
  ASSERT_TRUE(fine(bough(train(out(), {"--seeds", "3,5"}))));
  fs::path alone = folder_.path() / "alone";
  ASSERT_TRUE(fine(bough(train(alone, {"--seed", "5"}))));
  expect_same_model(of(5), alone);
  auto training = [](const fs::path& model) {
    Json options = Json::parse(read_file(model / "config.json")).at("training");
    options.erase("out");
    return options;
  };
  EXPECT_EQ(training(of(5)), training(alone));
  EXPECT_EQ(training(of(3)).at("seed"), 3);
  EXPECT_FALSE(tensors_of(of(3) / "model.safetensors") == tensors_of(alone / "model.safetensors"));
  // It is a folder like any other, which the folder above isn't.
  EXPECT_TRUE(fine(bough({"train", "--out", of(3), "--resume", "--updates", "9"})));
  expect_refused({{{"generate", "--model", out()}, 3, {"seed-3", "seed-5"}}});
}

TEST_F(Seeds, ARecipeMayNameThem) {
  for (const std::string seeds : {"[1, 2]", "\"1,2\"", "[\"1\", \"2\"]"}) {
    put(folder_.path() / "recipe.toml", "seeds = " + seeds + "\n");
    fs::path folder = folder_.path() / std::to_string(seeds.size());
    ASSERT_TRUE(fine(bough(train(folder, {"-c", folder_.path() / "recipe.toml"})))) << seeds;
    EXPECT_TRUE(fs::exists(folder / "seed-1" / "model.safetensors"));
    EXPECT_TRUE(fs::exists(folder / "seed-2" / "model.safetensors"));
  }
  fs::path recipe = folder_.path() / "recipe.toml";
  expect_refused({{train(out(), {"-c", recipe, "--seed", "3"}), 2, {"recipe.toml", "--seed:"}}});
  // One that was written by --dump-config has a seed, which --seeds beats.
  put(recipe, bough(train(out(), {"--dump-config"})).out);
  ASSERT_TRUE(fine(bough({"train", "-c", recipe, "--seeds", "4"})));
  EXPECT_TRUE(fs::exists(of(4) / "model.safetensors"));
}

TEST_F(Seeds, ResumingPassesOverWhatIsFinished) {
  ASSERT_TRUE(fine(bough(train(out(), {"--seeds", "1,2"}))));
  std::string before = read_file(of(1) / "metrics.jsonl");
  Outcome more = bough(train(out(), {"--seeds", "1,2,4", "--resume"}));
  ASSERT_TRUE(fine(more));
  EXPECT_TRUE(has(more.err, "seed 1 is finished"));
  EXPECT_TRUE(has(more.err, "seed 2 is finished"));
  EXPECT_FALSE(has(more.err, "seed 4 is finished"));
  EXPECT_EQ(read_file(of(1) / "metrics.jsonl"), before);
  EXPECT_EQ(state_of(of(4)).at("update"), 7);
  // With a further bound they aren't; their own options are theirs.
  Outcome longer = bough({"train", "--out", out(), "--seeds", "2,4", "--resume", "--updates", "9"});
  ASSERT_TRUE(fine(longer));
  EXPECT_FALSE(has(longer.err, "finished"));
  EXPECT_EQ(state_of(of(2)).at("update"), 9);
  EXPECT_EQ(state_of(of(1)).at("update"), 7);
  // Nor is one of other options passed over.
  expect_refused({{train(out(), {"--seeds", "1", "--resume", "--layers", "2"}), 2, {"--layers"}}});
}

TEST_F(Seeds, MinutesAreThoseOfEachSeedInAll) {
  Words call = train(out(), {"--seeds", "1,2", "--updates", "0", "--epochs", "1000000"});
  ASSERT_TRUE(fine(bough(call + Words{"--max-minutes", "0.01"})));
  int64_t updates = state_of(of(1)).at("update");
  EXPECT_GT(updates, 0);
  Outcome same = bough(call + Words{"--max-minutes", "0.01", "--resume"});
  ASSERT_TRUE(fine(same));
  EXPECT_TRUE(has(same.err, "seed 1 is finished"));
  EXPECT_TRUE(has(same.err, "seed 2 is finished"));
  Outcome more = bough(call + Words{"--max-minutes", "0.03", "--resume"});
  ASSERT_TRUE(fine(more));
  EXPECT_FALSE(has(more.err, "finished"));
  EXPECT_GT(state_of(of(1)).at("update"), updates);
  EXPECT_NEAR(state_of(of(1)).at("minutes_spent"), 0.03, 1e-6);
}

TEST_F(Seeds, AnInterruptStopsAllOfThemAndAllCanBeResumed) {
  Words longer = {"--updates", "300", "--epoch-updates", "70"};
  Words call = train(out(), Words{"--seeds", "1,2,3", "--log-every", "3"} + longer);
  bool stopped = false;
  for (int attempt = 0; attempt < 10 && !stopped; ++attempt) {
    fs::remove_all(out());
    Program program(call);
    wait_for(program, [&] { return fs::exists(of(2) / "metrics.jsonl"); });
    program.send(SIGINT);
    Outcome outcome = program.finish();
    stopped = outcome.exit_code == 130 && !fs::exists(of(3));
    if (stopped) {
      EXPECT_TRUE(has(outcome.err, "--resume"));
    }
  }
  ASSERT_TRUE(stopped);
  Outcome resumed = bough(call + Words{"--resume"});
  ASSERT_TRUE(fine(resumed));
  EXPECT_TRUE(has(resumed.err, "seed 1 is finished"));
  EXPECT_TRUE(has(resumed.err, "resuming at update"));
  fs::path whole = folder_.path() / "whole";
  ASSERT_TRUE(fine(bough(train(whole, Words{"--seeds", "2,3"} + longer))));
  for (int seed : {2, 3}) {
    expect_same_model(of(seed), whole / ("seed-" + std::to_string(seed)));
    EXPECT_EQ(state_of(of(seed)).at("update"), 300);
  }
}

TEST_F(Seeds, WrongOnesAreRefusedBeforeAnythingIsTrained) {
  auto refuse = [&](const Words& more, const Words& parts) {
    return Refusal{train(out(), more), 2, parts};
  };
  expect_refused({refuse({"--seeds", "1,2,1"}, {"--seeds", "1 twice"}),
                  refuse({"--seeds", "1,,2"}, {"--seeds", "''"}),
                  refuse({"--seeds", "1,two"}, {"--seeds", "'two'"}),
                  refuse({"--seeds", "-1"}, {"--seeds", "'-1'"}),
                  refuse({"--seeds", "99999999999999999999"}, {"--seeds"}),
                  refuse({"--seeds", ""}, {"--seeds"}),
                  refuse({"--seeds", "1,2", "--seed", "1"}, {"--seeds and --seed:"})});
  EXPECT_FALSE(fs::exists(out()));
  ASSERT_TRUE(fine(bough(train(of(2), {}))));
  expect_refused({refuse({"--seeds", "1,2"}, {"seed-2", "--resume"}),
                  refuse({"--resume"}, {"models of seeds", "--seeds"})});
  EXPECT_FALSE(fs::exists(of(1)));
  EXPECT_FALSE(fs::exists(out() / "config.json"));
  expect_refused({{train(of(2), {"--seeds", "1"}), 2, {"model of its own"}}});
}

TEST_F(Seeds, TheFolderStandsForItsModelsWhereTheyAreMeasured) {
  ASSERT_TRUE(fine(bough(train(out(), {"--seeds", "1,2,10"}))));
  fs::path other = folder_.path() / "other";
  ASSERT_TRUE(fine(bough(train(other, {"--oracle", "left-right"}))));
  Words verb = {"analyze", "--model", out(), "-n", "20", "--tagger", "none", "--quiet"};
  Outcome analysis = bough(verb);
  ASSERT_TRUE(fine(analysis));
  Json models = Json::parse(analysis.out);
  ASSERT_EQ(models.size(), 4U);
  EXPECT_EQ(models[0].at("name"), "out/seed-1");
  EXPECT_EQ(models[2].at("name"), "out/seed-10");  // by number
  EXPECT_EQ(models[3].at("runs"), 3);
  double mean = 0;
  for (size_t i = 0; i < 3; ++i) mean += models[i].at("depth_score").get<double>() / 3;
  EXPECT_NEAR(models[3].at("mean").at("depth_score"), mean, 1e-12);
  // A model of another recipe has no part in it.
  Outcome table = bough(verb + Words{"--model", other, "--format", "csv"});
  ASSERT_TRUE(fine(table));
  Words rows = split_lines(table.out);
  ASSERT_EQ(rows.size(), 1U + 4U + 2U);
  EXPECT_TRUE(rows[5].starts_with("mean of out,"));

  fs::path corpus = TinyModels::shared().corpus();
  Words complete = {"eval", "completion", "--valid", corpus, "-n", "6", "--quiet", "--model"};
  Outcome three = bough(complete + Words{out()});
  ASSERT_TRUE(fine(three));
  Json completions = Json::parse(three.out);
  ASSERT_EQ(completions.size(), 4U);
  EXPECT_EQ(completions[3].at("name"), "mean");
  Json one = Json::parse(bough(complete + Words{of(2)}).out);
  EXPECT_EQ(one.at("bleu-4"), completions[1].at("bleu-4"));
  expect_refused({{complete + Words{out(), "--completions", "x"}, 2, {"--completions"}}});
}

}  // namespace
}  // namespace bough
