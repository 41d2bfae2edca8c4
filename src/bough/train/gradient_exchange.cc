#include "bough/train/gradient_exchange.h"

#include <stdexcept>
#include <utility>

namespace bough {

namespace {

/// Numbers of a bucket, unless one parameter has more: enough for a message to be worth its delay.
constexpr int64_t kBucketNumbers = int64_t{1} << 20;

}  // namespace

GradientExchange::GradientExchange(const NamedTensors& parameters, Ranks& ranks) : ranks_(ranks) {
  // The last layers' gradients are done first.
  std::vector<std::vector<torch::Tensor>> groups;
  int64_t numbers = kBucketNumbers;
  for (auto at = parameters.rbegin(); at != parameters.rend(); ++at) {
    const torch::Tensor& parameter = at->second;
    if (numbers + parameter.numel() > kBucketNumbers) {
      groups.emplace_back();
      numbers = 0;
    }
    groups.back().push_back(parameter);
    numbers += parameter.numel();
  }
  for (const auto& group : groups) {
    int64_t size = 0;
    for (const torch::Tensor& parameter : group) size += parameter.numel();
    torch::Tensor gradients = torch::zeros({size}, group.front().options().requires_grad(false));
    int64_t begin = 0;
    for (const torch::Tensor& parameter : group) {
      parameter.mutable_grad() =
          gradients.narrow(0, begin, parameter.numel()).view(parameter.sizes());
      begin += parameter.numel();
      places_[parameter.unsafeGetTensorImpl()] = Place{.bucket = buckets_.size()};
    }
    auto count = static_cast<int64_t>(group.size());
    buckets_.push_back({.gradients = gradients, .parameters = count, .missing = count});
  }
}

void GradientExchange::check_done(Place* place) {
  if (!learned_ || place == nullptr || place->seen != place->expected) return;
  --buckets_[place->bucket].missing;
  while (next_ < buckets_.size() && buckets_[next_].missing == 0) {
    ranks_.begin_sum(buckets_[next_++].gradients);
  }
}

void GradientExchange::on_gradient(const torch::Tensor& parameter) {
  check_done(std::exchange(last_, nullptr));  // what was added to it is there by now
  auto found = places_.find(parameter.unsafeGetTensorImpl());
  if (found == places_.end()) return;
  if (found->second.bucket < next_) {
    throw std::logic_error("a gradient is added to after its sum has begun");
  }
  ++found->second.seen;
  last_ = &found->second;
}

void GradientExchange::finish() {
  last_ = nullptr;
  while (next_ < buckets_.size()) ranks_.begin_sum(buckets_[next_++].gradients);
  ranks_.finish();
  next_ = 0;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters;
  for (auto& [parameter, place] : places_) {
    // One that LibTorch itself adds to is done when all is.
    if (!learned_) place.expected = place.seen > 0 ? place.seen : -1;
    place.seen = 0;
  }
  learned_ = true;
}

}  // namespace bough
