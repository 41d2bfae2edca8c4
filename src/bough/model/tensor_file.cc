#include "bough/model/tensor_file.h"

#include <cstring>

#include "bough/base/error.h"
#include "bough/data/word_vectors.h"
#include "bough/model/layers/functions.h"

namespace bough {

void save_tensors(const fs::path& path, const NamedTensors& tensors,
                  std::map<std::string, std::string> metadata) {
  std::vector<TensorEntry> entries;
  std::vector<torch::Tensor> here;  // keeps copies of other devices' numbers until they are written
  for (const auto& [name, tensor] : tensors) {
    std::span<const float> numbers = numbers_of(here.emplace_back(tensor.cpu()));
    entries.push_back(
        {.name = name,
         .dtype = "F32",
         .shape = tensor.sizes().vec(),
         .bytes = {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)}});
  }
  write_safetensors(path, entries, std::move(metadata));
}

void load_tensors(const SafetensorsFile& file, const std::string& where,
                  const NamedTensors& tensors) {
  torch::NoGradGuard no_gradients;
  for (const auto& [name, tensor] : tensors) {
    const TensorEntry* entry = file.find(name);
    if (entry == nullptr) throw DataError("{} has no tensor '{}'", where, name);
    if (entry->dtype != "F32" || entry->shape != tensor.sizes().vec()) {
      throw DataError("{}: tensor '{}' is {} [{}], but the model's config.json asks for F32 [{}]",
                      where, name, entry->dtype, fmt::join(entry->shape, ", "),
                      fmt::join(tensor.sizes().vec(), ", "));
    }
    torch::Tensor here = torch::empty(tensor.sizes());
    std::memcpy(change_numbers(here).data(), entry->bytes.data(), entry->bytes.size());
    tensor.copy_(here);
  }
  if (file.entries().size() != tensors.size()) {
    throw DataError("{} has {} tensors, but the model's config.json asks for {}", where,
                    file.entries().size(), tensors.size());
  }
}

int64_t load_embeddings(const std::string& path, const Vocabulary& vocabulary,
                        std::span<const torch::Tensor> matrices) {
  torch::NoGradGuard no_gradients;
  WordSet words;
  for (WordId id = kSpecials; id < vocabulary.size(); ++id) words.insert(vocabulary.word(id));
  WordVectors vectors(path, &words);
  int64_t width = matrices.front().size(1);
  if (static_cast<int64_t>(vectors.dimension()) != width) {
    throw DataError("'{}' has vectors of {} numbers, but --embedding-size is {}", path,
                    vectors.dimension(), width);
  }
  for (const torch::Tensor& matrix : matrices) {
    torch::Tensor here = matrix.cpu();  // the matrix itself where that is on the CPU
    std::span<float> numbers = change_numbers(here);
    for (WordId id = kSpecials; id < vocabulary.size(); ++id) {
      std::optional<size_t> vector = vectors.find(vocabulary.word(id));
      if (!vector) continue;
      std::span<const float> values = vectors.values(*vector);
      std::copy(values.begin(), values.end(), numbers.begin() + static_cast<int64_t>(id) * width);
    }
    if (!matrix.is_cpu()) matrix.copy_(here);
  }
  return static_cast<int64_t>(vectors.size());
}

}  // namespace bough
