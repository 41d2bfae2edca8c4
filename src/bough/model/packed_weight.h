// A weight matrix kept ready for products with few rows. It is packed again when the weight has
// changed (see change_numbers in functions.h), so once an update in training and once in all in
// decoding.
#pragma once

#include <memory>
#include <mutex>

#include "bough/model/kernels/kernels.h"
#include "bough/model/precision.h"
#include "bough/model/torch.h"

namespace bough {

class PackedWeight {
 public:
  /// For x · weightᵀ, or with `transposed` for x · weight. Shares the weight.
  explicit PackedWeight(torch::Tensor weight, bool transposed = false);

  /// The weight as it is now; good until it changes.
  const RowProduct& get() const;

  /// int8 rounds the weight to eight bits: for decoding, not for training.
  void set_precision(Precision precision);

 private:
  /// What copies of this share.
  struct Cache {
    std::mutex mutex;
    Precision precision = Precision::kFloat;
    int64_t version = -1;
    std::unique_ptr<RowProduct> product;
  };

  void pack() const;

  torch::Tensor weight_;
  bool transposed_;
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

}  // namespace bough
