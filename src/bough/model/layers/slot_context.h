// What a policy reads at a step, as numbers: the vector of the action before, and if it is told
// where the slot is, the vectors of the two words that bound it and its path.
#pragma once

#include <span>

#include "bough/model/policy_options.h"
#include "bough/model/torch.h"
#include "bough/tree/step_input.h"

namespace bough {

class SlotReader {
 public:
  SlotReader(SlotContext context, int64_t embedding_size)
      : neighbours_(context == SlotContext::kNeighbours || context == SlotContext::kBoth),
        path_(context == SlotContext::kPath || context == SlotContext::kBoth),
        embedding_size_(embedding_size) {}

  /// How many numbers a step's input is.
  int64_t width() const { return words() * embedding_size_ + (path_ ? kPathWidth : 0); }

  /// Writes one step's input; `embedding` is the matrix of word vectors.
  void read(const StepInput& input, const float* embedding, float* row) const;

  /// [inputs, width] with gradients for `embedding`.
  torch::Tensor read_all(std::span<const StepInput> inputs, const torch::Tensor& embedding) const;

 private:
  static constexpr int kPathSteps = 12;  // the last ones; most trees aren't deeper
  static constexpr int64_t kPathWidth = 2 * kPathSteps + 1;

  /// Left and right for each of the last steps (the last one first), and the depth.
  static void write_path(const StepInput& input, float* features);
  int64_t words() const { return neighbours_ ? 3 : 1; }

  bool neighbours_;
  bool path_;
  int64_t embedding_size_;
};

}  // namespace bough
