// Adding up the gradients of all ranks, in buckets, while the backward pass still runs.
//
// Who adds to a gradient says so (GradientWatch, layers/functions.h). The first update shows how
// often each is added to, and in which order they are done; from then on those that are done one
// after the other stand in one piece of memory, a bucket, and once the last has been added to all
// of it, its sum begins. A gradient that LibTorch adds to by itself is done when all is.
//
// Word vectors that are only looked up have gradients in a few rows: they are exchanged as such, at
// the end, where that is less. With bfloat16, which halves what is sent, each rank adds up its part
// of a bucket in float and sends the sum round, also at the end.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "bough/model/layers/functions.h"
#include "bough/model/named_tensors.h"
#include "bough/train/gradient_numbers.h"
#include "bough/train/ranks.h"

namespace bough {

class GradientExchange : public GradientWatch {
 public:
  /// Numbers of a bucket, unless one parameter has more: enough for a message to be worth its
  /// delay.
  static constexpr int64_t kBucketNumbers = int64_t{1} << 20;

  /// The parameters have gradients, which get other memory. The ranks must outlive this.
  GradientExchange(const NamedTensors& parameters, Ranks& ranks, GradientNumbers numbers,
                   int64_t bucket_numbers = kBucketNumbers);

  void on_gradient(const torch::Tensor& parameter) override;

  /// After the backward pass: gradients are the sums over all ranks then.
  void finish();

  /// Of the last update: the share of the gradients whose sums began before the pass was over.
  double early_share() const { return early_share_; }

 private:
  struct Bucket {
    torch::Tensor gradients;  // [numbers], or [words, numbers] of word vectors
    int64_t parameters = 0;
    int64_t missing = 0;  // that aren't done in this update
  };
  static constexpr int64_t kNever = -1;
  struct Place {
    torch::Tensor parameter;
    bool vectors = false;  // of words
    size_t bucket = 0;
    int64_t expected = kNever;  // how often it is added to, where it is done before all is
    int64_t seen = 0;
    int64_t done_at = 0;  // counted by what is added to any
    int64_t version = 0;  // of the gradient, then
  };

  void leave_last();
  void note_early();
  /// After the first update: what there is to know, as the leader has found it.
  void learn();
  /// Makes a bucket of some gradients, in this order.
  void add_bucket(std::span<Place* const> places);
  void add_up_rows(const torch::Tensor& gradients);
  void add_up_rounded(const torch::Tensor& gradients);
  /// Whether its sum may begin before all is there.
  bool is_early(const Bucket& bucket) const {
    return numbers_ == GradientNumbers::kFloat && bucket.gradients.dim() == 1;
  }

  Ranks& ranks_;
  GradientNumbers numbers_;
  int64_t bucket_numbers_;
  std::vector<Place> places_;
  std::map<const void*, Place*> by_parameter_;
  std::vector<Bucket> buckets_;  // none in the first update
  size_t next_ = 0;              // bucket to begin with: all ranks do so in one order
  Place* last_ = nullptr;        // is being added to
  int64_t added_ = 0;            // how often, in this update
  double early_share_ = 0.0;
};

}  // namespace bough
