// Damaged, missing and foreign files of a model: each is refused by name.
#include "tiny_models.h"

namespace bough {
namespace {

/// Copies of a model, each with something done to it.
class Damage {
 public:
  /// A call that loads the copy, and what has to be said of it.
  template <typename Change>
  void add(Change change, const Words& parts) {
    fs::path copy = folder_.path() / std::to_string(refusals_.size());
    fs::copy(oracle_model("uniform"), copy, fs::copy_options::recursive);
    change(copy);
    refusals_.push_back({.arguments = {"info", "--model", copy, "--threads", "1", "--quiet"},
                         .code = 3,
                         .parts = Words{copy} + parts});
  }
  void expect_all_refused() const { expect_refused(refusals_); }

 private:
  TempFolder folder_;
  std::vector<Refusal> refusals_;
};

void append(const fs::path& path, const std::string& text) {
  put(path, read_file(path) + text);
}

void replace(const fs::path& path, const std::string& from, const std::string& to) {
  std::string content = read_file(path);
  size_t at = content.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  put(path, content.replace(at, from.size(), to));
}

TEST(DamagedModel, AFolderThatIsNoneIsNamed) {
  TempFolder folder;
  expect_refused({{{"generate", "--model", "/nowhere", "--threads", "1"}, 3, {"/nowhere"}},
                  {{"info", "--model", folder.path(), "-j1"}, 3, {folder.path(), "config.json"}}});
}

TEST(DamagedModel, WeightsThatAreCutFlippedForeignOrMissingAreRefused) {
  Damage damage;
  const char* name = "model.safetensors";
  damage.add([&](const fs::path& at) { fs::resize_file(at / name, fs::file_size(at / name) - 4); },
             {name, "cut short"});
  damage.add(
      [&](const fs::path& at) {
        std::string content = read_file(at / name);
        content[content.size() - 100] ^= 1;
        put(at / name, content);
      },
      {name, "checksum"});
  damage.add([&](const fs::path& at) { put(at / name, "PK\x03\x04 something else entirely"); },
             {name, "not a safetensors file"});
  damage.add([&](const fs::path& at) { fs::remove(at / name); }, {name});
  damage.add(
      [&](const fs::path& at) {
        fs::copy_file(oracle_model("uniform") / "state" / "checkpoint.safetensors", at / name,
                      fs::copy_options::overwrite_existing);
      },
      {name, "tensors"});
  damage.expect_all_refused();
}

TEST(DamagedModel, AConfigThatIsNoneIsRefused) {
  Damage damage;
  const char* name = "config.json";
  damage.add([&](const fs::path& at) { fs::resize_file(at / name, 100); }, {name});
  damage.add([&](const fs::path& at) { put(at / name, "{\"model_type\": \"other\"}"); },
             {name, "format"});
  damage.add([&](const fs::path& at) { put(at / name, "{\"format\": 5}"); }, {name, "format"});
  damage.add([&](const fs::path& at) { replace(at / name, "\"version\": 1", "\"version\": 99"); },
             {name, "version 99"});
  damage.add(
      [&](const fs::path& at) { replace(at / name, "\"version\": 1", "\"version\": \"a\""); },
      {name, "version"});
  damage.add([&](const fs::path& at) { replace(at / name, "\"architecture\"", "\"building\""); },
             {name, "checksum"});
  damage.add(
      [&](const fs::path& at) {
        replace(at / name, "\"architecture\"", "\"building\"");
        replace(at / name, "\"checksum\"", "\"was changed on purpose\"");
      },
      {name, "architecture"});
  damage.expect_all_refused();
}

TEST(DamagedModel, AVocabularyThatDoesNotFitIsRefused) {
  Damage damage;
  const char* name = "vocab.txt";
  damage.add([&](const fs::path& at) { fs::remove(at / name); }, {name});
  damage.add([&](const fs::path& at) { append(at / name, "zebra\n"); }, {name});
  damage.add([&](const fs::path& at) { put(at / name, "apple\nbanana\n"); }, {name});
  damage.expect_all_refused();
}

/// Files that still look whole: other words would be written without a word of warning.
TEST(DamagedModel, TextFilesAreCheckedToTheBit) {
  fs::path whole = TinyModels::shared().with({"--oracle", "uniform", "--bpe-merges", "20"});
  TempFolder folder;
  std::vector<Refusal> refusals;
  auto add = [&](const std::string& name, auto change) {
    fs::path copy = folder.path() / std::to_string(refusals.size());
    fs::copy(whole, copy, fs::copy_options::recursive);
    change(copy / name);
    for (const Words& verb : {Words{"info"}, Words{"generate"}}) {
      refusals.push_back({.arguments = verb + Words{"--model", copy, "--threads", "1", "--quiet"},
                          .code = 3,
                          .parts = {copy / name}});
    }
  };
  auto flip = [](const fs::path& path) {
    std::string content = read_file(path);
    content[content.size() - 3] ^= 1;
    put(path, content);
  };
  auto swap_last_lines = [](const fs::path& path) {
    Words lines = lines_of(path);
    std::swap(lines[lines.size() - 1], lines[lines.size() - 3]);
    put(path, joined(lines));
  };
  for (const char* name : {"vocab.txt", "codes.txt"}) {
    add(name, flip);
    add(name, swap_last_lines);
    add(name, [](const fs::path& path) {
      Words lines = lines_of(path);
      lines.pop_back();
      put(path, joined(lines));
    });
    add(name, [](const fs::path& path) { fs::remove(path); });
  }
  add("source_codes.txt", [&](const fs::path& path) { fs::copy_file(whole / "codes.txt", path); });
  add("config.json", [](const fs::path& path) { replace(path, "\"tied\"", "\"untied\""); });
  add("model.safetensors",
      [](const fs::path& path) { replace(path, "\"epoch\":\"", "\"epoch\":\"4"); });
  add("model.safetensors",
      [](const fs::path& path) { replace(path, "\"format\":\"bo", "\"format\":\"co"); });
  expect_refused(refusals);
}

TEST(DamagedModel, AFolderFromBeforeThereWereChecksumsSaysSo) {
  TempFolder folder;
  fs::path copy = folder.path() / "old";
  fs::copy(oracle_model("uniform"), copy, fs::copy_options::recursive);
  replace(copy / "config.json", "\"checksum\"", "\"nothing\"");
  Outcome info = bough({"info", "--model", copy, "--threads", "1"});
  EXPECT_TRUE(fine(info));
  EXPECT_TRUE(has(info.out, "none"));
  Outcome written = bough({"generate", "--model", copy, "--threads", "1"});
  EXPECT_TRUE(fine(written));
  size_t at = written.err.find("before models had checksums");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(written.err.find("before models had checksums", at + 1), std::string::npos) << "once";
}

TEST(DamagedModel, InfoPassesOverOrNamesMetricsItCannotRead) {
  TempFolder folder;
  std::vector<Words> calls;
  for (const char* line : {"{\"train_loss\": 1}\n",
                           "{\"train_loss\": \"low\", \"epoch\": 1, "
                           "\"beta\": 1.0, \"best\": true}\n"}) {
    fs::path copy = folder.path() / std::to_string(calls.size());
    fs::copy(oracle_model("uniform"), copy, fs::copy_options::recursive);
    append(copy / "metrics.jsonl", line);
    calls.push_back({"info", "--model", copy, "--threads", "1", "--quiet"});
  }
  for (const Outcome& outcome : bough_each(calls)) {
    EXPECT_TRUE(outcome.exit_code == 0 || refused(outcome, 3, {"metrics.jsonl"}))
        << outcome.exit_code << ": " << outcome.err;
  }
}

TEST(DamagedState, ARunThatCannotBeResumedIsNamed) {
  TempFolder folder;
  fs::path out = folder.path() / "model";
  fs::path corpus = TinyModels::shared().corpus();
  ASSERT_TRUE(fine(bough(tiny_train(corpus, out, {"--quiet"}))));
  auto copy_of_run = [&](const char* name) {
    fs::path copy = folder.path() / name;
    fs::copy(out, copy, fs::copy_options::recursive);
    return copy;
  };
  fs::path cut = copy_of_run("cut");
  fs::resize_file(cut / "state" / "checkpoint.safetensors", 500);
  fs::path other = copy_of_run("other");
  put(folder.path() / "other.txt", "the corpus is another one now .\n");
  auto resumed = [&](const fs::path& run, const Words& more = {}) {
    return tiny_train(corpus, run, Words{"--resume", "--updates", "9"} + more);
  };
  expect_refused({{resumed(cut), 3, {"checkpoint.safetensors"}},
                  {tiny_train(folder.path() / "other.txt", other, {"--resume"}), 3, {"data"}},
                  {resumed(other, {"--hidden-size", "8"}), 2, {"--hidden-size", "16"}}});
  EXPECT_EQ(tensors_of(other / "state" / "checkpoint.safetensors"),
            tensors_of(out / "state" / "checkpoint.safetensors"));
}

}  // namespace
}  // namespace bough
