// A model: a policy with the tokenizer and vocabulary it was trained with, as a folder on disk.
//
//     config.json        architecture, task, tokenizer, special ids, how it was trained
//     vocab.txt          a word a line
//     codes.txt          byte-pair codes (where words are cut into pieces)
//     source_vocab.txt, source_codes.txt   of a source that has its own
//     model.safetensors  the weights, with a checksum
//     README.md          a card for people
//     generation.json    decoding settings chosen on validation data (where there are some)
#pragma once

#include <memory>
#include <string>

#include "bough/base/file.h"
#include "bough/base/safetensors.h"
#include "bough/model/policy.h"
#include "bough/text/tokenizer.h"
#include "bough/text/vocabulary.h"

namespace bough {

enum class Task { kLm, kReorder, kTranslate };
template <>
struct EnumNames<Task> {
  static constexpr std::array<std::pair<Task, std::string_view>, 3> kNames{
      {{Task::kLm, "lm"}, {Task::kReorder, "reorder"}, {Task::kTranslate, "translate"}}};
};

/// How lines of a language become numbers.
struct Text {
  Tokenizer tokenizer;
  Vocabulary vocabulary;

  std::vector<WordId> ids(std::string_view line) const {
    return vocabulary.ids(tokenizer.split(line));
  }
};

struct ModelConfig {
  Task task = Task::kLm;
  PolicyOptions policy;
  TokenizerOptions tokenizer;
  nlohmann::ordered_json training = nlohmann::ordered_json::object();  // options it was made with
};

struct Model {
  ModelConfig config;
  Text text;                   // of what it writes
  std::optional<Text> source;  // of what it translates
  bool shares_text = false;    // whether these are the same, and so the word vectors
  std::unique_ptr<Policy> policy;

  /// A new policy that fits; its weights are drawn by `seed`.
  std::unique_ptr<Policy> make_policy(uint64_t seed, double embedding_scale,
                                      torch::Device device) const;
};

/// Checks every file; DataError names the one that is missing, damaged or foreign. The weights are
/// on `device` then.
Model load_model(const fs::path& folder, torch::Device device = torch::kCPU);

/// All but the policy.
Model load_model_setting(const fs::path& folder);

/// Whether the folder holds a model, or the beginning of one.
bool has_model(const fs::path& folder);

/// The names of the files that save_model_setting writes, or could.
std::span<const std::string_view> setting_files();

/// Writes all but the weights.
void save_model_setting(const fs::path& folder, const Model& model);

/// Writes tensors, of any device, to one safetensors file.
void save_tensors(const fs::path& path, const NamedTensors& tensors,
                  std::map<std::string, std::string> metadata);

/// Copies the file's tensors into `tensors`, by name; every name must be there with its shape, and
/// no other one.
void load_tensors(const SafetensorsFile& file, const std::string& where,
                  const NamedTensors& tensors);

/// Fills rows of word vectors from a text file (see data/word_vectors.h), in each of the matrices.
/// Gives how many words of the vocabulary were found.
int64_t load_embeddings(const std::string& path, const Vocabulary& vocabulary,
                        std::span<const torch::Tensor> matrices);

}  // namespace bough
