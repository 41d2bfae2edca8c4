// Tensors from files and into them.
#pragma once

#include <map>
#include <span>
#include <string>

#include "bough/base/file.h"
#include "bough/base/safetensors.h"
#include "bough/model/named_tensors.h"
#include "bough/text/vocabulary.h"

namespace bough {

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
