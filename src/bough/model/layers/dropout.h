// Dropout, whose masks are hashes: of the update's key, the place in the network and the unit.
//
// Whatever goes over a network goes through the same places in the same order, with gradients or
// step by step: a `Dropout` counts them, and so is the one owner of the places' numbers.
#pragma once

#include "bough/model/torch.h"

namespace bough {

/// Names the masks of one update; `keep` 1 switches dropout off.
struct DropoutMasks {
  double keep = 1.0;
  uint64_t key = 0;
};

class Dropout {
 public:
  /// An encoder's places are counted by themselves.
  enum class Part : uint64_t { kPolicy = 0, kSource = 1000 };

  explicit Dropout(const DropoutMasks& masks, Part part = Part::kPolicy)
      : masks_(masks), next_(static_cast<uint64_t>(part)) {}

  bool drops() const { return masks_.keep < 1.0; }

  /// At the next place: [rows, width] with gradients.
  torch::Tensor operator()(const torch::Tensor& rows);

  /// At the next place, for steppers: `count` rows of such a matrix, from `first` on. Nothing is
  /// written where nothing is dropped.
  struct Rows {
    const float* from;
    float* to;
    int64_t first;
    int64_t count;
    int64_t width;
  };
  void operator()(const Rows& rows);

 private:
  uint64_t key_of(uint64_t place) const;

  DropoutMasks masks_;
  uint64_t next_;
};

}  // namespace bough
