#include "bough/model/layers/slot_context.h"

#include <algorithm>

#include "bough/model/layers/functions.h"

namespace bough {

void SlotReader::write_path(const StepInput& input, float* features) {
  std::fill_n(features, kPathWidth, 0.0F);
  for (int i = 0; i < std::min(input.depth, kPathSteps); ++i) {
    features[2 * i + static_cast<int>(input.path >> i & 1)] = 1.0F;
  }
  features[kPathWidth - 1] = 0.1F * static_cast<float>(input.depth);
}

void SlotReader::read(const StepInput& input, const float* embedding, float* row) const {
  auto add_word = [&](WordId word) {
    row = std::copy_n(embedding + word * embedding_size_, embedding_size_, row);
  };
  add_word(input.action);
  if (neighbours_) {
    add_word(input.left);
    add_word(input.right);
  }
  if (path_) write_path(input, row);
}

torch::Tensor SlotReader::read_all(std::span<const StepInput> inputs,
                                   const torch::Tensor& embedding) const {
  std::vector<int64_t> indices;
  indices.reserve(inputs.size() * static_cast<size_t>(words()));
  for (const StepInput& input : inputs) {
    indices.push_back(input.action);
    if (!neighbours_) continue;
    indices.push_back(input.left);
    indices.push_back(input.right);
  }
  auto rows = static_cast<int64_t>(inputs.size());
  torch::Tensor vectors = gather_rows(embedding, indices).view({rows, words() * embedding_size_});
  if (!path_) return vectors;
  torch::Tensor paths = torch::empty({rows, kPathWidth});
  float* features = change_numbers(paths).data();
  for (size_t i = 0; i < inputs.size(); ++i) {
    write_path(inputs[i], features + static_cast<int64_t>(i) * kPathWidth);
  }
  return torch::cat({vectors, paths.to(embedding.device())}, 1);
}

}  // namespace bough
