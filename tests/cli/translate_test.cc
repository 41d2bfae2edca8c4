// `bough train --task translate` and `bough translate`.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

/// The tiny sentences in another language: each word is written backwards, the full stop stays.
Words foreign_sentences() {
  Words all;
  for (const std::string& sentence : tiny_sentences()) {
    std::string line;
    std::istringstream stream(sentence);
    for (std::string word; stream >> word;) {
      std::reverse(word.begin(), word.end());
      line += (line.empty() ? "" : " ") + word;
    }
    all.push_back(line);
  }
  return all;
}

Words tiny_transformer() {
  return {"--policy",         "transformer", "--layers", "1", "--hidden-size",  "32",
          "--embedding-size", "32",          "--heads",  "2", "--feed-forward", "64"};
}

/// Files of pairs, and models trained on them.
class Translation {
 public:
  static Translation& shared() {
    static Translation translation;
    return translation;
  }

  fs::path file(const std::string& name) const { return folder_.path() / name; }

  Words train_call(const fs::path& out, const Words& more = {}) const {
    return Words{"train",
                 "--task",
                 "translate",
                 "--train",
                 file("to.txt"),
                 "--valid",
                 file("to.txt"),
                 "--source-train",
                 file("from.txt"),
                 "--source-valid",
                 file("from.txt"),
                 "--out",
                 out,
                 "--batch-size",
                 "8",
                 "--threads",
                 "1",
                 "--samples",
                 "2",
                 "--oracle",
                 "left-right",
                 "--updates",
                 "400",
                 "--epoch-updates",
                 "200",
                 "--learning-rate",
                 "3e-3",
                 "--bpe-merges",
                 "60",
                 "--seed",
                 std::to_string(test_seed()),
                 "--quiet"} +
           tiny_transformer() + more;
  }

  fs::path model() {
    if (!trained_) {
      trained_ = true;
      EXPECT_TRUE(fine(bough(train_call(file("model")))));
    }
    return file("model");
  }

 private:
  Translation() {
    put(file("from.txt"), joined(foreign_sentences()));
    put(file("to.txt"), joined(tiny_sentences()));
    std::string table;
    for (size_t i = 0; i < tiny_sentences().size(); ++i) {
      table += foreign_sentences()[i] + "\t" + tiny_sentences()[i] + "\n";
    }
    put(file("pairs.tsv"), table);
  }

  TempFolder folder_;
  bool trained_ = false;
};

Words translate(const Words& more, const std::string& input) {
  Outcome outcome =
      bough(Words{"translate", "--model", Translation::shared().model(), "--quiet"} + more, input);
  EXPECT_TRUE(fine(outcome));
  return split_lines(outcome.out);
}

/// Real pairs, from Debian's package, through the whole of it: pieces, tokenizer, text again.
TEST(Translate, PairsOfTheDingDictionary) {
  TempFolder folder;
  auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
  ASSERT_TRUE(fine(bough({"data", "ding", "--out", folder.path(), "--quiet"})));
  ASSERT_TRUE(fine(bough(Words{"train",           "--task",
                               "translate",       "--policy",
                               "transformer",     "--oracle",
                               "annealed",        "--end-head",
                               "--tokenizer",     "european",
                               "--bpe-merges",    "500",
                               "--max-words",     "30",
                               "--source-train",  file("train.de"),
                               "--train",         file("train.en"),
                               "--source-valid",  file("valid.de"),
                               "--valid",         file("valid.en"),
                               "--valid-limit",   "20",
                               "--batch-size",    "16",
                               "--updates",       "40",
                               "--epoch-updates", "20",
                               "--learning-rate", "3e-3",
                               "--out",           file("model"),
                               "--samples",       "0",
                               "--quiet"} +
                         tiny_transformer())));
  Words german = split_lines(read_file(file("test.de")));
  german.resize(20);
  std::string lines;
  for (const std::string& line : german) lines += line + "\n";
  Outcome english =
      bough({"translate", "--model", file("model"), "--max-length", "20", "--quiet"}, lines);
  ASSERT_TRUE(fine(english));
  Words translated = split_lines(english.out);
  ASSERT_EQ(translated.size(), german.size());
  for (const std::string& line : translated) {
    EXPECT_EQ(line.find("@@"), line.npos) << "pieces are joined: " << line;
    EXPECT_EQ(line.find("\uffed"), line.npos) << "so are marks: " << line;
  }
}

TEST(Translate, LearnsAndKeepsLinesInOrder) {
  std::string input = joined(foreign_sentences());
  Words lines = translate({}, input + "\n" + foreign_sentences()[0] + "\n");
  ASSERT_EQ(lines.size(), tiny_sentences().size() + 2);
  size_t right = 0;
  for (size_t i = 0; i < tiny_sentences().size(); ++i) right += lines[i] == tiny_sentences()[i];
  EXPECT_GE(right, tiny_sentences().size() * 2 / 3) << joined(lines);
  EXPECT_EQ(lines[tiny_sentences().size()], "");
  EXPECT_EQ(lines.back(), lines.front());
  EXPECT_TRUE(same_output(translate({"--batch-size", "3"}, input),
                          translate({"--batch-size", "64"}, input)));
}

/// With the sides of words, and trees of whole words that aren't one long branch.
TEST(Translate, LearnsInFewerSteps) {
  const Translation& data = Translation::shared();
  fs::path model = data.file("arity");
  ASSERT_TRUE(fine(bough(
      data.train_call(model, {"--shape", "arity", "--oracle", "content-first", "--frequent-words",
                              "30", "--whole-words", "--tree-encoding"}))));
  Words call = {"translate", "--model", model, "--quiet"};
  for (const Words& way : {Words{}, Words{"--beam-size", "3"}, Words{"--precision", "int8"}}) {
    Outcome outcome = bough(call + way, joined(foreign_sentences()));
    ASSERT_TRUE(fine(outcome));
    Words lines = split_lines(outcome.out);
    ASSERT_EQ(lines.size(), tiny_sentences().size());
    int right = 0;
    for (size_t i = 0; i < lines.size(); ++i) right += lines[i] == tiny_sentences()[i] ? 1 : 0;
    EXPECT_GE(right, 16);
  }
  Outcome traces = bough(call + Words{"--format", "jsonl"}, joined(foreign_sentences()));
  int branched = 0;  // nodes with words on both sides
  for (const std::string& line : split_lines(traces.out)) {
    nlohmann::json trace = nlohmann::json::parse(line);
    EXPECT_EQ(trace["actions"].size(), trace["tokens"].size());
    for (const auto& node : trace["nodes"]) branched += node.contains("closed") ? 0 : 1;
  }
  EXPECT_GT(branched, 10);
}

TEST(Translate, BeginsWithTheRootThatIsAskedFor) {
  // A word of one piece, and one that the model has never seen: its pieces stay together.
  for (const std::string root : {"the", "xylophone"}) {
    for (const Words& how : {Words{}, Words{"--beam-size", "3"}}) {
      Words lines = translate(Words{"--root", root} + how, joined(foreign_sentences()));
      // By itself, too: no piece of another word is glued to it.
      for (const std::string& line : lines) EXPECT_TRUE(has(" " + line + " ", " " + root + " "));
    }
  }
}

TEST(Translate, IsJudgedByBleuOfWholeWords) {
  double best = -1;
  auto lines = json_lines(split_lines(read_file(Translation::shared().model() / "metrics.jsonl")));
  for (const auto& line : lines) {
    if (!line.contains("bleu")) continue;
    best = std::max(best, line.at("bleu").get<double>());
    EXPECT_TRUE(line.contains("chrf"));
  }
  TempFolder folder;
  put(folder.path() / "hyp", joined(translate({}, joined(foreign_sentences()))));
  Outcome score = bough(
      {"eval", Translation::shared().file("to.txt"), "-i", folder.path() / "hyp", "--width", "9"});
  ASSERT_TRUE(fine(score));
  EXPECT_NEAR(nlohmann::json::parse(score.out).at("score"), best, 1e-6);
  EXPECT_GT(best, 30.0);
}

TEST(Translate, NBestListsAreInTheUsualForm) {
  Words lines = translate({"--beam-size", "5", "--nbest", "3"},
                          foreign_sentences()[0] + "\n" + foreign_sentences()[1] + "\n");
  ASSERT_EQ(lines.size(), 6U);
  double last = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(i < 3 ? "0 ||| " : "1 ||| ")) << lines[i];
    EXPECT_TRUE(has(lines[i], " ||| F0= ")) << lines[i];
    double score = std::stod(lines[i].substr(lines[i].rfind("||| ") + 4));
    if (i % 3 > 0) {
      EXPECT_LE(score, last);
    }
    last = score;
  }
  for (const Words& how : {Words{"--mbr", "4"}, Words{"--decode", "sample"}}) {
    EXPECT_EQ(translate(how, foreign_sentences()[0] + "\n").size(), 1U);
  }
  // Unknown characters and words that were never seen are no reason to fail.
  EXPECT_EQ(translate({}, "日本語 zebra ☃\n").size(), 1U);
  auto trace = json_lines(translate({"--format", "jsonl"}, foreign_sentences()[3] + "\n"))[0];
  EXPECT_GE(trace.at("tokens").size(), trace.at("nodes").size());
}

TEST(Translate, PairsMayStandInOneTable) {
  Translation& shared = Translation::shared();
  TempFolder folder;
  Words call = shared.train_call(folder.path() / "tsv", {"--updates", "2"});
  auto replace = [&](const std::string& option, const Words& by) {
    auto at = std::find(call.begin(), call.end(), option);
    call.erase(at, at + 2);
    call.insert(call.end(), by.begin(), by.end());
  };
  replace("--source-train", {});
  replace("--source-valid", {});
  replace("--train", {"--train", shared.file("pairs.tsv")});
  replace("--valid", {"--valid", shared.file("pairs.tsv")});
  ASSERT_TRUE(fine(bough(call)));
  ASSERT_TRUE(fine(bough(shared.train_call(folder.path() / "files", {"--updates", "2"}))));
  EXPECT_EQ(read_file(folder.path() / "tsv" / "model.safetensors").substr(2000),
            read_file(folder.path() / "files" / "model.safetensors").substr(2000));
}

TEST(Translate, LanguagesMayHaveTheirOwnVocabularies) {
  TempFolder folder;
  fs::path out = folder.path() / "own";
  Words call = Translation::shared().train_call(
      out, {"--source-vocabulary", "own", "--updates", "3", "--tree-encoding", "--end-head"});
  ASSERT_TRUE(fine(bough(call)));
  for (const char* name : {"vocab.txt", "codes.txt", "source_vocab.txt", "source_codes.txt"}) {
    EXPECT_TRUE(fs::exists(out / name)) << name;
  }
  EXPECT_TRUE(fine(bough({"translate", "--model", out, "--quiet"}, "a b c\n")));
  ASSERT_TRUE(fine(bough({"info", "--model", out, "--quiet"})));
  ASSERT_TRUE(fine(bough(call + Words{"--resume", "--updates", "5"})));
}

TEST(Translate, IsTuned) {
  Translation& shared = Translation::shared();
  TempFolder folder;
  fs::path model = folder.path() / "model";
  fs::copy(shared.model(), model, fs::copy_options::recursive);
  Words call = {"tune", "--model", model, "--valid", shared.file("to.txt"), "--quiet"};
  Outcome tuned = bough(call + Words{"--source-valid", shared.file("from.txt")});
  ASSERT_TRUE(fine(tuned));
  auto settings = nlohmann::json::parse(read_file(model / "generation.json"));
  EXPECT_TRUE(settings.at("translate greedy").contains("end-rule"));
  Outcome info = bough({"info", "--model", model, "--json", "--quiet"});
  ASSERT_TRUE(fine(info));
  auto described = nlohmann::json::parse(info.out);
  EXPECT_EQ(described.at("encoder"), "transformer");
  EXPECT_EQ(described.at("bpe_merges"), 60);
  EXPECT_EQ(described.at("source_vocabulary"), described.at("vocabulary"));
  expect_refused({{call, 2, {"--source-valid"}},
                  {{"train", "--task", "reorder", "--bpe-merges", "9", "--train",
                    shared.file("to.txt"), "--out", folder.path() / "x"},
                   2,
                   {"--bpe-merges"}}});
}

/// The LSTM policy with its encoder and attention: trained with an <end> head whose loss is
/// weighted, resumed, calibrated, and its tuned settings are those that translate uses.
TEST(Translate, ByAnLstmThatLearnsToStop) {
  Translation& shared = Translation::shared();
  TempFolder folder;
  fs::path model = folder.path() / "model";
  Words train = shared.train_call(
      model, {"--policy", "lstm", "--end-head", "--end-weight", "0.5", "--resume"});
  ASSERT_TRUE(fine(bough(train + Words{"--updates", "150"})));
  ASSERT_TRUE(fine(bough(train)));
  Outcome refused = bough(train + Words{"--end-weight", "1"});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_TRUE(has(refused.err, "--end-weight")) << refused.err;

  Words call = {"translate", "--model", model, "--quiet"};
  std::string input = joined(foreign_sentences());
  Outcome plain = bough(call + Words{"--batch-size", "5"}, input);
  ASSERT_TRUE(fine(plain));
  EXPECT_TRUE(same_output(bough(call, input).out, plain.out));
  EXPECT_TRUE(same_output(plain.out, joined(tiny_sentences())));

  Outcome tuned = bough({"tune", "--model", model, "--valid", shared.file("to.txt"),
                         "--source-valid", shared.file("from.txt")});
  ASSERT_TRUE(fine(tuned));
  EXPECT_TRUE(has(tuned.err, "true at temperature")) << tuned.err;
  for (const char* column : {"end-temperature", "length-bias", "length-ratio", "sample"}) {
    EXPECT_TRUE(has(tuned.out, column)) << column;
  }
  auto settings = nlohmann::json::parse(read_file(model / "generation.json"));
  Words spelled = call;
  for (const auto& [option, value] : settings.at("translate greedy").items()) {
    spelled =
        spelled + Words{"--" + option, value.is_string() ? value.get<std::string>() : value.dump()};
  }
  std::string with_settings = bough(call, input).out;
  fs::remove(model / "generation.json");
  EXPECT_TRUE(same_output(bough(spelled, input).out, with_settings));
}

/// A copy of the model with a shortlist beside it.
fs::path model_with_shortlist(const TempFolder& folder) {
  fs::path model = folder.path() / "model";
  fs::copy(Translation::shared().model(), model, fs::copy_options::recursive);
  EXPECT_TRUE(fine(bough({"shortlist", "--model", model, "--quiet"})));
  return model;
}

TEST(Translate, WithAShortlist) {
  TempFolder folder;
  fs::path model = model_with_shortlist(folder);
  std::string input = joined(foreign_sentences());
  Words call = {"translate", "--model", model, "--quiet"};
  for (const Words& how : {Words{}, Words{"--beam-size", "3"}, Words{"--mbr", "4"},
                           Words{"--decode", "sample", "--top-k", "9"}}) {
    Outcome all = bough(call + how, input);
    ASSERT_TRUE(fine(all));
    // A list that holds everything changes nothing.
    EXPECT_TRUE(
        same_output(bough(call + how + Words{"--shortlist", "100000"}, input).out, all.out));
    Outcome some = bough(call + how + Words{"--shortlist", "5"}, input);
    ASSERT_TRUE(fine(some));
    EXPECT_EQ(split_lines(some.out).size(), foreign_sentences().size());
    EXPECT_TRUE(same_output(
        bough(call + how + Words{"--shortlist", "5", "--batch-size", "3"}, input).out, some.out));
  }
  // What is learned from the pairs is enough to translate them.
  Words translated = split_lines(bough(call + Words{"--shortlist", "8"}, input).out);
  size_t right = 0;
  for (size_t i = 0; i < translated.size(); ++i) right += translated[i] == tiny_sentences()[i];
  EXPECT_GE(right, tiny_sentences().size() / 2) << joined(translated);
  // Only listed words are written: with one translation a piece, few others can come up.
  auto traces = json_lines(split_lines(
      bough(call + Words{"--shortlist", "1", "--format", "jsonl", "--alternatives", "500"}, input)
          .out));
  auto whole = json_lines(
      split_lines(bough(call + Words{"--format", "jsonl", "--alternatives", "500"}, input).out));
  auto scored = [](const nlohmann::json& trace) {
    return trace.at("nodes")[0].at("alternatives").size();
  };
  EXPECT_LT(scored(traces[0]), 40U);
  EXPECT_GT(scored(whole[0]), 60U);
}

TEST(Translate, AShortlistBelongsToItsModel) {
  TempFolder folder;
  Translation& shared = Translation::shared();
  fs::path model = model_with_shortlist(folder);
  Outcome info = bough({"info", "--model", model, "--json", "--quiet"});
  ASSERT_TRUE(fine(info));
  EXPECT_GT(nlohmann::json::parse(info.out).at("shortlist"), 0);
  // Named pairs are learned from as well as the model's own.
  std::string learned = read_file(model / "shortlist.safetensors");
  ASSERT_TRUE(
      fine(bough({"shortlist", "--model", model, "--train", shared.file("pairs.tsv"), "--quiet"})));
  EXPECT_EQ(read_file(model / "shortlist.safetensors"), learned);

  fs::path other = folder.path() / "other";
  ASSERT_TRUE(fine(bough(shared.train_call(other, {"--updates", "1", "--bpe-merges", "20"}))));
  Words call = {"translate", "--model", other, "--shortlist", "5", "--quiet"};
  expect_refused({{call, 3, {"no shortlist", "bough shortlist --model"}},
                  {{"shortlist", "--model", oracle_model("uniform")}, 2, {"translates", "lm"}},
                  {{"shortlist", "--model", model, "--source-train", "x"}, 2, {"--train"}}});
  fs::copy(model / "shortlist.safetensors", other / "shortlist.safetensors");
  expect_refused({{call, 3, {"another vocabulary", "bough shortlist"}}});
  put(other / "shortlist.safetensors", learned.substr(0, learned.size() / 2));
  expect_refused({{call, 3, {"shortlist.safetensors", "cut short"}}});
  // A model that is trained anew has none.
  ASSERT_TRUE(fine(bough(shared.train_call(model, {"--updates", "1", "--force"}))));
  EXPECT_FALSE(fs::exists(model / "shortlist.safetensors"));
}

TEST(Translate, BadInputIsNamed) {
  Translation& shared = Translation::shared();
  TempFolder folder;
  put(folder.path() / "short", "one\ntwo\n");
  put(folder.path() / "bytes", "fine\nnot \xff\n");
  std::string model = shared.model();
  expect_refused({
      {shared.train_call(folder.path() / "x", {"--source-train", folder.path() / "short"}),
       3,
       {"short", "2 lines", "24"}},
      {shared.train_call(folder.path() / "x", {"--heads", "5"}), 2, {"--heads"}},
      {shared.train_call(folder.path() / "x", {"--policy", "lstm", "--encoder", "transformer"}),
       2,
       {"--encoder transformer", "--policy lstm"}},
      {{"translate", "--model", model, "-i", folder.path() / "bytes"}, 3, {"line 2", "UTF-8"}},
      {{"translate", "--model", model, "-i", shared.file("from.txt"), "--max-source", "3"},
       3,
       {"line 1", "--max-source 3"}},
      {{"reorder", "--model", model}, 2, {"--task reorder", "translate"}},
      {{"translate", "--model", oracle_model("uniform")}, 2, {"--task translate", "lm"}},
  });
}

}  // namespace
}  // namespace bough
