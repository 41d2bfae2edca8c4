// Promises of the command line that a careless or hostile user would break.
#include <algorithm>
#include <thread>

#include "tiny_models.h"

namespace bough {
namespace {

Words generate(const Words& more) {
  return Words{"generate", "--model", oracle_model("uniform"), "--threads", "1", "--quiet"} + more;
}

// ---- one training a folder

TEST(Promises, TwoTrainingsDoNotShareAFolder) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path out = folder.path() / "model";
  Words endless = tiny_train(
      corpus, out,
      {"--updates", "1000000", "--epochs", "1000000", "--log-every", "1", "--save-every", "1"});
  Program first(endless);
  while (first.running() && !fs::exists(out / "metrics.jsonl")) std::this_thread::yield();
  std::string process = "process " + std::to_string(first.process());
  expect_refused({{endless, 2, {out, process}},
                  {endless + Words{"--force"}, 2, {out, process}},
                  {endless + Words{"--resume"}, 2, {out, process}}});
  EXPECT_TRUE(first.running());
  first.send(SIGKILL);
  first.finish();
  // A dead process holds nothing.
  EXPECT_TRUE(fine(bough(tiny_train(corpus, out, {"--force"}))));
}

// ---- demands that contradict each other

TEST(Promises, ContradictoryLengthsAreRefused) {
  expect_refused({{generate({"--length", "5", "--max-length", "3"}), 2, {"--length 5", "3"}},
                  {generate({"--length", "5", "--min-length", "8"}), 2, {"--length 5", "8"}},
                  {generate({"--min-length", "9", "--max-length", "3"}), 2, {"9", "3"}}});
  Outcome long_one = bough(generate({"--length", "120"}));
  ASSERT_TRUE(fine(long_one)) << "a default contradicts nothing";
  EXPECT_EQ(std::count(long_one.out.begin(), long_one.out.end(), ' '), 119);
}

TEST(Promises, APermutationIsAsLongAsItsBag) {
  fs::path model = TinyModels::shared().with(
      {"--task", "reorder", "--oracle", "uniform", "--updates", "20", "--epoch-updates", "20"});
  TempFolder folder;
  put(folder.path() / "bags", "the dog\n\none two three four five six\n");
  Words call = {"reorder", "--model", model, "--exact", "-i", folder.path() / "bags", "--quiet"};
  expect_refused({{call + Words{"--length", "2"}, 4, {"line 3", "6 words", "--length"}},
                  {call + Words{"--max-length", "5"}, 4, {"line 3"}},
                  {call + Words{"--min-length", "3"}, 4, {"line 1"}}});
  EXPECT_TRUE(fine(bough(call + Words{"--max-length", "6"})));
}

TEST(Promises, ATranslationNeedsItsSource) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path out = folder.path() / "model";
  expect_refused({{tiny_train(corpus, out, {"--task", "translate"}), 2, {"--source-train", "TSV"}},
                  {tiny_train(corpus, out,
                              {"--task", "translate", "--source-train", corpus, "--valid", corpus}),
                   2,
                   {"--source-valid"}}});
  EXPECT_FALSE(fs::exists(out));
}

// ---- templates

TEST(Promises, AlmostAGapIsNamed) {
  TempFolder folder;
  for (const char* gap :
       {"<BLANK:1-2>", "<Blank>", "<blank", "<blank 2>", "[blank]", "{blank:1}", "<blank:1-2"}) {
    put(folder.path() / "in", std::string("the ___ .\nthe ") + gap + " dog\n");
    EXPECT_TRUE(
        refused(bough({"complete", "--model", oracle_model("uniform"), "-i", folder.path() / "in"}),
                3, {"line 2", "<blank:1-3>"}))
        << gap;
  }
  for (const char* none : {"", " , ,"}) {
    EXPECT_TRUE(refused(bough({"complete", "--model", oracle_model("uniform"), "--must", none}), 2,
                        {"--must"}));
  }
}

TEST(Promises, ADeepSeedTreeIsRefused) {
  constexpr int kDepth = 45'000;
  std::string tree;
  for (int i = 0; i < kDepth; ++i) tree += R"({"token":"a","left":)";
  tree += "null" + std::string(kDepth, '}');
  TempFolder folder;
  put(folder.path() / "in", tree + "\n");
  EXPECT_TRUE(
      refused(bough({"complete", "--model", oracle_model("uniform"), "-i", folder.path() / "in"}),
              3, {"line 1", "seed tree"}));
}

// ---- lines

/// Answers come while input is still open.
TEST(Promises, ALineIsAnsweredAsItComes) {
  std::string program = std::getenv("BOUGH_PROGRAM");
  TempFolder folder;
  put(folder.path() / "script", "coproc B { " + program + " complete --quiet --threads 1 --model " +
                                    oracle_model("uniform").string() + "; }\n" +
                                    "for word in dog bird moon; do\n"
                                    "  echo \"___ $word ___\" >&${B[1]}\n"
                                    "  read -r -t 300 answer <&${B[0]} && echo \"$answer\"\n"
                                    "done\n");
  FILE* pipe = ::popen(("bash " + (folder.path() / "script").string()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) said += static_cast<char>(letter);
  ::pclose(pipe);
  // What comes one by one draws as what comes at once.
  Outcome together =
      bough({"complete", "--quiet", "--threads", "1", "--model", oracle_model("uniform")},
            "___ dog ___\n___ bird ___\n___ moon ___\n");
  ASSERT_TRUE(fine(together));
  EXPECT_EQ(split_lines(said).size(), 3U);
  EXPECT_TRUE(same_output(said, together.out));
}

/// No line of a long input draws as one at the next seed does. (4,096 lines are read at a time.)
TEST(Promises, NeighbouringSeedsDrawDifferently) {
  constexpr size_t kLong = 4096 + 24;
  auto answers = [&](const char* seed, size_t lines) {
    std::string input;
    for (size_t i = 0; i < lines; ++i) input += "___ dog ___\n";
    Outcome outcome = bough({"complete", "--quiet", "--threads", "1", "--seed", seed, "--length",
                             "6", "--temperature", "3", "--model", oracle_model("uniform")},
                            input);
    EXPECT_TRUE(fine(outcome));
    return split_lines(outcome.out);
  };
  auto first = answers("1", kLong);
  ASSERT_EQ(first.size(), kLong);
  for (const char* seed : {"2", "3"}) {
    auto other = answers(seed, 24);
    ASSERT_EQ(other.size(), 24U);
    // Sentences of that temperature are all but random: a common stretch of them is no chance.
    for (size_t shift = 0; shift + 24 <= kLong; ++shift) {
      size_t alike = 0;
      for (size_t i = 0; i < 24; ++i) alike += first[shift + i] == other[i];
      ASSERT_LT(alike, 4U) << "seed " << seed << " is seed 1 from line " << shift + 1 << " on";
    }
  }
}

/// What a line draws is named by its number: it is the same whether another line, an empty one or a
/// skipped one stands before it.
TEST(Promises, ALineDrawsByItsOwnNumber) {
  auto answers = [&](const std::string& first) {
    Outcome outcome =
        bough({"complete", "--quiet", "--threads", "1", "--length", "6", "-n", "2", "--temperature",
               "3", "--on-error", "skip", "--model", oracle_model("uniform")},
              first + "\n___ dog ___\n___ dog ___\n");
    EXPECT_TRUE(fine(outcome));
    return split_lines(outcome.out);
  };
  Words behind_another = answers("___ bird ___");
  ASSERT_EQ(behind_another.size(), 6U);
  EXPECT_NE(Words(behind_another.begin() + 2, behind_another.begin() + 4),
            Words(behind_another.begin() + 4, behind_another.end()))
      << "two lines draw differently";
  for (const char* first : {"", " ", "<blank:x>", "not \xff utf-8", "<blank:0>"}) {
    Words lines = answers(first);
    ASSERT_EQ(lines.size(), 5U) << first;
    EXPECT_EQ(lines[0], "");
    EXPECT_TRUE(same_output(joined(Words(lines.begin() + 1, lines.end())),
                            joined(Words(behind_another.begin() + 2, behind_another.end()))))
        << first;
  }
}

TEST(Promises, ABadLineCanBeSkipped) {
  TempFolder folder;
  put(folder.path() / "in", std::string("the ___ .\n<blank:x>\n\nnot \xff utf-8\nzero ") + '\0' +
                                " byte\n___ dog ___\nthe old dog sleeps ___\n");
  Words call = {"complete",     "--model", oracle_model("uniform"), "-i", folder.path() / "in",
                "--max-length", "3"};
  EXPECT_TRUE(refused(bough(call), 3, {"line 2", "<blank:x>"}));
  Outcome text = bough(call + Words{"--on-error", "skip"});
  ASSERT_TRUE(fine(text));
  Words lines = split_lines(text.out);
  ASSERT_EQ(lines.size(), 7U);
  for (size_t i : {1U, 2U, 3U, 4U, 6U}) EXPECT_EQ(lines[i], "") << i;
  for (size_t i : {0U, 5U}) EXPECT_NE(lines[i], "") << i;
  EXPECT_TRUE(has(text.err, "4 of 7 lines skipped"));
  EXPECT_TRUE(has(text.err, "line 2"));
  Outcome json = bough(call + Words{"--on-error", "skip", "--format", "jsonl", "--quiet"});
  ASSERT_TRUE(fine(json));
  lines = split_lines(json.out);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[2], "");
  for (size_t i : {1U, 3U, 4U, 6U}) {
    EXPECT_TRUE(nlohmann::json::parse(lines[i]).contains("error")) << lines[i];
  }
  EXPECT_TRUE(has(lines[3], "byte 5")) << "where it isn't UTF-8";
  // Without it the same place is named.
  put(folder.path() / "bytes", "fine\nnot \xff utf-8\n");
  EXPECT_TRUE(refused(
      bough({"complete", "--model", oracle_model("uniform"), "-i", folder.path() / "bytes"}), 3,
      {"line 2", "byte 5", "UTF-8"}));
}

// ---- pipes

TEST(Promises, AReaderThatGoesAwayEndsItQuietly) {
  std::string program = std::getenv("BOUGH_PROGRAM");
  std::string model = oracle_model("uniform");
  TempFolder folder;
  std::string errors = (folder.path() / "errors").string();
  for (const std::string& call :
       {"generate --quiet --threads 1 -n 100000000 --model " + model, std::string("--reference")}) {
    std::string command = "bash -c '(" + program + " " + call + "; echo $? > " + errors +
                          ".code) 2> " + errors + " | head -1'";
    FILE* pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string said;
    for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) said += static_cast<char>(letter);
    ::pclose(pipe);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
    EXPECT_EQ(without_blas_warning(read_file(errors)), "") << call;
    // 128 + SIGPIPE, as of other programs; a short output may be through before.
    std::string code = read_file(errors + ".code");
    EXPECT_TRUE(code == "141\n" || (call == "--reference" && code == "0\n")) << code;
  }
}

// ---- trainings that go wrong

TEST(Promises, ADivergedTrainingSaysSo) {
  TempFolder folder;
  fs::path out = folder.path() / "model";
  Outcome outcome = bough(tiny_train(TinyModels::shared().corpus(), out,
                                     {"--learning-rate", "10", "--clip", "0", "--updates", "60",
                                      "--epoch-updates", "20", "--output-layer", "untied"}));
  EXPECT_TRUE(refused(outcome, 1, {"diverged", "--learning-rate", out}));
  EXPECT_TRUE(has(outcome.err, "warning")) << outcome.err;
}

TEST(Promises, WhatBetaWillBeIsSaidBeforehand) {
  TempFolder folder;
  auto said = [&](const Words& more) {
    Outcome outcome = bough(tiny_train(TinyModels::shared().corpus(), folder.path() / "model",
                                       Words{"--oracle", "annealed", "--force"} + more));
    EXPECT_TRUE(fine(outcome));
    return outcome.err;
  };
  EXPECT_TRUE(has(said({"--updates", "6", "--epoch-updates", "3", "--beta-rate", "0.5"}),
                  "from 1.00 to 0.50 in 2 epochs of 3 updates"));
  EXPECT_FALSE(has(said({"--oracle", "uniform"}), "β of the loss"));
}

TEST(Promises, TooLargeAModelSaysHowMuchMemoryThereIs) {
  TempFolder folder;
  auto train = [&](const Words& sizes) {
    return tiny_train(TinyModels::shared().corpus(), folder.path() / "model", sizes);
  };
  // 1.6 · 10¹⁰ and more weights, none of which alone makes up half of what is needed.
  expect_refused({{train({"--hidden-size", "65536", "--embedding-size", "65536", "--layers", "64"}),
                   1,
                   {"GB", "free", "smaller"}},
                  {train({"--hidden-size", "65536", "--embedding-size", "1", "--layers", "8",
                          "--slot-context", "none"}),
                   1,
                   // 8 layers with 4 h² recurrent weights, 7 of them with as many for their input
                   {"257700 million weights", "4123.2 GB", "Adam", "--hidden-size (65536)",
                    "--layers (8)", "--max-vocab"}},
                  {train({"--policy", "transformer", "--hidden-size", "65536", "--feed-forward",
                          "65536", "--layers", "16"}),
                   1,
                   {"GB", "--feed-forward (65536)"}}});
  EXPECT_FALSE(fs::exists(folder.path() / "model"));
}

TEST(Promises, WordsThatTheModelDoesNotKnowAreNamedOnce) {
  Words call = {"complete", "--model", oracle_model("uniform")};
  Outcome outcome = bough(call, "the zebra ___\n___ zebra Quagga\n");
  ASSERT_TRUE(fine(outcome));
  size_t at = outcome.err.find("'zebra'");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(outcome.err.find("'zebra'", at + 1), std::string::npos);
  EXPECT_TRUE(has(outcome.err, "'Quagga'"));
  EXPECT_FALSE(has(outcome.err, "lower case"));
  EXPECT_TRUE(has(bough(call, "The DOG ___\n").err, "lower case"));
}

TEST(Promises, TunedSettingsAreToldAndADryRunKeepsNone) {
  TempFolder folder;
  fs::path model = folder.path() / "model";
  fs::copy(oracle_model("uniform"), model, fs::copy_options::recursive);
  Outcome dry = bough(
      {"tune", "--model", model, "--valid", TinyModels::shared().corpus(), "--dry-run", "-n", "5"});
  ASSERT_TRUE(fine(dry));
  EXPECT_TRUE(has(dry.out, "BLEU"));
  EXPECT_FALSE(fs::exists(model / "generation.json"));
  put(model / "generation.json", R"({"complete sample": {"temperature": 0.25}})");
  Outcome told = bough({"complete", "--model", model, "--must", "dog"});
  EXPECT_TRUE(has(told.err, "temperature\":0.25"));
  Outcome greedy =
      bough({"complete", "--model", model, "--decode", "greedy", "--nbest", "2"}, "the ___\n");
  EXPECT_TRUE(has(greedy.err, "--nbest"));
}

TEST(Promises, ARunGoesOnWithItsOwnOptions) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path out = folder.path() / "model";
  ASSERT_TRUE(fine(bough(tiny_train(corpus, out, {"--updates", "4", "--oracle", "left-right"}))));
  Outcome resumed = bough({"train", "--out", out, "--resume", "--updates", "9", "--threads", "1"});
  ASSERT_TRUE(fine(resumed));
  EXPECT_TRUE(has(resumed.err, "resuming at update 4"));
  EXPECT_FALSE(has(resumed.err, "bit for bit"));
  fs::path whole = folder.path() / "whole";
  ASSERT_TRUE(fine(bough(tiny_train(corpus, whole, {"--updates", "9", "--oracle", "left-right"}))));
  EXPECT_TRUE(tensors_of(out / "model.safetensors") == tensors_of(whole / "model.safetensors"));
  expect_refused({{{"train", "--out", out, "--resume", "--hidden-size", "9", "--oracle", "uniform"},
                   2,
                   {"--hidden-size is 9", "16", "--oracle", "left-right"}},
                  {{"train", "--out", folder.path() / "new"}, 2, {"--train"}}});
  Outcome threads = bough({"train", "--out", out, "--resume", "--updates", "10", "--threads", "2"});
  ASSERT_TRUE(fine(threads));
  EXPECT_TRUE(has(threads.err, "warning: the run goes on with --threads 2 instead of 1"));
}

}  // namespace
}  // namespace bough
