#include "bough/model/layers/slot_context.h"

#include <algorithm>

#include "bough/model/layers/functions.h"

namespace bough {

void SlotReader::write_numbers(const StepInput& input, float* features) const {
  if (path_) {
    std::fill_n(features, kPathWidth, 0.0F);
    for (int i = 0; i < std::min(input.depth, kPathSteps); ++i) {
      features[2 * i + static_cast<int>(input.path >> i & 1)] = 1.0F;
    }
    features[kPathWidth - 1] = 0.1F * static_cast<float>(input.depth);
    features += kPathWidth;
  }
  if (!sides_) return;
  features[0] = opens_left(input.open) ? 1.0F : 0.0F;
  features[1] = opens_right(input.open) ? 1.0F : 0.0F;
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
  write_numbers(input, row);
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
  if (numbers() == 0) return vectors;
  torch::Tensor rest = torch::empty({rows, numbers()});
  float* features = change_numbers(rest).data();
  for (size_t i = 0; i < inputs.size(); ++i) {
    write_numbers(inputs[i], features + static_cast<int64_t>(i) * numbers());
  }
  return torch::cat({vectors, rest.to(embedding.device())}, 1);
}

}  // namespace bough
