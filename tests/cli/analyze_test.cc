// `bough analyze` with real, tiny models: numbers, pictures, the page.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/xml_check.h"
#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

fs::path bag_model() {
  return TinyModels::shared().with({"--task", "reorder"});
}

class Analyze : public ::testing::Test {
 protected:
  fs::path file(const std::string& name) const { return folder_.path() / name; }
  Words call(const Words& more) const { return Words{"analyze", "--quiet"} + more; }
  Json run(const Words& more) const {
    Outcome outcome = bough(call(more));
    EXPECT_TRUE(fine(outcome));
    return Json::parse(outcome.out, nullptr, false);
  }

  TempFolder folder_;
};

TEST_F(Analyze, ComparesModels) {
  Json both = run({"--model", oracle_model("uniform"), "--model", oracle_model("left-right"), "-n",
                   "200", "--words", "4"});
  ASSERT_EQ(both.size(), 2U);
  for (const Json& model : both) {
    EXPECT_EQ(model.at("trees"), 200);
    int64_t words = 0;
    for (int64_t count : model.at("words_at_depth")) words += count;
    EXPECT_EQ(model.at("words"), words);
    EXPECT_LE(model.at("roots").size(), 4U);
    EXPECT_GE(model.at("entropy_by_depth").size(), model.at("words_at_depth").size());
    for (const Json& at : model.at("entropy_by_depth")) {
      EXPECT_GE(at.at("mean"), 0.0);
      EXPECT_LE(at.at("mean"), 1.0);
    }
  }
  // What sets the two apart: one writes in the order of reading, the other doesn't.
  EXPECT_GT(both[1].at("order_correlation"), 0.5);
  EXPECT_GT(both[1].at("order_correlation"), both[0].at("order_correlation"));
  EXPECT_LT(both[1].at("left_share"), both[0].at("left_share"));
}

TEST_F(Analyze, TracesSayWhatTheModelSays) {
  fs::path model = oracle_model("uniform");
  ASSERT_TRUE(fine(bough({"generate", "--model", model, "-n", "60", "--format", "jsonl", "-o",
                          file("traces.jsonl"), "--alternatives", "5", "--quiet"})));
  Json of_traces = run({"--traces", file("traces.jsonl")});
  Json of_model = run({"--model", model, "-n", "60"});
  EXPECT_EQ(of_traces[0].at("name"), "traces");
  for (Json* json : {&of_traces[0], &of_model[0]}) json->erase("name");
  for (size_t i = 0; i < of_model[0].at("entropy_by_depth").size(); ++i) {  // JSON is rounded
    EXPECT_NEAR(of_model[0].at("entropy_by_depth")[i].at("mean"),
                of_traces[0].at("entropy_by_depth")[i].at("mean").get<double>(), 1e-4);
  }
  for (Json* json : {&of_traces[0], &of_model[0]}) json->erase("entropy_by_depth");
  EXPECT_EQ(of_traces[0], of_model[0]);
  // What the sentences are like is what `eval samples` says of them; empty lines are no sentences.
  put(file("gaps.jsonl"), "\n" + read_file(file("traces.jsonl")) + "\n");
  fs::path corpus = TinyModels::shared().corpus();
  Outcome samples = bough({"eval", "samples", "--samples", file("gaps.jsonl"), "--train", corpus,
                           "--reference", corpus, "--quiet"});
  ASSERT_TRUE(fine(samples));
  Json like = Json::parse(samples.out);
  EXPECT_EQ(like.at("samples"), 60);
  EXPECT_EQ(like.at("mean_span"), of_traces[0].at("mean_span"));
  like.erase("mean_span");
  for (const Words& from :
       {Words{"--traces", file("gaps.jsonl")}, {"--model", model, "-n", "60"}}) {
    EXPECT_EQ(run(from + Words{"--train", corpus, "--valid", corpus})[0].at("samples"), like);
  }
  // Alternatives are the likeliest actions, best first, and the one taken is likelier than none.
  for (const std::string& line : split_lines(read_file(file("traces.jsonl")))) {
    for (const Json& node : Json::parse(line).at("nodes")) {
      const Json& others = node.at("alternatives");
      ASSERT_EQ(others.size(), 5U);
      EXPECT_TRUE(std::is_sorted(others.begin(), others.end(), [](const Json& a, const Json& b) {
        return a.at("logprob") > b.at("logprob");
      }));
      EXPECT_LE(node.at("logprob"), others[0].at("logprob").get<double>() + 1e-5);
    }
  }
}

TEST_F(Analyze, WritesAPageAndPictures) {
  Words models = {"--model", oracle_model("uniform"), "--model", oracle_model("left-right")};
  run(models + Words{"-n", "50", "--shown", "3", "--report", file("page.html"), "--title",
                     "One & two", "--trees", file("trees"), "--charts", file("charts")});
  std::string page = read_file(file("page.html"));
  for (const char* part : {"One &amp; two", "Entropy by depth", "Words by depth", "Training",
                           "valid_loss", "class=\"tree\""}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  size_t pictures = 0;
  for (const auto& entry : fs::directory_iterator(file("trees"))) {
    EXPECT_EQ(entry.path().extension(), ".svg");
    EXPECT_EQ(xml_fault(read_file(entry.path())), "") << entry.path();
    ++pictures;
  }
  EXPECT_EQ(pictures, 6U);
  for (const std::string& chart :
       {std::string("words-by-depth"), std::string("entropy-by-depth"),
        std::string("training-valid_loss"),
        "speech-by-depth-" + oracle_model("uniform").filename().string(),
        "speech-by-depth-" + oracle_model("left-right").filename().string()}) {
    fs::path path = file("charts") / (chart + ".svg");
    ASSERT_TRUE(fs::exists(path)) << path;
    EXPECT_EQ(xml_fault(read_file(path)), "") << path;
  }
  for (const char* format : {"dot", "text"}) {
    run(models +
        Words{"-n", "5", "--shown", "1", "--trees", file(format), "--tree-format", format});
    EXPECT_EQ(std::distance(fs::directory_iterator(file(format)), fs::directory_iterator()), 2);
  }
  // The same seed gives the same page, whatever the batches and threads.
  run(models + Words{"-n", "50", "--shown", "3", "--report", file("again.html"), "--title",
                     "One & two", "--batch-size", "7", "--threads", "2"});
  EXPECT_EQ(read_file(file("again.html")), page);
}

TEST_F(Analyze, HighWordsAreFrequentOnes) {
  std::string traces;
  for (const char* root : {"zebras", "we", "we"}) {
    traces += R"({"version":1,"text":"R sleep","tokens":["R","sleep"],"nodes":[)"
              R"({"id":0,"token":"R","step":0},{"id":1,"token":"sleep","step":2}],)"
              R"("actions":["R","<end>","sleep","<end>","<end>"],"finished":true})"
              "\n";
    for (size_t at; (at = traces.find("\"R")) != std::string::npos;)
      traces.replace(at + 1, 1, root);
  }
  put(file("traces.jsonl"), traces);
  auto words = [&](const Words& more) {
    Json report = run(Words{"--traces", file("traces.jsonl"), "--tagger", "none"} + more);
    Words found;
    for (const Json& word : report[0].at("words_by_depth")) found.push_back(word.at("word"));
    return found;
  };
  EXPECT_EQ(words({"--min-count", "1"}), (Words{"we", "zebras", "sleep"}));
  EXPECT_EQ(words({"--min-count", "2"}), (Words{"we", "sleep"}));
  EXPECT_EQ(words({}), Words{"sleep"});  // no word is there five times
}

/// `word<TAB>tag` pairs as CoNLL-U; the first word is the root of all others.
std::string conllu(const std::vector<std::pair<std::string, std::string>>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    text += std::to_string(i + 1) + "\t" + words[i].first + "\t_\t" + words[i].second + "\t_\t_\t" +
            (i == 0 ? "0" : "1") + "\tdep\t_\t_\n";
  }
  return text + "\n";
}

TEST_F(Analyze, TagsComeFromATaggerOrAFile) {
  put(file("traces.jsonl"),
      R"({"version":1,"text":"we sleep .","tokens":["we","sleep","."],"nodes":[)"
      R"({"id":0,"token":"sleep","step":0},{"id":1,"token":"we","step":1},)"
      R"({"id":2,"token":".","step":2}],"actions":["sleep","we",".","<end>","<end>","<end>",)"
      R"("<end>"],"finished":true})"
      "\n");
  put(file("tags.conllu"), conllu({{"we", "PRON"}, {"sleep", "VERB"}, {".", "PUNCT"}}));
  for (const Words& tags : {Words{}, Words{"--tags", file("tags.conllu")}}) {
    Json rows = run(Words{"--traces", file("traces.jsonl"), "--report", file("page.html"),
                          "--reference", file("tags.conllu")} +
                    tags)[0]
                    .at("tags_by_depth");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_DOUBLE_EQ(rows[0].at("VERB"), 2.0 / 3.0);
    EXPECT_DOUBLE_EQ(rows[0].at("PRON"), -1.0 / 3.0);
    EXPECT_DOUBLE_EQ(rows[1].at("PUNCT"), 0.5 - 1.0 / 3.0);
    EXPECT_TRUE(has(read_file(file("page.html")), "Parts of speech by depth"));
  }
  EXPECT_FALSE(
      run({"--traces", file("traces.jsonl"), "--tagger", "none"})[0].contains("tags_by_depth"));
  put(file("other.conllu"), conllu({{"they", "PRON"}, {"sleep", "VERB"}, {".", "PUNCT"}}));
  put(file("bare.conllu"), conllu({{"we", "_"}, {"sleep", "_"}, {".", "_"}}));
  Words traces = {"--traces", file("traces.jsonl")};
  expect_refused(
      {{call(traces + Words{"--tags", file("other.conllu")}), 3, {"other.conllu", "sentence 1"}},
       {call(traces + Words{"--tags", file("bare.conllu")}), 3, {"'we' has no tag"}},
       {call(traces + Words{"--reference", file("bare.conllu")}), 3, {"bare.conllu", "UPOS"}},
       {call(traces + Words{"--tagger", file("none")}), 3, {"none"}}});
}

/// Learned, judged and used through the program.
TEST_F(Analyze, ATaggerIsLearned) {
  std::string text;
  for (const char* noun : {"dog", "cat", "bird", "house"}) {
    for (const char* verb : {"sleeps", "sings", "falls"}) {
      text += conllu({{"the", "DET"}, {noun, "NOUN"}, {verb, "VERB"}, {".", "PUNCT"}});
    }
  }
  put(file("train.conllu"), text);
  ASSERT_TRUE(fine(bough({"tagger", "train", "--train", file("train.conllu"), "--out",
                          file("own.tagger"), "--quiet"})));
  Outcome score = bough({"tagger", "eval", "--tagger", file("own.tagger"), "--gold",
                         file("train.conllu"), "--quiet"});
  ASSERT_TRUE(fine(score));
  EXPECT_TRUE(has(score.out, "100")) << score.out;
  Outcome tagged = bough({"tagger", "tag", "--tagger", file("own.tagger"), "--quiet"},
                         "the bird sleeps .\n\nthe cat falls .\n");
  ASSERT_TRUE(fine(tagged));
  EXPECT_EQ(tagged.out, "DET NOUN VERB PUNCT\n\nDET NOUN VERB PUNCT\n");
  Outcome english = bough({"tagger", "tag", "--quiet"}, "i like my small dog .\n");
  ASSERT_TRUE(fine(english));
  EXPECT_EQ(english.out, "PRON VERB PRON ADJ NOUN PUNCT\n");
}

TEST_F(Analyze, ModelsThatWriteFromASource) {
  Json ordered = run({"--model", bag_model(), "--input", TinyModels::shared().corpus(), "--decode",
                      "greedy", "-n", "10"});
  EXPECT_EQ(ordered[0].at("trees"), 10);
}

/// Lines are read as `bough reorder` reads them: each draws by its own number, empty ones are
/// passed over, bad ones are named or skipped.
TEST_F(Analyze, SourcesAreLinesLikeAnyOthers) {
  const std::string lines = "the old dog sleeps .\nwe walk along the river .\n";
  put(file("whole"), "a small bird .\n" + lines);
  put(file("gap"), " \n" + lines);
  put(file("bytes"), "not \xff utf-8\n" + lines);
  Words common = {"--model", bag_model(),     "--shown", "3",         "--tree-format",
                  "text",    "--temperature", "3",       "--threads", "1"};
  auto trees_of = [&](const std::string& input, const Words& more) {
    Json found = run(common + Words{"-i", file(input), "--trees", file(input + "-trees")} + more);
    std::vector<std::string> trees;
    for (const auto& entry : fs::directory_iterator(file(input + "-trees"))) {
      trees.push_back(entry.path());
    }
    EXPECT_EQ(found[0].at("trees"), trees.size());
    std::sort(trees.begin(), trees.end());
    for (std::string& tree : trees) tree = read_file(tree);
    return trees;
  };
  auto whole = trees_of("whole", {});
  ASSERT_EQ(whole.size(), 3U);
  for (const auto& trees : {trees_of("gap", {}), trees_of("bytes", {"--skip-bad-lines"})}) {
    ASSERT_EQ(trees.size(), 2U);
    for (size_t i : {0U, 1U}) EXPECT_TRUE(same_output(trees[i], whole[i + 1])) << i;
  }
  expect_refused(
      {{call(common + Words{"-i", file("bytes")}), 3, {"bytes', line 1", "UTF-8 at byte 5"}},
       {call(common + Words{"-i", file("gap"), "--max-source", "5"}), 3, {"line 3", "6 words"}}});
}

/// Two folders of one name stay two, in names and in files.
TEST_F(Analyze, ModelsOfOneNameAreToldApart) {
  for (const char* folder : {"a", "b"}) {
    fs::create_directories(file(folder));
    fs::copy(oracle_model("uniform"), file(folder) / "model", fs::copy_options::recursive);
  }
  fs::path first = file("a") / "model" / "";  // with a slash at its end
  fs::path second = file("b") / "model";
  Json both = run(
      {"--model", first, "--model", second, "-n", "3", "--shown", "1", "--trees", file("trees")});
  EXPECT_EQ(both[0].at("name"), first.string());
  EXPECT_EQ(both[1].at("name"), second.string());
  EXPECT_EQ(std::distance(fs::directory_iterator(file("trees")), fs::directory_iterator()), 2);
}

TEST_F(Analyze, BadInputIsNamed) {
  fs::path model = oracle_model("uniform");
  put(file("bad"), "{\"version\":1}\n");
  put(file("worse"), "nonsense\n");
  put(file("empty"), "");
  expect_refused({{call({}), 2, {"--model", "--traces"}},
                  {call({"--model", model, "--traces", file("bad")}), 2, {"one of the two"}},
                  {call({"--traces", file("bad")}), 3, {"bad", "line 1"}},
                  {call({"--traces", file("worse")}), 3, {"worse", "line 1", "JSON"}},
                  {call({"--traces", file("empty")}), 3, {"empty", "no sentences"}},
                  {call({"--traces", file("none")}), 3, {"none"}},
                  {call({"--model", model, "--train", file("none")}), 3, {"none"}},
                  {call({"--model", model, "--valid", file("empty")}), 3, {"empty"}},
                  {call({"--model", model, "--model", model}), 2, {"given twice"}},
                  {call({"--model", model, "--report", file("none") / "page"}), 3, {"none/page"}},
                  {call({"--model", bag_model()}), 2, {"--input"}},
                  {call({"--model", file("none")}), 3, {"none"}}});
}

}  // namespace
}  // namespace bough
