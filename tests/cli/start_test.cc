// Verbs that need no tensors start at once: they load no LibTorch. The others become bough-nn.
#include <algorithm>
#include <fstream>

#include "program.h"
#include "temp_folder.h"
#include "tiny_models.h"

namespace bough {
namespace {

/// The libraries that the dynamic linker loads for a call, and for what the call becomes.
std::string libraries_of(const Words& call, std::string_view input = "") {
  TempFolder folder;
  Outcome outcome =
      bough(call, input, {"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + (folder.path() / "log").string()});
  EXPECT_TRUE(fine(outcome)) << testing::PrintToString(call);
  std::string log;
  for (const auto& entry : fs::directory_iterator(folder.path())) log += read_file(entry.path());
  EXPECT_TRUE(has(log, "libfmt")) << "nothing was logged";
  return log;
}

TEST(Start, VerbsWithoutTensorsLoadNoLibTorch) {
  TempFolder folder;
  fs::path corpus = folder.path() / "corpus.txt";
  put(corpus, joined(tiny_sentences()));
  fs::path traces = folder.path() / "traces.jsonl";
  put(traces, R"({"version":1,"text":"a","tokens":["a"],"nodes":[{"id":0,"token":"a","position":0,)"
              R"("depth":0,"parent":null,"side":null,"step":0,"logprob":-1.0,"entropy":1.0}],)"
              R"("actions":["a","<end>","<end>"],"logprob":-1.0,"finished":true})"
              "\n");
  const std::vector<Words> calls = {{"--help"},
                                    {"--version"},
                                    {"--reference"},
                                    {"help", "train"},
                                    {"train", "--help"},
                                    {"bench", "--help"},
                                    {"generate", "--dump-config"},
                                    {"completion", "bash"},
                                    {"--complete", "generate", "--de"},
                                    {"data", "stats", corpus},
                                    {"data", "wordnet", "--out", folder.path() / "wordnet"},
                                    {"eval", corpus, "-i", corpus, "-m", "bleu", "meteor"},
                                    {"eval", "samples", "--samples", corpus},
                                    {"tagger", "tag", "-i", corpus},
                                    {"analyze", "--traces", traces}};
  for (const Words& call : calls) {
    std::string log = libraries_of(call);
    for (const char* library : {"libtorch", "libc10", "libopenblas", "libdnnl", "libgomp"}) {
      EXPECT_EQ(log.find(library), std::string::npos)
          << library << " is loaded by " << testing::PrintToString(call);
    }
  }
}

TEST(Start, OthersBecomeTheNeuralProgram) {
  std::string log = libraries_of({"info", "--model", oracle_model("uniform")});
  EXPECT_TRUE(has(log, "libtorch"));
  // What LibTorch names and bough never calls would bring two hundred libraries more.
  for (const char* library : {"libgdal", "libQt5", "libavfilter", "libproj"}) {
    EXPECT_EQ(log.find(library), std::string::npos) << library;
  }
}

TEST(Start, NothingIsMissedThatStandInsLack) {
  EXPECT_TRUE(fine(bough({"info", "--model", oracle_model("uniform")}, "", {"LD_BIND_NOW=1"})));
}

TEST(Start, TheNeuralProgramIsFoundBesideItAndMissed) {
  TempFolder folder;
  const fs::path own = std::getenv("BOUGH_PROGRAM");
  fs::create_symlink(own, folder.path() / "link");
  fs::copy_file(own, folder.path() / "bough");
  const Words call = {"info", "--model", "nowhere"};
  EXPECT_TRUE(refused(Program(folder.path() / "link", call).finish(), 3, {"nowhere"}));
  EXPECT_TRUE(refused(Program(folder.path() / "bough", call).finish(), 1,
                      {"bough-nn", "beside", folder.path()}));
}

/// What is wrong with a command line is said before anything is loaded.
TEST(Start, WrongUsageIsRefusedWithoutLoading) {
  TempFolder folder;
  Outcome outcome =
      bough({"generate", "--temprature", "1"}, "",
            {"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + (folder.path() / "log").string()});
  EXPECT_TRUE(refused(outcome, 2, {"--temperature"}));
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    EXPECT_EQ(read_file(entry.path()).find("libtorch"), std::string::npos);
  }
}

TEST(Start, IsMeasuredByABenchmark) {
  Outcome outcome = bough({"bench", "start", "--repeats", "2", "--json"});
  ASSERT_TRUE(fine(outcome));
  auto report = nlohmann::json::parse(outcome.out);
  ASSERT_GE(report.size(), 5U);
  for (const auto& line : report) {
    EXPECT_GT(line.at("milliseconds"), 0.0);
    EXPECT_LE(line.at("low"), line.at("milliseconds"));
    EXPECT_GT(line.at("memory_mb"), 1.0);
  }
  EXPECT_EQ(report.back().at("command"), "bough-nn --version");
  // Memory doesn't hang on how busy the machine is.
  EXPECT_LT(report.front().at("memory_mb"), 25.0);
  EXPECT_GT(report.back().at("memory_mb"), 60.0);
}

TEST(Start, AGroupListsWhatIsUnderIt) {
  for (const auto& [group, verbs] : std::vector<std::pair<std::string, Words>>{
           {"data", {"data wordnet", "data ding", "data personachat", "data iwslt", "data stats"}},
           {"eval", {"eval samples", "eval completion"}},
           {"bench", {"bench train", "bench translate", "bench generate", "bench start"}},
           {"tagger", {"tagger train", "tagger eval", "tagger tag"}}}) {
    for (const Words& call : {Words{group, "--help"}, Words{group, "-h"}, Words{"help", group}}) {
      Outcome outcome = bough(call);
      EXPECT_TRUE(fine(outcome));
      for (const std::string& verb : verbs) EXPECT_TRUE(has(outcome.out, "  " + verb + " "));
    }
  }
  expect_refused({{{"data"}, 2, {"data wordnet", "data stats"}},
                  {{"data", "stat"}, 2, {"data stats", "bough data --help"}},
                  {{"help", "trian"}, 2, {"train"}}});
}

}  // namespace
}  // namespace bough
