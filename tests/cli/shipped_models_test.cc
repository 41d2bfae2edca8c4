// `--model NAME`: models that come with the program, and `bough info --list`.
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

/// A folder of models, `plain` and `small`, which BOUGH_MODELS names.
class ShippedModels : public testing::Test {
 protected:
  ShippedModels() {
    fs::create_directories(folder_.path() / "models");
    fs::copy(oracle_model("uniform"), folder_.path() / "models" / "plain",
             fs::copy_options::recursive);
    EXPECT_TRUE(fine(bough({"export", "--model", oracle_model("uniform"), "--precision", "int8",
                            "--out", folder_.path() / "models" / "small", "--quiet"})));
    put(folder_.path() / "models" / "small" / "README.md", "\n# Tiny sentences\n\n- for tests\n");
    put(folder_.path() / "models" / "README.md", "# no model\n");
    fs::create_directories(folder_.path() / "models" / "empty");
  }

  Words here() const { return {"BOUGH_MODELS=" + (folder_.path() / "models").string()}; }

  /// With the folder as the one that the user stands in.
  Outcome from_folder(const std::string& command) const {
    std::string script = fmt::format("cd '{}' && exec \"$0\" {}", folder_.path().string(), command);
    return Program("/bin/sh", {"-c", script, std::getenv("BOUGH_PROGRAM")}, "", here()).finish();
  }

  TempFolder folder_;
};

TEST_F(ShippedModels, AreFoundByNameByEveryVerb) {
  fs::path small = folder_.path() / "models" / "small";
  Outcome by_folder = bough({"generate", "--model", small, "-n", "3", "--quiet"});
  Outcome by_name = bough({"generate", "--model", "small", "-n", "3", "--quiet"}, "", here());
  ASSERT_TRUE(fine(by_name));
  EXPECT_EQ(by_name.out, by_folder.out);
  Words line = {"--quiet", "--threads", "1"};
  std::string sentence = tiny_sentences()[0] + "\n";
  for (const Words& call :
       {Words{"score", "--model", "plain"}, Words{"complete", "--model", "plain"},
        Words{"complete", "--model", "plain", "--beam-size", "2", "--rerank", "likelihood",
              "--rerank-model", "small"}}) {
    Outcome outcome = bough(call + line, sentence, here());
    EXPECT_TRUE(fine(outcome)) << testing::PrintToString(call);
    EXPECT_TRUE(has(outcome.out, "the old dog"));
  }
  Outcome two = bough(
      {"analyze", "--model", "plain", "--model", "small", "-n", "3", "--tagger", "none", "--quiet"},
      "", here());
  ASSERT_TRUE(fine(two));
  EXPECT_EQ(Json::parse(two.out).at(1).at("name"), "small");
  Outcome info = bough({"info", "--model", "small", "--json", "--quiet"}, "", here());
  EXPECT_EQ(Json::parse(info.out).at("precision"), "int8");
  // Names of the environment and of files are names, too.
  Words environment = here();
  environment.push_back("BOUGH_MODEL=small");
  EXPECT_EQ(bough({"generate", "-n", "3", "--quiet"}, "", environment).out, by_folder.out);
}

TEST_F(ShippedModels, AFolderOfTheUsersOwnBeatsThem) {
  fs::copy(oracle_model("left-right"), folder_.path() / "small", fs::copy_options::recursive);
  Outcome own = from_folder("info --model small --json --quiet");
  ASSERT_TRUE(fine(own));
  EXPECT_EQ(Json::parse(own.out).at("exported"), false);
  Outcome shipped = from_folder("info --model plain --json --quiet");
  EXPECT_TRUE(fine(shipped));
}

TEST_F(ShippedModels, AnUnknownNameIsToldWhichThereAre) {
  for (const char* verb : {"generate", "info", "shortlist", "translate"}) {
    Outcome outcome = bough({verb, "--model", "smal"}, "", here());
    EXPECT_TRUE(refused(outcome, 3, {"'smal'", "plain", "small"})) << verb;
    EXPECT_FALSE(has(outcome.err, "empty"));
  }
  EXPECT_TRUE(refused(bough({"generate", "--model", "a/smal"}, "", here()), 3, {"a/smal"}));
}

TEST_F(ShippedModels, AreListed) {
  Outcome list = bough({"info", "--list", "--json"}, "", here());
  ASSERT_TRUE(fine(list));
  std::map<std::string, Json> models;
  for (const Json& model : Json::parse(list.out)) models[model.at("name")] = model;
  ASSERT_TRUE(models.contains("plain") && models.contains("small"));
  EXPECT_EQ(models["small"].at("task"), "lm");
  EXPECT_EQ(models["small"].at("precision"), "int8");
  EXPECT_EQ(models["small"].at("description"), "Tiny sentences");
  EXPECT_EQ(models["plain"].at("precision"), "float");
  EXPECT_GT(models["plain"].at("bytes"), models["small"].at("bytes"));
  Outcome text = bough({"info", "--list"}, "", here());
  ASSERT_TRUE(fine(text));
  EXPECT_TRUE(has(text.out, "Tiny sentences"));
  EXPECT_FALSE(models.contains("empty"));
  EXPECT_TRUE(refused(bough({"info"}), 2, {"--model", "--list"}));
  EXPECT_TRUE(refused(bough({"info", "--list", "--model", "small"}, "", here()), 2, {"--list"}));
  EXPECT_TRUE(has(bough({"--complete", "info", "--model", "sm"}, "", here()).out, "small"));
}

/// As they stand beside a program of the build and as they are installed, wherever that is moved to.
TEST_F(ShippedModels, AreFoundFromTheProgramsOwnPlace) {
  for (const char* place : {"build/bin/share/bough/models", "usr/share/bough/models"}) {
    fs::path models = folder_.path() / place;
    fs::path program = folder_.path() / fs::path(place).begin()->string() / "bin" / "bough";
    fs::create_directories(models);
    fs::create_directories(program.parent_path());
    fs::copy(folder_.path() / "models" / "small", models / "mine", fs::copy_options::recursive);
    fs::copy_file(std::getenv("BOUGH_PROGRAM"), program);
    Outcome list = Program(program, {"info", "--list", "--json"}).finish();
    ASSERT_TRUE(fine(list));
    ASSERT_EQ(Json::parse(list.out).size(), 1U);
    EXPECT_EQ(Json::parse(list.out).at(0).at("name"), "mine");
  }
}

}  // namespace
}  // namespace bough
