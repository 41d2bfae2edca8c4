// Tensors from files and into them.
//
// A file holds floats (F32), floats of 16 bits (F16), or bytes: a matrix NAME as I8 [rows, columns]
// with NAME.scale as F32 [rows], quantised as products in eight bits take them (byte_weights.h),
// and all else as F32. In memory all are floats.
#pragma once

#include <map>
#include <span>
#include <string>

#include "bough/base/file.h"
#include "bough/base/safetensors.h"
#include "bough/model/named_tensors.h"
#include "bough/model/precision.h"
#include "bough/text/vocabulary.h"

namespace bough {

/// Writes tensors, of any device, to one safetensors file. DataError for a number that half has no
/// room for.
void save_tensors(const fs::path& path, const NamedTensors& tensors,
                  std::map<std::string, std::string> metadata,
                  KeptPrecision precision = KeptPrecision::kFloat);

/// Copies the file's tensors into `tensors`, by name; every name must be there with its shape, in
/// any of the precisions, and no other one.
void load_tensors(const SafetensorsFile& file, const std::string& where,
                  const NamedTensors& tensors);

/// The numbers of a tensor that isn't kept in bytes; undefined where they are no floats.
torch::Tensor plain_floats(const TensorEntry& entry);

/// Makes of each matrix what it would be when it was kept in int8 and loaded again.
void round_to_bytes(const NamedTensors& tensors);

/// Fills rows of word vectors from a text file (see data/word_vectors.h), in each of the matrices.
/// Gives how many words of the vocabulary were found.
int64_t load_embeddings(const std::string& path, const Vocabulary& vocabulary,
                        std::span<const torch::Tensor> matrices);

}  // namespace bough
