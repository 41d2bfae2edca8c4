#include "bough/train/gradient_exchange.h"

#include <stdexcept>
#include <utility>

namespace bough {

namespace {

/// Numbers of a bucket, unless one parameter has more: enough for a message to be worth its delay.
constexpr int64_t kBucketNumbers = int64_t{1} << 20;

}  // namespace

GradientExchange::GradientExchange(const NamedTensors& parameters, Ranks& ranks,
                                   GradientNumbers numbers)
    : ranks_(ranks), numbers_(numbers) {
  std::vector<std::vector<torch::Tensor>> groups;
  std::vector<torch::Tensor> vectors;  // of words: the last to be done
  // The last layers' gradients are done first.
  int64_t size = kBucketNumbers;
  for (auto at = parameters.rbegin(); at != parameters.rend(); ++at) {
    const auto& [name, parameter] = *at;
    if (name.ends_with("embedding")) {
      vectors.push_back(parameter);
      continue;
    }
    if (size + parameter.numel() > kBucketNumbers) {
      groups.emplace_back();
      size = 0;
    }
    groups.back().push_back(parameter);
    size += parameter.numel();
  }
  for (const auto& group : groups) {
    int64_t numel = 0;
    for (const torch::Tensor& parameter : group) numel += parameter.numel();
    torch::Tensor gradients = torch::zeros({numel}, group.front().options().requires_grad(false));
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
  for (const torch::Tensor& parameter : vectors) {
    places_[parameter.unsafeGetTensorImpl()] = Place{.bucket = buckets_.size()};
    buckets_.push_back({.gradients = parameter.grad(), .parameters = 1, .missing = 1});
  }
}

void GradientExchange::check_done(Place* place) {
  if (!learned_ || place == nullptr || place->seen != place->expected) return;
  --buckets_[place->bucket].missing;
  while (next_ < buckets_.size() && buckets_[next_].missing == 0 && is_early(buckets_[next_])) {
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

void GradientExchange::add_up_rows(const torch::Tensor& gradients) {
  torch::Tensor rows = gradients.ne(0).any(1).nonzero().squeeze(1);
  torch::Tensor counts = ranks_.gather(torch::tensor({rows.size(0)}, torch::kInt64)).squeeze(1);
  auto most = counts.max().item<int64_t>();
  int64_t width = gradients.size(1);
  // To be sent by each: its rows with their numbers to all, or the whole twice round.
  double as_rows = static_cast<double>(most * (width + 2)) * static_cast<double>(ranks_.size());
  double as_whole = 2.0 * static_cast<double>(gradients.numel());
  if (as_rows >= as_whole) {
    add_up_rounded(gradients);
    return;
  }
  torch::Tensor numbers = torch::zeros({most}, torch::kInt64);
  torch::Tensor values = torch::zeros({most, width});
  numbers.narrow(0, 0, rows.size(0)).copy_(rows);
  values.narrow(0, 0, rows.size(0)).copy_(gradients.index_select(0, rows));
  torch::Tensor all_numbers = ranks_.gather(numbers);
  torch::Tensor all_values = ranks_.gather(values);
  gradients.index_fill_(0, rows, 0.0);
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) {  // in one order everywhere
    auto count = counts[rank].item<int64_t>();
    gradients.index_add_(0, all_numbers[rank].narrow(0, 0, count),
                         all_values[rank].narrow(0, 0, count));
  }
}

void GradientExchange::add_up_rounded(const torch::Tensor& gradients) {
  if (numbers_ == GradientNumbers::kFloat) {
    ranks_.begin_sum(gradients);
    ranks_.finish();
    return;
  }
  // Gloo doesn't know bfloat16: what is sent are bytes.
  torch::Tensor flat = gradients.view({-1});
  int64_t part = (flat.numel() + ranks_.size() - 1) / ranks_.size();
  torch::Tensor parts = torch::zeros({ranks_.size(), part}, torch::kBFloat16);
  parts.view({-1}).narrow(0, 0, flat.numel()).copy_(flat);
  torch::Tensor own = ranks_.exchange(parts.view(torch::kUInt8)).view(torch::kBFloat16);
  torch::Tensor sum = own.to(torch::kFloat32).sum(0).to(torch::kBFloat16);
  torch::Tensor all = ranks_.gather(sum.view(torch::kUInt8)).view(torch::kBFloat16).view({-1});
  flat.copy_(all.narrow(0, 0, flat.numel()));
}

void GradientExchange::finish() {
  torch::NoGradGuard no_gradients;
  last_ = nullptr;
  for (; next_ < buckets_.size() && is_early(buckets_[next_]); ++next_) {
    ranks_.begin_sum(buckets_[next_].gradients);
  }
  ranks_.finish();
  for (; next_ < buckets_.size(); ++next_) {
    const torch::Tensor& gradients = buckets_[next_].gradients;
    if (gradients.dim() == 2) {
      add_up_rows(gradients);
    } else {
      add_up_rounded(gradients);
    }
  }
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
