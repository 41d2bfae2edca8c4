// A model: a policy with the tokenizer and vocabulary it was trained with, as a folder on disk.
//
//     config.json        architecture, task, tokenizer, special ids, how it was trained
//     vocab.txt          a word a line
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

enum class Task { kLm, kReorder };
template <>
struct EnumNames<Task> {
  static constexpr std::array<std::pair<Task, std::string_view>, 2> kNames{
      {{Task::kLm, "lm"}, {Task::kReorder, "reorder"}}};
};

struct ModelConfig {
  Task task = Task::kLm;
  PolicyOptions policy;
  TokenizerOptions tokenizer;
  nlohmann::ordered_json training = nlohmann::ordered_json::object();  // options it was made with
};

struct Model {
  ModelConfig config;
  Vocabulary vocabulary;
  std::unique_ptr<Policy> policy;
};

/// Checks every file; DataError names the one that is missing, damaged or foreign. The weights are
/// on `device` then.
Model load_model(const fs::path& folder, torch::Device device = torch::kCPU);

/// Whether the folder holds a model, or the beginning of one.
bool has_model(const fs::path& folder);

/// Writes config.json and vocab.txt: all but the weights.
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
