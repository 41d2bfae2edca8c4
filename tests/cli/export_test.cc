// `bough export`: a small folder that every verb takes.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

const Words& sources() {
  static const Words kOptions = {"--source-train", TinyModels::shared().corpus(), "--source-valid",
                                 TinyModels::shared().corpus()};
  return kOptions;
}

Words language_model() {
  return {"--oracle", "uniform"};
}
Words transformer() {
  return {"--oracle", "annealed", "--policy",       "transformer", "--hidden-size", "16",
          "--heads",  "2",        "--feed-forward", "16",          "--shape",       "arity"};
}
Words reorderer() {
  return {"--task", "reorder", "--oracle", "uniform"};
}
Words translator() {
  return Words{"--task", "translate", "--oracle", "left-right"} + sources();
}

/// Exports of models, made on first use.
fs::path exported(const Words& options, const std::string& precision) {
  static TempFolder folder;
  fs::path model = TinyModels::shared().with(options);
  fs::path out = folder.path() / (model.filename().string() + precision);
  if (fs::exists(out)) return out;
  Outcome outcome =
      bough({"export", "--model", model, "--precision", precision, "--out", out, "--quiet"});
  if (outcome.exit_code != 0) throw std::runtime_error("cannot export: " + outcome.err);
  return out;
}

/// What a call writes; its model is the one thing that differs.
std::string said(const Words& call, const fs::path& model, const std::string& input = "") {
  Outcome outcome = bough(call + Words{"--model", model, "--quiet", "--threads", "1"}, input);
  EXPECT_TRUE(fine(outcome)) << testing::PrintToString(call);
  return outcome.out;
}

TEST(Export, RareWordsMayStayBehind) {
  TempFolder folder;
  for (const Words& options : {language_model(), reorderer()}) {
    fs::path model = TinyModels::shared().with(options);
    fs::path out = folder.path() / model.filename();
    EXPECT_TRUE(fine(bough({"export", "--model", model, "--precision", "int8", "--max-vocab", "20",
                            "--out", out, "--quiet"})));
    EXPECT_EQ(split_lines(read_file(out / "vocab.txt")).size(), 25U);
    EXPECT_TRUE(has(said({"info"}, out), "25;"));
  }
  EXPECT_FALSE(said({"generate", "-n", "3"},
                    folder.path() / TinyModels::shared().with(language_model()).filename())
                   .empty());
  Outcome refused =
      bough({"export", "--model", TinyModels::shared().with(translator()), "--precision", "int8",
             "--max-vocab", "20", "--out", folder.path() / "no", "--quiet"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_FALSE(fs::exists(folder.path() / "no"));
}

TEST(Export, EveryVerbTakesIt) {
  std::string corpus = TinyModels::shared().corpus();
  std::string line = tiny_sentences()[0] + "\n";
  TempFolder folder;
  for (const std::string precision : {"float", "half", "int8"}) {
    fs::path model = exported(language_model(), precision);
    EXPECT_FALSE(said({"generate", "-n", "3"}, model).empty());
    EXPECT_TRUE(has(said({"complete"}, model, "the old ___ .\n"), "the old"));
    EXPECT_TRUE(has(said({"score", "--samples", "4"}, model, line), "logprob"));
    EXPECT_TRUE(has(said({"eval", "completion", "--valid", corpus}, model), "bleu-4"));
    EXPECT_TRUE(has(said({"analyze", "-n", "5", "--tagger", "none"}, model), "mean_span"));
    EXPECT_FALSE(said({"reorder", "--exact"}, exported(reorderer(), precision), line).empty());
    fs::path tuned = folder.path() / precision;
    fs::copy(model, tuned, fs::copy_options::recursive);
    said({"tune", "--valid", corpus, "-n", "4"}, tuned);
    EXPECT_TRUE(fs::exists(tuned / "generation.json"));
    fs::path translating = folder.path() / ("translate " + precision);
    fs::copy(exported(translator(), precision), translating, fs::copy_options::recursive);
    Outcome list = bough({"shortlist", "--model", translating, "--train", corpus, "--source-train",
                          corpus, "--quiet"});
    EXPECT_TRUE(fine(list));
    EXPECT_FALSE(said({"translate", "--shortlist", "20"}, translating, line).empty());
  }
}

/// What --precision int8 makes of a model is what the export keeps: to the last bit, for products,
/// for word vectors and for what is computed in float.
TEST(Export, Int8WritesWhatInt8OfTheModelWrites) {
  std::string lines = joined(tiny_sentences());
  struct Case {
    Words model;
    Words call;
  };
  for (const Case& one : {Case{language_model(), {"generate", "-n", "20"}},
                          Case{transformer(), {"generate", "-n", "20"}},
                          Case{reorderer(), {"reorder"}}, Case{translator(), {"translate"}}}) {
    Words call = one.call + Words{"--format", "jsonl"};
    std::string before =
        said(call + Words{"--precision", "int8"}, TinyModels::shared().with(one.model), lines);
    fs::path model = exported(one.model, "int8");
    EXPECT_EQ(said(call, model, lines), before) << "int8 is the default of such a folder";
    EXPECT_EQ(said(call + Words{"--precision", "int8"}, model, lines), before);
    EXPECT_NE(said(call + Words{"--precision", "float"}, model, lines), before);
  }
  fs::path model = TinyModels::shared().with(language_model());
  EXPECT_EQ(said({"score"}, exported(language_model(), "int8"), lines),
            said({"score", "--precision", "int8"}, model, lines));
}

TEST(Export, FloatIsTheModelAndHalfIsNearIt) {
  fs::path model = TinyModels::shared().with(language_model());
  EXPECT_EQ(tensors_of(exported(language_model(), "float") / "model.safetensors"),
            tensors_of(model / "model.safetensors"));
  auto logprob = [](const std::string& summary) {
    return Json::parse(summary).at("logprob").get<double>();
  };
  Words score = {"score", "--summary", "--samples", "4"};
  std::string lines = joined(tiny_sentences());
  double before = logprob(said(score, model, lines));
  EXPECT_NEAR(logprob(said(score, exported(language_model(), "half"), lines)) / before, 1.0, 0.001);
  EXPECT_NEAR(logprob(said(score, exported(language_model(), "int8"), lines)) / before, 1.0, 0.1);
}

TEST(Export, BytesAreKeptWhateverTheyPassThrough) {
  TempFolder folder;
  fs::path int8 = exported(transformer(), "int8");
  auto convert = [&](const fs::path& from, const std::string& precision, const std::string& name) {
    fs::path out = folder.path() / name;
    EXPECT_TRUE(fine(
        bough({"export", "--model", from, "--precision", precision, "--out", out, "--quiet"})));
    return out;
  };
  fs::path again = convert(convert(int8, "float", "float"), "int8", "again");
  EXPECT_EQ(tensors_of(again / "model.safetensors"), tensors_of(int8 / "model.safetensors"));
  EXPECT_TRUE(has(read_file(again / "README.md"), "weights in float, from int8"));
}

TEST(Export, HasWhatIsNeededAndNothingElse) {
  TempFolder folder;
  fs::path model = folder.path() / "model";
  ASSERT_TRUE(fine(
      bough(tiny_train(TinyModels::shared().corpus(), model,
                       Words{"--task", "translate", "--hidden-size", "64", "--embedding-size", "64",
                             "--bpe-merges", "9", "--source-vocabulary", "own", "--quiet"} +
                           sources()))));
  ASSERT_TRUE(fine(bough({"shortlist", "--model", model, "--quiet"})));
  put(model / "generation.json", R"({"translate greedy": {"end-rule": "argmax"}})");
  auto files = [](const fs::path& in) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(in)) names.insert(entry.path().filename());
    return names;
  };
  std::set<std::string> expected = files(model);
  for (const char* name : {"state", "metrics.jsonl"}) EXPECT_EQ(expected.erase(name), 1U) << name;
  std::map<std::string, uintmax_t> sizes;
  for (const std::string precision : {"float", "half", "int8"}) {
    fs::path out = folder.path() / "deep" / precision;
    ASSERT_TRUE(fine(bough({"export", "--model", model.string() + "/", "--precision", precision,
                            "--out", out.string() + "/", "--quiet"})));
    EXPECT_EQ(files(out), expected);
    for (const char* name : {"vocab.txt", "codes.txt", "source_vocab.txt", "generation.json",
                             "shortlist.safetensors"}) {
      EXPECT_EQ(read_file(out / name), read_file(model / name)) << name;
    }
    EXPECT_FALSE(
        has(read_file(out / "config.json"), TinyModels::shared().corpus().parent_path().string()))
        << "whoever gets the model doesn't need to know where the data was";
    EXPECT_TRUE(has(read_file(out / "config.json"), "corpus.txt"));
    EXPECT_TRUE(has(read_file(out / "README.md"), "weights in " + precision + ", from float"));
    sizes[precision] = fs::file_size(out / "model.safetensors");
    Json info = Json::parse(said({"info", "--json"}, out));
    EXPECT_EQ(info.at("precision"), precision);
    EXPECT_EQ(info.at("exported"), true);
    EXPECT_GT(info.at("bytes"), sizes[precision]);
    EXPECT_EQ(info.at("self_test").at("passed"), true);
    std::string text = said({"info"}, out);
    EXPECT_TRUE(has(text, "in " + precision));
    EXPECT_TRUE(has(text, "an export"));
  }
  EXPECT_EQ(files(folder.path() / "deep").size(), 3U) << "nothing temporary is left";
  EXPECT_LT(sizes["half"], 0.55 * static_cast<double>(sizes["float"]));
  EXPECT_LT(sizes["int8"], 0.35 * static_cast<double>(sizes["float"]));
  Json trained = Json::parse(said({"info", "--json"}, model));
  EXPECT_EQ(trained.at("exported"), false);
  EXPECT_EQ(trained.at("precision"), "float");
}

TEST(Export, OverwritesOnlyWhatItIsToldTo) {
  TempFolder folder;
  fs::path model = TinyModels::shared().with(language_model());
  fs::path out = folder.path() / "out";
  auto call = [&](const fs::path& to, const Words& more = {}) {
    return Words{"export", "--model", model, "--precision", "half", "--out", to, "--quiet"} + more;
  };
  fs::create_directories(out);  // an empty folder is nothing to lose
  ASSERT_TRUE(fine(bough(call(out))));
  std::string config = read_file(out / "config.json");
  put(folder.path() / "file", "");
  put(folder.path() / "letters" / "dear.txt", "");
  expect_refused(
      {{call(out), 2, {"already holds a model", "--force"}},
       {call(model, {"--force"}), 2, {"own folder"}},
       {call(folder.path() / "file"), 3, {"is a file"}},
       {call(folder.path() / "letters", {"--force"}), 2, {"dear.txt", "another --out"}},
       {{"export", "--model", model, "--out", out}, 2, {"--precision"}},
       {{"export", "--model", folder.path() / "no", "--precision", "half", "--out",
         folder.path() / "new"},
        3,
        {"no model folder"}},
       {tiny_train(TinyModels::shared().corpus(), out, {"--resume"}), 2, {"no training state"}},
       {tiny_train(TinyModels::shared().corpus(), out), 2, {"exported", "--force"}}});
  EXPECT_EQ(read_file(out / "config.json"), config);
  EXPECT_TRUE(fs::exists(model / "state"));
  EXPECT_FALSE(fs::exists(folder.path() / "new"));
  ASSERT_TRUE(fine(bough(call(out, {"--force", "--precision", "int8"}))));
  EXPECT_NE(read_file(out / "config.json"), config);
  size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    entries += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(entries, 3U) << "nothing temporary is left";
}

TEST(Export, DamageIsNoticed) {
  TempFolder folder;
  fs::path model = folder.path() / "model";
  fs::copy(exported(language_model(), "int8"), model, fs::copy_options::recursive);
  std::string whole = read_file(model / "model.safetensors");
  std::string changed = whole;
  changed[changed.size() - 9] ^= 1;
  put(model / "model.safetensors", changed);
  expect_refused(
      {{{"generate", "--model", model}, 3, {"model.safetensors", "checksum"}},
       {{"export", "--model", model, "--precision", "half", "--out", folder.path() / "out"},
        3,
        {"checksum"}}});
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
  // A file of someone else's without the scales.
  SafetensorsFile file =
      SafetensorsFile::read(exported(language_model(), "int8") / "model.safetensors");
  std::vector<TensorEntry> entries;
  for (const TensorEntry& entry : file.entries()) {
    if (entry.name != "embedding.scale") entries.push_back(entry);
  }
  write_safetensors(model / "model.safetensors", entries, {});
  expect_refused({{{"generate", "--model", model}, 3, {"embedding.scale", "scale (F32)"}}});
}

}  // namespace
}  // namespace bough
