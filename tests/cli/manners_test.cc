// How the program talks: help, usage errors, configuration files, precedence.
#include <fstream>

#include "golden_root.h"
#include "program.h"
#include "temp_folder.h"

namespace bough {
namespace {

namespace fs = std::filesystem;

/// Whether a help page lists the option: `--valid` isn't listed by `--valid-limit`.
testing::AssertionResult lists(const std::string& help, const std::string& option) {
  for (size_t at = help.find(option); at != std::string::npos; at = help.find(option, at + 1)) {
    char next = (help + "\n")[at + option.size()];
    bool whole = next == ' ' || next == '\n' || next == ',';
    if (whole && at > 0 && help[at - 1] == ' ') return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << option << " is not in the help";
}

/// The value of an option in what --dump-config printed.
std::string in_force(const Outcome& outcome, const std::string& option) {
  for (const std::string& line : split_lines(outcome.out)) {
    if (line.starts_with(option + " = ")) return line.substr(option.size() + 3);
  }
  return "(not there; " + outcome.err + ")";
}

/// Options that a file with this content gives to `bough generate`.
Outcome generate_with_file(std::string_view content, const Words& more = {},
                           const Words& environment = {}) {
  TempFolder folder;
  fs::path file = folder.path() / "bough.toml";
  put(file, content);
  return bough(Words{"generate", "-c", file, "--dump-config"} + more, "", environment);
}

/// A configuration file that has to be refused.
struct BadFile {
  std::string content;
  Words parts;  // of the message
};

void expect_files_refused(const std::vector<BadFile>& files) {
  TempFolder folder;
  std::vector<Refusal> refusals;
  for (const BadFile& file : files) {
    fs::path path = folder.path() / std::to_string(refusals.size()) / "bough.toml";
    put(path, file.content);
    refusals.push_back({.arguments = {"generate", "-c", path, "--dump-config"},
                        .code = 2,
                        .parts = Words{path} + file.parts});
  }
  expect_refused(refusals);
}

// ---- help

struct VerbHelp {
  Words verb;
  Words options;
};

const std::vector<VerbHelp> kVerbs = {
    {{"data", "wordnet"}, {"--out", "--lowercase"}},
    {{"data", "ding"}, {"--out", "--phrases", "--lowercase"}},
    {{"data", "personachat"}, {"--raw", "--out", "--lowercase"}},
    {{"data", "stats"}, {"--json", "--pretokenized", "--skip-bad-lines"}},
    {{"train"},
     {"--task",           "--train",        "--valid",          "--out",         "--policy",
      "--oracle",         "--hidden-size",  "--layers",         "--max-vocab",   "--min-count",
      "--embedding-size", "--epochs",       "--updates",        "--max-minutes", "--patience",
      "--resume",         "--force",        "--seed",           "--threads",     "--device",
      "--batch-size",     "--batch-tokens", "--save-every",     "--rollin",      "--duplicates",
      "--end-head",       "--embeddings",   "--dropout",        "--beta-rate",   "--beta-burn-in",
      "--learning-rate",  "--pretokenized", "--skip-bad-lines", "--lowercase",   "-j"}},
    {{"serve"},
     {"--model", "--host", "--port", "--api-key", "--timeout", "--max-requests", "--log-format"}},
    {{"tagger", "train"}, {"--train", "--valid", "--out", "--seed"}},
    {{"tagger", "eval"}, {"--tagger", "--gold", "--lowercase"}},
    {{"tagger", "tag"}, {"--tagger", "-i", "-o"}},
    {{"analyze"},
     {"--model", "--traces", "-n", "-i", "-o", "--report", "--title", "--shown", "--trees",
      "--tree-format", "--tagger", "--tags", "--reference", "--colour", "--words", "--min-count",
      "--seed", "--threads", "--max-source"}},
    {{"generate"},
     {"--model", "-n", "-o", "-j", "--decode", "--end-rule", "--end-threshold", "--temperature",
      "--top-k", "--top-p", "--max-length", "--max-depth", "--format", "--seed", "--threads",
      "--device", "--batch-size"}},
    {{"data", "learn-bpe"}, {"-i", "-o", "--bpe-merges", "--vocabulary-out"}},
    {{"data", "apply-bpe"}, {"--codes", "--join", "-i", "-o", "--bpe-glossaries"}},
    {{"data", "iwslt"}, {"--raw", "--source", "--target", "--out"}},
    {{"translate"},
     {"--model", "-i", "-o", "-j", "--nbest", "--beam-size", "--mbr", "--max-source",
      "--shortlist"}},
    {{"shortlist"}, {"--model", "--train", "--source-train"}},
    {{"score"},
     {"--model", "-i", "-o", "-j", "--source", "--samples", "--exact", "--summary", "--format",
      "--draws", "--all-trees", "--on-error"}},
    {{"info"}, {"--model", "--json", "--threads", "--device"}},
    {{"complete"},
     {"--model", "-i", "-o", "-n", "-j", "--must", "--any-order", "--avoid", "--seed-shape",
      "--nbest", "--min-length", "--max-length", "--length", "--format"}},
    {{"reorder"},
     {"--model", "-i", "-o", "-j", "--exact", "--end-rule", "--end-threshold", "--max-source"}},
    {{"export"}, {"--model", "--precision", "--out", "--force"}},
    {{"import"}, {"--weights", "--vocabulary", "--options", "--codes", "--out", "--force"}},
    {{"tune"}, {"--model", "--valid", "-n", "--exact"}},
    {{"eval", "completion"}, {"--model", "--valid", "-n", "--completions", "--format", "--seed"}},
    {{"eval"},
     {"-i", "-m", "-o", "-j", "--paired", "--confidence", "--sentence-level", "--format",
      "--tokenize", "--smooth-method", "--smooth-value", "--lowercase", "--effective-order",
      "--chrf-word-order", "--ter-normalized", "--ribes-alpha", "--meteor-task", "--yisi-vectors"}},
    {{"eval", "samples"}, {"--samples", "--train", "--reference", "--format", "-o", "-j"}},
};

TEST(Help, NamesEveryVerb) {
  Outcome outcome = bough({"--help"});
  EXPECT_TRUE(fine(outcome));
  EXPECT_EQ(outcome.err, "");
  for (const VerbHelp& verb : kVerbs) {
    std::string name = verb.verb[0] + (verb.verb.size() > 1 ? " " + verb.verb[1] : "");
    EXPECT_TRUE(has(outcome.out, "  " + name + " "));
  }
}

TEST(Help, OfAVerbListsItsOptions) {
  std::vector<Words> calls;
  for (const VerbHelp& verb : kVerbs) calls.push_back(verb.verb + Words{"--help"});
  std::vector<Outcome> outcomes = bough_each(calls);
  const Words common = {"-c", "--config", "--dump-config", "--quiet", "-h", "--help"};
  for (size_t i = 0; i < kVerbs.size(); ++i) {
    EXPECT_TRUE(fine(outcomes[i]));
    EXPECT_EQ(outcomes[i].err, "");
    for (const std::string& option : kVerbs[i].options + common) {
      EXPECT_TRUE(lists(outcomes[i].out, option)) << kVerbs[i].verb.back();
    }
  }
  // Allowed values and defaults are part of it.
  const std::string& train = outcomes[4].out;
  EXPECT_TRUE(has(train, "uniform|coaching|annealed|left-right|right-left|balanced"));
  EXPECT_TRUE(has(train, "oracle|mixed|policy; default oracle"));
  EXPECT_TRUE(has(train, "0 or more; default 1"));  // the seed
}

TEST(Help, VersionIsOneLine) {
  Outcome outcome = bough({"--version"});
  EXPECT_TRUE(fine(outcome));
  EXPECT_EQ(split_lines(outcome.out).size(), 1U);
  EXPECT_TRUE(outcome.out.starts_with("bough ")) << outcome.out;
  EXPECT_NE(outcome.out.find_first_of("0123456789"), std::string::npos);
}

TEST(Help, TheReferencePageIsUpToDate) {
  fs::path page = golden_root() / ".." / ".." / "docs" / "options.md";
  std::ifstream file(page);
  ASSERT_TRUE(file.good()) << "make it with `bough --reference > docs/options.md`";
  std::string content(std::istreambuf_iterator<char>(file), {});
  Outcome outcome = bough({"--reference"});
  EXPECT_TRUE(fine(outcome));
  EXPECT_TRUE(has(outcome.out, "## bough generate"));
  EXPECT_TRUE(content == outcome.out)
      << "docs/options.md is old: `bough --reference > docs/options.md`";
}

TEST(Configuration, ATableOfAVerbIsNotOfItsFamily) {
  TempFolder folder;
  fs::path file = folder.path() / "bough.toml";
  put(file, "[eval]\nmetrics = [\"ter\", \"em\"]\n[eval.samples]\nformat = \"text\"\n");
  Outcome samples = bough({"eval", "samples", "-c", file, "--dump-config"});
  ASSERT_TRUE(fine(samples));
  EXPECT_EQ(in_force(samples, "format"), "\"text\"");
  Outcome eval = bough({"eval", "-c", file, "--dump-config"});
  ASSERT_TRUE(fine(eval));
  EXPECT_EQ(in_force(eval, "format"), "\"json\"");
  EXPECT_EQ(in_force(eval, "metrics"), "[\"ter\",\"em\"]");
  Outcome replaced = bough({"eval", "-c", file, "-m", "bleu", "chrf", "--dump-config"});
  EXPECT_EQ(in_force(replaced, "metrics"), "[\"bleu\",\"chrf\"]");
}

// ---- usage errors

TEST(Usage, AVerbIsNeededAndAnUnknownOneNamesTheNearest) {
  expect_refused({{{}, 2, {"verb", "--help"}},
                  {{"genrate", "-n", "1"}, 2, {"'genrate'", "'generate'"}},
                  {{"data", "wordnt", "--out", "x"}, 2, {"wordnt", "'data wordnet'"}}});
}

TEST(Usage, AnUnknownOptionNamesTheNearest) {
  expect_refused({{{"generate", "--modle", "x"}, 2, {"--modle", "--model"}},
                  {{"train", "--hidden=5"}, 2, {"--hidden", "--hidden-size"}}});
}

TEST(Usage, AMissingOrBadValueSaysWhatIsAllowed) {
  expect_refused(
      {{{"generate", "--model"}, 2, {"--model", "DIR"}},
       {{"generate", "-n", "many"}, 2, {"-n", "0 to", "'many'"}},
       {{"generate", "--decode", "gredy"}, 2, {"--decode", "sample, greedy", "'gredy'"}}});
}

TEST(Usage, ValuesOutOfRangeSayWhatIsAllowed) {
  expect_refused({{{"generate", "--temperature", "0"}, 2, {"--temperature", "0.001 to", "'0'"}},
                  {{"generate", "--top-k", "-1"}, 2, {"--top-k", "0 to", "'-1'"}},
                  {{"train", "--learning-rate", "nan"}, 2, {"--learning-rate", "0 to", "'nan'"}},
                  {{"train", "--hidden-size", "1e3"}, 2, {"--hidden-size", "1 to", "'1e3'"}}});
}

TEST(Usage, AMissingOptionOrAWordTooManyIsNamed) {
  expect_refused({{{"train", "--out", "x"}, 2, {"--train"}},
                  {{"generate", "--model", "english", "extra"}, 2, {"'extra'"}},
                  {{"data", "stats"}, 2, {"FILE"}}});
}

/// Debian's LibTorch knows the CPU only.
TEST(Usage, DevicesThatAreNotThereAreRefused) {
  expect_refused(
      {{{"generate", "--model", "english", "--device", "cuda"},
        2,
        {"cuda", "no CUDA device", "cpu"}},
       {{"info", "--model", "english", "--device", "cuda:1"},
        2,
        {"cuda:1", "no CUDA device", "cpu"}},
       {{"train", "--train", "x", "--out", "y", "--device", "gpu"}, 2, {"cuda:N", "'gpu'"}},
       {{"generate", "--model", "english", "--device", "cuda:x"}, 2, {"cuda:N", "'cuda:x'"}},
       {{"bench", "train", "--device", "cuda"}, 2, {"CPU", "'cuda'"}}});
}

TEST(Usage, ValuesMayFollowAnEqualsSignOrAShortName) {
  Outcome outcome = bough({"generate", "--model=a=b", "-n7", "--detokenize",
                           "--allow-unknown=false", "--seed", "12", "-o", "x", "--dump-config"});
  EXPECT_TRUE(fine(outcome));
  EXPECT_EQ(in_force(outcome, "model"), "\"a=b\"");
  EXPECT_EQ(in_force(outcome, "count"), "7");
  EXPECT_EQ(in_force(outcome, "detokenize"), "true");
  EXPECT_EQ(in_force(outcome, "allow-unknown"), "false");
  EXPECT_EQ(in_force(outcome, "seed"), "12");
  EXPECT_EQ(in_force(outcome, "output"), "\"x\"");
}

// ---- configuration files

TEST(ConfigFile, SetsOptionsAtTheTopAndInTheVerbsTable) {
  Outcome outcome = generate_with_file(
      "seed = 5\ndetokenize = true\n\n[generate]\ntemperature = 0.5\nformat = \"tree\"\n"
      "[train]\nhidden-size = 12\n");
  EXPECT_TRUE(fine(outcome));
  EXPECT_EQ(in_force(outcome, "seed"), "5");
  EXPECT_EQ(in_force(outcome, "detokenize"), "true");
  EXPECT_EQ(in_force(outcome, "temperature"), "0.5");
  EXPECT_EQ(in_force(outcome, "format"), "\"tree\"");
}

TEST(ConfigFile, TheVerbsTableBeatsTheTop) {
  // Several options: the order in which a hash table yields them must not matter.
  Outcome outcome = generate_with_file(
      "seed = 5\ntop-k = 5\nmax-length = 5\ncount = 5\n"
      "[generate]\nseed = 7\ntop-k = 7\nmax-length = 7\ncount = 7\n");
  EXPECT_TRUE(fine(outcome));
  for (const char* option : {"seed", "top-k", "max-length", "count"}) {
    EXPECT_EQ(in_force(outcome, option), "7") << option;
  }
}

TEST(ConfigFile, AnUnknownKeyNamesTheLineAndTheNearest) {
  expect_files_refused(
      {{"seed = 5\n\ntemprature = 2.0\n", {"line 3", "temprature", "'temperature'"}},
       {"[generate]\ntopk = 3\n", {"line 2", "topk", "'top-k'"}}});
}

TEST(ConfigFile, AnUnknownTableNamesTheNearest) {
  expect_files_refused({{"[genrate]\nseed = 5\n", {"genrate", "generate"}}});
}

TEST(ConfigFile, TheTableOfAVerbOfTwoWordsIsNotPassedOver) {
  TempFolder folder;
  fs::path file = folder.path() / "bough.toml";
  put(file, "[data.stats]\njson = true\n");
  Outcome outcome = bough({"data", "stats", "-c", file, "--dump-config"});
  EXPECT_TRUE(fine(outcome));
  EXPECT_EQ(in_force(outcome, "json"), "true");
}

TEST(ConfigFile, AValueOfAWrongTypeIsAnErrorWithItsLine) {
  expect_files_refused({{"\nseed = true\n", {"line 2", "seed", "true"}},
                        {"detokenize = 1\n", {"line 1", "detokenize", "true or false"}}});
}

TEST(ConfigFile, AListIsNoValueForOneThing) {
  expect_files_refused({{"seed = [5, 6]\n", {"line 1", "seed"}}});
}

TEST(ConfigFile, ATruthValueIsNoText) {
  expect_files_refused({{"model = true\n", {"line 1", "model"}}});
}

TEST(ConfigFile, ThatIsBrokenOrMissingIsNamed) {
  expect_files_refused({{"seed = = 5\n", {"TOML"}}});
  expect_refused(
      {{{"generate", "-c", "/nowhere/a.toml", "--model", "english"}, 3, {"/nowhere/a.toml"}}});
}

TEST(Precedence, CommandLineThenEnvironmentThenFileThenDefault) {
  Outcome outcome =
      generate_with_file("seed = 2\nmax-depth = 2\nmax-length = 2\n[generate]\nbatch-size = 2\n",
                         {"--seed", "4", "--max-depth", "4", "--top-k", "4"},
                         {"BOUGH_SEED=3", "BOUGH_BATCH_SIZE=3", "BOUGH_TOP_K=3"});
  ASSERT_TRUE(fine(outcome));
  EXPECT_EQ(in_force(outcome, "seed"), "4") << "by all three";
  EXPECT_EQ(in_force(outcome, "max-depth"), "4") << "by file and command line";
  EXPECT_EQ(in_force(outcome, "top-k"), "4") << "by environment and command line";
  EXPECT_EQ(in_force(outcome, "batch-size"), "3") << "by file and environment";
  EXPECT_EQ(in_force(outcome, "max-length"), "2") << "by the file only";
  EXPECT_EQ(in_force(outcome, "count"), "1") << "by nothing";
}

TEST(Precedence, ABadValueInTheEnvironmentNamesTheVariable) {
  EXPECT_TRUE(refused(bough({"generate", "--model", "english"}, "", {"BOUGH_TOP_K=some"}), 2,
                      {"BOUGH_TOP_K", "0 to", "some"}));
}

// ---- --dump-config

TEST(DumpConfig, ReadBackGivesTheSame) {
  Outcome first =
      bough({"train", "--train", "a \"quoted\" \\ name\twith ü\n", "--out", "y", "--oracle",
             "right-left", "--learning-rate", "3e-5", "--balance", "0.10000000001", "--seed",
             "9223372036854775807", "--force", "--dump-config"});
  ASSERT_TRUE(fine(first));
  EXPECT_EQ(in_force(first, "oracle"), "\"right-left\"");
  TempFolder folder;
  fs::path file = folder.path() / "dumped.toml";
  put(file, first.out);
  Outcome second = bough({"train", "-c", file, "--dump-config"});
  EXPECT_TRUE(fine(second));
  EXPECT_EQ(second.out, first.out);
}

TEST(DumpConfig, ReadBackLeavesWhatWasMissingMissing) {
  Outcome dumped = bough({"generate", "--dump-config"});
  ASSERT_TRUE(fine(dumped));
  TempFolder folder;
  fs::path file = folder.path() / "dumped.toml";
  put(file, dumped.out);
  EXPECT_TRUE(refused(bough({"generate", "-c", file}), 2, {"--model"}));
}

TEST(DumpConfig, SurvivesBytesThatAreNotUtf8) {
  Outcome outcome = bough({"generate", "--model", "bad\xff", "--dump-config"});
  if (outcome.exit_code == 0) {
    EXPECT_TRUE(has(in_force(outcome, "model"), "bad"));
  } else {
    EXPECT_TRUE(refused(outcome, 2, {"--model"}));
  }
}

}  // namespace
}  // namespace bough
