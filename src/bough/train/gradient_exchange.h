// Adding up the gradients of all ranks, in buckets, while the backward pass still runs.
//
// The gradients of a bucket's parameters stand in one piece of memory. Who adds to a gradient says
// so (GradientWatch, layers/functions.h); how often each is added to in an update is learned from
// the first one. Once the last has been added to all of a bucket, its sum begins.
//
// Word vectors that are only looked up have gradients in a few rows: they are exchanged as such, at
// the end, where that is less. With bfloat16, which halves what is sent, each rank adds up its part
// of a bucket in float and sends the sum round, also at the end.
#pragma once

#include <map>
#include <vector>

#include "bough/model/layers/functions.h"
#include "bough/model/named_tensors.h"
#include "bough/train/gradient_numbers.h"
#include "bough/train/ranks.h"

namespace bough {

class GradientExchange : public GradientWatch {
 public:
  /// The parameters have gradients, which get other memory. Both must outlive this.
  GradientExchange(const NamedTensors& parameters, Ranks& ranks, GradientNumbers numbers);

  void on_gradient(const torch::Tensor& parameter) override;

  /// After the backward pass: gradients are the sums over all ranks then.
  void finish();

 private:
  struct Bucket {
    torch::Tensor gradients;  // [numbers], or [words, numbers] of word vectors
    int64_t parameters = 0;
    int64_t missing = 0;  // that aren't done in this update
  };
  struct Place {
    size_t bucket = 0;
    int64_t expected = -1;  // how often it is added to; -1: not known yet
    int64_t seen = 0;
  };

  void check_done(Place* place);
  /// Whether its sum may begin before all is there.
  bool is_early(const Bucket& bucket) const {
    return numbers_ == GradientNumbers::kFloat && bucket.gradients.dim() == 1;
  }
  void add_up_rows(const torch::Tensor& gradients);
  void add_up_rounded(const torch::Tensor& gradients);

  Ranks& ranks_;
  GradientNumbers numbers_;
  std::vector<Bucket> buckets_;
  std::map<const void*, Place> places_;  // by the parameter
  size_t next_ = 0;                      // bucket to begin with: all ranks do so in one order
  Place* last_ = nullptr;                // is being added to
  bool learned_ = false;                 // how often each is added to
};

}  // namespace bough
