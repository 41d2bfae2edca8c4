// `bough train`: every oracle and roll-in, what it writes, what it refuses.
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "bough/base/random.h"
#include "tiny_models.h"

namespace bough {
namespace {

const Words kOracles = {"uniform", "coaching", "annealed", "left-right", "right-left", "balanced"};

using Names = std::set<std::string>;

Names files_under(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.insert(fs::relative(entry.path(), folder));
  }
  return names;
}

std::vector<nlohmann::json> metrics_of(const fs::path& model) {
  return json_lines(lines_of(model / "metrics.jsonl"));
}

/// The lines of metrics.jsonl that close an epoch.
std::vector<nlohmann::json> epochs_of(const fs::path& model) {
  std::vector<nlohmann::json> epochs;
  for (auto& line : metrics_of(model)) {
    if (line.contains("train_loss")) epochs.push_back(std::move(line));
  }
  return epochs;
}

// ---- learning

TEST(Train, EveryOracleLowersItsLoss) {
  std::vector<Words> all;
  for (const std::string& oracle : kOracles) all.push_back({"--oracle", oracle});
  TinyModels::shared().make(all);
  for (const std::string& oracle : kOracles) {
    auto epochs = epochs_of(oracle_model(oracle));
    ASSERT_EQ(epochs.size(), 3U) << oracle;
    // β changes what annealed's loss is measured against; the others keep one goal.
    EXPECT_LT(epochs[2]["train_loss"], epochs[0]["train_loss"]) << oracle;
    EXPECT_LT(epochs[2]["valid_loss"], epochs[0]["valid_loss"]) << oracle;
  }
}

TEST(Train, EveryOracleAndRollInTeachesOtherwise) {
  std::map<std::map<std::string, std::string>, std::string> seen;
  auto expect_new = [&](const fs::path& model, const std::string& name) {
    auto [entry, fresh] = seen.try_emplace(tensors_of(model / "model.safetensors"), name);
    EXPECT_TRUE(fresh) << name << " gives the weights of " << entry->second;
  };
  for (const std::string& oracle : kOracles) expect_new(oracle_model(oracle), oracle);
  auto& models = TinyModels::shared();
  // Walks of an untrained policy are long: few updates.
  const Words few = {"--oracle", "uniform", "--updates", "9", "--epoch-updates", "3"};
  const Words kRollIns = {"oracle", "mixed", "policy"};
  std::vector<Words> all;
  for (const std::string& rollin : kRollIns) all.push_back(few + Words{"--rollin", rollin});
  models.make(all);
  for (const std::string& rollin : kRollIns) {
    fs::path model = models.with(few + Words{"--rollin", rollin});
    expect_new(model, rollin);
    EXPECT_EQ(epochs_of(model).size(), 3U) << rollin;
  }
}

TEST(Train, BetaFollowsTheOracle) {
  auto betas = [](const fs::path& model) {
    std::vector<double> result;
    for (const auto& epoch : epochs_of(model)) result.push_back(epoch["beta"]);
    return result;
  };
  EXPECT_EQ(betas(oracle_model("uniform")), (std::vector<double>{1.0, 1.0, 1.0}));
  EXPECT_EQ(betas(oracle_model("coaching")), (std::vector<double>{0.0, 0.0, 0.0}));
  auto annealed = TinyModels::shared().with(
      {"--oracle", "annealed", "--beta-rate", "0.5", "--beta-burn-in", "1"});
  EXPECT_EQ(betas(annealed), (std::vector<double>{1.0, 1.0, 0.5}));
}

TEST(Train, TheLearningRateCoolsDownToTheEnd) {
  TempFolder folder;
  fs::path out = folder.path() / "model";
  ASSERT_TRUE(fine(bough(tiny_train(TinyModels::shared().corpus(), out,
                                    {"--updates", "8", "--cool-down", "4", "--learning-rate",
                                     "0.01", "--log-every", "1", "--quiet"}))));
  std::vector<double> rates;
  for (const std::string& line : split_lines(read_file(out / "metrics.jsonl"))) {
    nlohmann::json json = nlohmann::json::parse(line);
    if (json.contains("gradient_norm")) rates.push_back(json["learning_rate"]);
  }
  ASSERT_EQ(rates.size(), 8U);
  for (size_t i = 0; i < rates.size(); ++i) {
    double share = std::min(1.0, static_cast<double>(8 - i) / 4.0);
    EXPECT_NEAR(rates[i], 0.01 * share, 1e-9) << i;
  }
  Outcome refused =
      bough(tiny_train(TinyModels::shared().corpus(), out, {"--updates", "0", "--cool-down", "4"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--cool-down needs --updates"), std::string::npos) << refused.err;
}

TEST(Train, MetricsHaveTheContractsFields) {
  auto lines = metrics_of(oracle_model("annealed"));
  std::vector<int> steps;
  for (const auto& line : lines) {
    for (const char* field : {"step", "epoch", "beta", "learning_rate"}) {
      EXPECT_TRUE(line.contains(field) && line[field].is_number()) << field << " in " << line;
    }
    if (line.contains("train_loss")) continue;
    for (const char* field : {"loss", "sentences_per_second"}) {
      EXPECT_TRUE(line.contains(field) && line[field].is_number()) << field << " in " << line;
    }
    steps.push_back(line["step"]);
    EXPECT_EQ(line["epoch"].get<int>(), (steps.back() - 1) / 50 + 1);
    EXPECT_GT(line["sentences_per_second"], 0.0);
    EXPECT_DOUBLE_EQ(line["learning_rate"], 0.03);
  }
  EXPECT_EQ(steps,
            (std::vector<int>{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150}));
}

TEST(Train, WritesAModelFolder) {
  fs::path model = oracle_model("uniform");
  EXPECT_EQ(files_under(model), (Names{"config.json", "vocab.txt", "model.safetensors", "README.md",
                                       "metrics.jsonl", "state/checkpoint.safetensors"}));
  auto config = nlohmann::json::parse(read_file(model / "config.json"));
  EXPECT_EQ(config["task"], "lm");
  EXPECT_EQ(config["training"]["oracle"], "uniform");
  Words vocabulary = lines_of(model / "vocab.txt");
  EXPECT_EQ(Names(vocabulary.begin(), vocabulary.end()).size(), vocabulary.size());
  EXPECT_TRUE(Names(vocabulary.begin(), vocabulary.end()).contains("umbrella"));
  EXPECT_FALSE(tensors_of(model / "model.safetensors").empty());
}

TEST(Train, TheEndHeadIsPartOfTheModel) {
  auto& models = TinyModels::shared();
  auto with_head =
      tensors_of(models.with({"--oracle", "uniform", "--end-head"}) / "model.safetensors");
  EXPECT_GT(with_head.size(), tensors_of(oracle_model("uniform") / "model.safetensors").size());
}

/// Three short runs: as it is, with --quiet, with another seed.
struct ShortRuns {
  TempFolder folder;
  std::vector<Outcome> outcomes;
  std::vector<std::map<std::string, std::string>> weights;

  static const ShortRuns& shared() {
    static const ShortRuns runs;
    return runs;
  }

 private:
  ShortRuns() {
    std::vector<Words> calls;
    for (const Words& more : {Words{}, Words{"--quiet"}, Words{"--quiet", "--seed", "2"}}) {
      fs::path out = folder.path() / std::to_string(calls.size());
      calls.push_back(tiny_train(TinyModels::shared().corpus(), out, {"--updates", "5"}) + more);
    }
    outcomes = bough_each(calls);
    for (size_t i = 0; i < calls.size(); ++i) {
      weights.push_back(tensors_of(folder.path() / std::to_string(i) / "model.safetensors"));
    }
  }
};

TEST(Train, TheSameSeedGivesTheSameWeightsAndAnotherSeedOthers) {
  const auto& weights = ShortRuns::shared().weights;
  EXPECT_TRUE(weights[0] == weights[1]);
  EXPECT_FALSE(weights[0] == weights[2]);
  // No clock is in the files: they are equal to the byte.
  const fs::path& runs = ShortRuns::shared().folder.path();
  for (const char* name : {"model.safetensors", "vocab.txt", "README.md"}) {
    EXPECT_TRUE(read_file(runs / "0" / name) == read_file(runs / "1" / name)) << name;
  }
}

TEST(Train, SpeaksOnStandardErrorOnlyAndQuietSilencesIt) {
  const auto& [loud, quiet, other] =
      std::tie(ShortRuns::shared().outcomes[0], ShortRuns::shared().outcomes[1],
               ShortRuns::shared().outcomes[2]);
  EXPECT_EQ(loud.out + quiet.out + other.out, "");
  EXPECT_TRUE(has(loud.err, "seed 1"));
  EXPECT_TRUE(has(loud.err, "loss"));
  EXPECT_EQ(loud.err.find('\x1b'), std::string::npos) << "colours without a terminal";
  EXPECT_EQ(without_blas_warning(quiet.err), "");
}

// ---- folders that hold something

TEST(Train, RefusesToOverwriteAModelUnlessForced) {
  TempFolder folder;
  fs::path out = folder.path() / "model";
  fs::path corpus = TinyModels::shared().corpus();
  ASSERT_TRUE(fine(bough(tiny_train(corpus, out, {"--quiet"}))));
  auto before = tensors_of(out / "model.safetensors");
  EXPECT_TRUE(
      refused(bough(tiny_train(corpus, out, {"--seed", "2"})), 2, {out, "--resume", "--force"}));
  EXPECT_EQ(tensors_of(out / "model.safetensors"), before);
  EXPECT_TRUE(fine(bough(tiny_train(corpus, out, {"--seed", "2", "--force"}))));
  EXPECT_NE(tensors_of(out / "model.safetensors"), before);
  EXPECT_EQ(epochs_of(out).size(), 1U) << "the old run's metrics are still there";
}

TEST(Train, DestroysNothingThatIsNotItsOwn) {
  TempFolder folder;
  put(folder.path() / "README.md", "my notes\n");
  put(folder.path() / "state" / "letter.txt", "dear aunt\n");
  Outcome outcome = bough(tiny_train(TinyModels::shared().corpus(), folder.path()));
  bool trained = fs::exists(folder.path() / "model.safetensors");
  EXPECT_EQ(outcome.exit_code, trained ? 0 : 2) << outcome.err;
  EXPECT_EQ(lines_of(folder.path() / "README.md"), Words{"my notes"});
  EXPECT_TRUE(fs::exists(folder.path() / "state" / "letter.txt"));
}

TEST(Train, AFailedStartLeavesTheOldModelAlone) {
  TempFolder folder;
  fs::path out = folder.path() / "model";
  fs::copy(oracle_model("uniform"), out, fs::copy_options::recursive);
  put(folder.path() / "bad.txt", "a fine line .\nbad \xff byte\n");
  EXPECT_TRUE(refused(bough(tiny_train(folder.path() / "bad.txt", out, {"--force"})), 3,
                      {"bad.txt', line 2"}));
  EXPECT_EQ(files_under(out), files_under(oracle_model("uniform")));
  EXPECT_EQ(tensors_of(out / "model.safetensors"),
            tensors_of(oracle_model("uniform") / "model.safetensors"));
}

// ---- corpora

TEST(TrainCorpus, MayBeTextTsvOrJsonlPlainOrZipped) {
  TempFolder folder;
  const fs::path& at = folder.path();
  Words sentences(tiny_sentences().begin(), tiny_sentences().begin() + 8);
  std::string tsv;
  std::string jsonl;
  for (size_t i = 0; i < sentences.size(); ++i) {
    tsv += std::to_string(i) + "\t" + sentences[i] + "\n";
    std::istringstream words(sentences[i]);
    Words tokens{std::istream_iterator<std::string>(words), {}};
    jsonl +=
        (i % 2 == 0 ? nlohmann::json{{"text", sentences[i]}} : nlohmann::json{{"tokens", tokens}})
            .dump() +
        "\n";
  }
  put(at / "a.txt", joined(sentences));
  write_file(at / "b.tsv.gz", tsv);
  put(at / "c.jsonl", jsonl);
  auto outcomes = bough_each({tiny_train(at / "a.txt", at / "a"),
                              tiny_train(at / "b.tsv.gz", at / "b", {"--column", "2"}),
                              tiny_train(at / "c.jsonl", at / "c")});
  for (const Outcome& outcome : outcomes) EXPECT_TRUE(fine(outcome));
  for (const char* name : {"b", "c"}) {
    EXPECT_EQ(lines_of(at / name / "vocab.txt"), lines_of(at / "a" / "vocab.txt"));
    EXPECT_EQ(tensors_of(at / name / "model.safetensors"),
              tensors_of(at / "a" / "model.safetensors"));
  }
}

TEST(TrainCorpus, MalformedFilesAreNamedAndLeaveNothingBehind) {
  TempFolder folder;
  const fs::path& at = folder.path();
  std::string long_line;
  for (int i = 0; i < 30; ++i) long_line += "word ";
  put(at / "bytes.txt", "a fine line .\nbad \xff byte\n");
  put(at / "long.txt", "a fine line .\n" + long_line + "\n");
  put(at / "a.tsv", "two\tcolumns\njust one\n");
  put(at / "empty.txt", "\n \n");
  fs::path out = at / "out";
  fs::path corpus = TinyModels::shared().corpus();
  expect_refused({{tiny_train(at / "bytes.txt", out), 3, {"bytes.txt', line 2", "UTF-8"}},
                  {tiny_train(at / "long.txt", out, {"--max-line-words", "20"}),
                   3,
                   {"long.txt', line 2", "30 words", "20"}},
                  {tiny_train(at / "a.tsv", out), 3, {"a.tsv', line 2", "column"}},
                  {tiny_train(at / "empty.txt", out), 3, {"empty.txt", "no sentences"}},
                  {tiny_train(corpus, out, {"--valid", at / "none.txt"}), 3, {"none.txt"}},
                  {tiny_train(corpus, corpus), 3, {corpus}}});
  EXPECT_FALSE(fs::exists(out));
}

TEST(TrainCorpus, MalformedLinesAreSkippedAndCountedOnDemand) {
  TempFolder folder;
  put(folder.path() / "a.txt", "a fine line .\nbad \xff byte\none more .\nand \xc3 bad\n");
  Outcome outcome =
      bough(tiny_train(folder.path() / "a.txt", folder.path() / "model", {"--skip-bad-lines"}));
  EXPECT_TRUE(fine(outcome));
  EXPECT_TRUE(has(outcome.err, "2 malformed lines"));
  EXPECT_TRUE(has(outcome.err, "a.txt', line 2"));
  EXPECT_TRUE(has(outcome.err, "2 training sentences"));
}

TEST(TrainCorpus, WordsThatLookLikeSpecialSymbolsOrLineEndsKeepTheModelLoadable) {
  TempFolder folder;
  fs::path out = folder.path() / "model";
  put(folder.path() / "a.txt", "<end> of <s> the <unk> word word\r .\n<p> </s> <end>\n");
  ASSERT_TRUE(fine(bough(tiny_train(folder.path() / "a.txt", out, {"--pretokenized"}))));
  Outcome info = bough({"info", "--model", out, "--threads", "1"});
  EXPECT_TRUE(fine(info));
  EXPECT_TRUE(has(info.out, "vocabulary"));
}

TEST(TrainCorpus, AVocabularyWithoutWordsIsRefused) {
  TempFolder folder;
  fs::path out = folder.path() / "out";
  Outcome outcome = bough(tiny_train(TinyModels::shared().corpus(), out, {"--min-count", "99"}));
  EXPECT_TRUE(refused(outcome, 2, {"--min-count"}) || refused(outcome, 3, {"--min-count"}))
      << "exit code " << outcome.exit_code << ": " << outcome.err;
  EXPECT_FALSE(fs::exists(out));
}

TEST(Train, TheQualityOfSamplesIsWhatEvalSamplesFinds) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path model = folder.path() / "model";
  fs::path samples = folder.path() / "samples.txt";
  ASSERT_TRUE(fine(bough(tiny_train(corpus, model,
                                    {"--valid", corpus, "--updates", "40", "--epoch-updates", "40",
                                     "--learning-rate", "0.03", "--valid-samples", "50"}))));
  nlohmann::json line = json_lines(split_lines(read_file(model / "metrics.jsonl"))).back();
  std::string seed = std::to_string(seed_for(1, Purpose::kJudging, 0));
  ASSERT_TRUE(
      fine(bough({"generate", "--model", model, "-n", "50", "-o", samples, "--seed", seed})));
  Outcome outcome =
      bough({"eval", "samples", "--samples", samples, "--reference", corpus, "--quiet"});
  ASSERT_TRUE(fine(outcome));
  nlohmann::json found = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(line.at("sample_bleu"), found.at("bleu-4"), 1e-12);
  EXPECT_NEAR(line.at("sample_self_bleu"), found.at("self-bleu-4"), 1e-12);
}

TEST(TrainCorpus, WordVectorsOfTheWrongWidthAreNamed) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path out = folder.path() / "out";
  put(folder.path() / "narrow.txt", "zebra 1 2 3\nthe 1 2 3\n");
  put(folder.path() / "uneven.txt", "zebra 1 2 3\nthe 1 2\n");
  expect_refused({{tiny_train(corpus, out, {"--embeddings", folder.path() / "narrow.txt"}),
                   3,
                   {"narrow.txt'", "3 numbers, but --embedding-size is 8"}},
                  {tiny_train(corpus, out, {"--embeddings", folder.path() / "uneven.txt"}),
                   3,
                   {"uneven.txt', line 2", "'the' has 2 values"}}});
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace
}  // namespace bough
