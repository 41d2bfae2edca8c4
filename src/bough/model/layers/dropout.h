// Dropout, whose masks are hashes: of the update's key, the place in the network, the sentence, the
// position in it and the unit. So a sentence is masked alike whatever batch it stands in, and on
// whatever machine.
//
// Whatever goes over a network goes through the same places in the same order, with gradients or
// step by step: a `Dropout` counts them, and so is the one owner of the places' numbers.
#pragma once

#include <span>
#include <vector>

#include "bough/model/layers/row_layout.h"
#include "bough/model/torch.h"

namespace bough {

/// Names the masks of one update; `keep` 1 switches dropout off.
struct DropoutMasks {
  double keep = 1.0;
  uint64_t key = 0;
  std::span<const uint64_t> sentences = {};  // [sentences] what names each; none: its number
};

class Dropout {
 public:
  /// An encoder's places are counted by themselves.
  enum class Part : uint64_t { kPolicy = 0, kSource = 1000 };

  /// Drops nothing.
  Dropout() = default;
  /// For matrices with rows of these sentences.
  Dropout(const DropoutMasks& masks, const PackedSteps& steps);
  Dropout(const DropoutMasks& masks, const RowLayout& layout, Part part = Part::kPolicy);
  /// … and with one row of each of the first so many, at a step.
  Dropout(const DropoutMasks& masks, int64_t sentences, int64_t step);

  bool drops() const { return keep_ < 1.0; }

  /// At the next place: [rows, width] with gradients.
  torch::Tensor operator()(const torch::Tensor& matrix);

  /// At the next place, for steppers. Nothing is written where nothing is dropped.
  void operator()(const float* from, float* to, int64_t width);

 private:
  explicit Dropout(const DropoutMasks& masks, Part part = Part::kPolicy)
      : keep_(masks.keep), key_(masks.key), next_(static_cast<uint64_t>(part)) {}

  uint64_t key_of(uint64_t place) const;

  double keep_ = 1.0;
  uint64_t key_ = 0;
  uint64_t next_ = 0;
  std::vector<uint64_t> rows_;  // names; none where nothing is dropped
};

}  // namespace bough
