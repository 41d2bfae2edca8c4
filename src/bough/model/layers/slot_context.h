// What a policy reads at a step, as numbers: the vector of the action before, where words come with
// their open sides (tree/shape.h) these, and if it is told where the slot is, the vectors of the
// two words that bound it and its path.
#pragma once

#include <span>

#include "bough/model/policy_options.h"
#include "bough/model/torch.h"
#include "bough/tree/step_input.h"

namespace bough {

class SlotReader {
 public:
  explicit SlotReader(const PolicyOptions& options)
      : neighbours_(options.slot_context == SlotContext::kNeighbours ||
                    options.slot_context == SlotContext::kBoth),
        path_(options.slot_context == SlotContext::kPath ||
              options.slot_context == SlotContext::kBoth),
        sides_(options.shape == Shape::kArity),
        embedding_size_(options.embedding_size) {}

  /// How many numbers a step's input is.
  int64_t width() const { return words() * embedding_size_ + numbers(); }

  /// Writes one step's input; `embedding` is the matrix of word vectors.
  void read(const StepInput& input, const float* embedding, float* row) const;

  /// [inputs, width] with gradients for `embedding`.
  torch::Tensor read_all(std::span<const StepInput> inputs, const torch::Tensor& embedding) const;

 private:
  static constexpr int kPathSteps = 12;  // the last ones; most trees aren't deeper
  static constexpr int64_t kPathWidth = 2 * kPathSteps + 1;
  static constexpr int64_t kSidesWidth = 2;

  /// What follows the vectors of words. Of the path, left and right for each of the last steps (the
  /// last one first), and the depth; of the sides, whether each is open.
  void write_numbers(const StepInput& input, float* features) const;
  int64_t words() const { return neighbours_ ? 3 : 1; }
  int64_t numbers() const { return (path_ ? kPathWidth : 0) + (sides_ ? kSidesWidth : 0); }

  bool neighbours_;
  bool path_;
  bool sides_;
  int64_t embedding_size_;
};

}  // namespace bough
