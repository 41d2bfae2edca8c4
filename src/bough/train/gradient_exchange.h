// Adding up the gradients of all ranks, in buckets, while the backward pass still runs.
//
// The gradients of a bucket's parameters stand in one piece of memory. Who adds to a gradient says
// so (GradientWatch, layers/functions.h); how often each is added to in an update is learned from
// the first one. Once the last has been added to all of a bucket, its sum begins.
#pragma once

#include <map>
#include <vector>

#include "bough/model/layers/functions.h"
#include "bough/model/named_tensors.h"
#include "bough/train/ranks.h"

namespace bough {

class GradientExchange : public GradientWatch {
 public:
  /// The parameters have gradients, which get other memory. Both must outlive this.
  GradientExchange(const NamedTensors& parameters, Ranks& ranks);

  void on_gradient(const torch::Tensor& parameter) override;

  /// After the backward pass: gradients are the sums over all ranks then.
  void finish();

 private:
  struct Bucket {
    torch::Tensor gradients;
    int64_t parameters = 0;
    int64_t missing = 0;  // that aren't done in this update
  };
  struct Place {
    size_t bucket = 0;
    int64_t expected = -1;  // how often it is added to; -1: not known yet
    int64_t seen = 0;
  };

  void check_done(Place* place);

  Ranks& ranks_;
  std::vector<Bucket> buckets_;
  std::map<const void*, Place> places_;  // by the parameter
  size_t next_ = 0;                      // bucket to begin with: all ranks do so in one order
  Place* last_ = nullptr;                // is being added to
  bool learned_ = false;                 // how often each is added to
};

}  // namespace bough
