// A weight matrix kept ready for products with few rows. It is packed again when the weight has
// changed (see change_numbers in functions.h), so once an update in training and once in all in
// decoding.
#pragma once

#include <memory>
#include <mutex>

#include "bough/model/kernels/packed_matrix.h"
#include "bough/model/precision.h"
#include "bough/model/torch.h"

namespace bough {

class PackedWeight {
 public:
  /// For x · weightᵀ, or with `transposed` for x · weight. Shares the weight.
  explicit PackedWeight(torch::Tensor weight, bool transposed = false);

  /// The weight as it is now, good until it changes; int8 rounds it to eight bits: for decoding,
  /// not for training. Each precision is packed when it is first asked for, and kept. Threads may
  /// ask at the same time, as long as nobody changes the weight.
  const RowProduct& get(Precision precision = Precision::kFloat) const;

 private:
  struct Packed {
    int64_t version = -1;  // of the weight
    std::unique_ptr<RowProduct> product;
  };
  /// What copies of this share.
  struct Cache {
    std::mutex mutex;
    Packed floats;
    Packed int8;
  };

  void pack_floats(Packed& packed) const;

  torch::Tensor weight_;
  bool transposed_;
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

}  // namespace bough
