// A model: a policy with the tokenizer and vocabulary it was trained with, as a folder on disk.
//
//     config.json        architecture, task, tokenizer, special ids, how it was trained; checksums
//                        of itself and of the text files below
//     vocab.txt          a word a line
//     codes.txt          byte-pair codes (where words are cut into pieces)
//     source_vocab.txt, source_codes.txt   of a source that has its own
//     model.safetensors  the weights, with a checksum
//     README.md          a card for people
//     generation.json    decoding settings chosen on validation data (where there are some)
//     shortlist.safetensors   which words translate which (where that was learned)
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/model/memory_need.h"
#include "bough/model/policy_options.h"
#include "bough/model/precision.h"
#include "bough/model/task.h"
#include "bough/text/tokenizer.h"
#include "bough/text/vocabulary.h"

namespace bough {

class Policy;
struct PolicyRequest;

/// How lines of a language become numbers.
struct Language {
  Tokenizer tokenizer;
  Vocabulary vocabulary;

  std::vector<WordId> ids(std::string_view line) const {
    return vocabulary.ids(tokenizer.split(line));
  }
};

struct ModelConfig {
  TaskKind task = TaskKind::kLm;
  PolicyOptions policy;
  TokenizerOptions tokenizer;
  std::string made_by;  // the bough that wrote it; empty: one from before they said so
  std::optional<KeptPrecision> exported;  // what `bough export` has kept it in; none: as trained
  nlohmann::ordered_json training = nlohmann::ordered_json::object();  // options it was made with
};

struct Model {
  Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  ModelConfig config;
  Language text;                   // of what it writes
  std::optional<Language> source;  // of what it translates
  /// Of what it writes from, which may be its own words.
  const Language& source_text() const { return source ? *source : text; }
  bool shares_text = false;   // whether these are the same, and so the word vectors
  bool has_checksums = true;  // false: its folder is from before there were any
  std::unique_ptr<const Policy> policy;

  /// A new policy that fits; its weights are drawn by `seed`. `device` is as in load_model.
  std::unique_ptr<Policy> make_policy(uint64_t seed, double embedding_scale,
                                      const std::string& device) const;

  /// RunError where a policy that fits wouldn't fit into the memory of `device`.
  void check_memory(MemoryUse use, const std::string& device) const;

  /// How many numbers the policy has learned.
  int64_t parameter_count() const;

  /// What it computes with where nobody says it: int8 where it is kept in that and can be computed
  /// with so.
  Precision usual_precision() const;

  /// What such a policy is made by.
  PolicyRequest policy_request(const std::string& device) const;
};

/// Checks every file; DataError names the one that is missing, damaged or foreign. The weights are
/// on `device` then: cpu, cuda or cuda:N. What is loaded doesn't change: threads may share it, each
/// with steppers of its own. With int8 the weights are those that `bough export --precision int8`
/// would keep, so that what is tried is what can be handed on.
std::shared_ptr<const Model> load_model(const fs::path& folder, const std::string& device = "cpu",
                                        Precision precision = Precision::kFloat);

/// All but the policy.
Model load_model_setting(const fs::path& folder);

/// Whether the folder holds a model, or the beginning of one.
bool has_model(const fs::path& folder);

/// Whether it holds one that `bough export` has written.
bool has_exported_model(const fs::path& folder);

/// The names of the files that save_model_setting writes, or could.
std::span<const std::string_view> setting_files();

/// Writes all but the weights.
void save_model_setting(const fs::path& folder, const Model& model);

}  // namespace bough
