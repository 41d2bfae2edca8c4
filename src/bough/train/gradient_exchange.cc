#include "bough/train/gradient_exchange.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bough {

GradientExchange::GradientExchange(const NamedTensors& parameters, Ranks& ranks,
                                   GradientNumbers numbers, int64_t bucket_numbers)
    : ranks_(ranks), numbers_(numbers), bucket_numbers_(bucket_numbers) {
  for (const auto& [name, parameter] : parameters) {
    places_.push_back({.parameter = parameter, .vectors = name.ends_with("embedding")});
  }
  for (Place& place : places_) by_parameter_[place.parameter.unsafeGetTensorImpl()] = &place;
}

void GradientExchange::leave_last() {
  Place* place = std::exchange(last_, nullptr);  // what was added to it is there by now
  if (place == nullptr) return;
  if (buckets_.empty()) {
    place->done_at = added_;
    place->version = place->parameter.grad()._version();
    return;
  }
  if (place->seen != place->expected) return;
  --buckets_[place->bucket].missing;
  while (next_ < buckets_.size() && buckets_[next_].missing == 0 && is_early(buckets_[next_])) {
    ranks_.begin_sum(buckets_[next_++].gradients);
  }
}

void GradientExchange::on_gradient(const torch::Tensor& parameter) {
  leave_last();
  auto found = by_parameter_.find(parameter.unsafeGetTensorImpl());
  if (found == by_parameter_.end()) return;
  Place& place = *found->second;
  if (!buckets_.empty() && place.bucket < next_) {
    throw std::logic_error("a gradient is added to after its sum has begun");
  }
  ++place.seen;
  ++added_;
  last_ = &place;
}

void GradientExchange::learn() {
  auto count = static_cast<int64_t>(places_.size());
  torch::Tensor known = torch::full({count, 2}, kNever, torch::kInt64);
  auto of_place = known.accessor<int64_t, 2>();
  for (int64_t i = 0; i < count; ++i) {
    const Place& place = places_[static_cast<size_t>(i)];
    bool changed_since = place.parameter.grad()._version() != place.version;
    if (place.vectors || place.seen == 0 || changed_since) continue;
    of_place[i][0] = place.seen;
    of_place[i][1] = place.done_at;
  }
  ranks_.share(known);
  std::vector<Place*> order;  // those that are done last, and the vectors, at the end
  for (int64_t i = 0; i < count; ++i) {
    Place& place = places_[static_cast<size_t>(i)];
    place.expected = of_place[i][0];
    place.done_at = place.expected == kNever ? INT64_MAX : of_place[i][1];
    if (!place.vectors) order.push_back(&place);
  }
  std::ranges::stable_sort(order, {}, &Place::done_at);
  for (size_t begin = 0; begin < order.size();) {
    int64_t numbers = order[begin]->parameter.numel();
    size_t end = begin + 1;
    auto fits = [&](const Place& next) {
      return numbers + next.parameter.numel() <= bucket_numbers_ &&
             (next.expected == kNever) == (order[begin]->expected == kNever);
    };
    for (; end < order.size() && fits(*order[end]); ++end) {
      numbers += order[end]->parameter.numel();
    }
    add_bucket(std::span(order).subspan(begin, end - begin));
    begin = end;
  }
  for (Place& place : places_) {
    if (!place.vectors) continue;
    place.bucket = buckets_.size();
    buckets_.push_back({.gradients = place.parameter.grad(), .parameters = 1, .missing = 1});
  }
}

void GradientExchange::add_bucket(std::span<Place* const> places) {
  std::vector<torch::Tensor> gradients;
  for (const Place* place : places) gradients.push_back(place->parameter.grad().reshape({-1}));
  torch::Tensor all = torch::cat(gradients);
  int64_t begin = 0;
  for (Place* place : places) {
    const torch::Tensor& parameter = place->parameter;
    parameter.mutable_grad() = all.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    begin += parameter.numel();
    place->bucket = buckets_.size();
  }
  auto count = static_cast<int64_t>(places.size());
  buckets_.push_back({.gradients = all, .parameters = count, .missing = count});
}

void GradientExchange::add_up_rows(const torch::Tensor& gradients) {
  torch::Tensor rows = gradients.ne(0).any(1).nonzero().squeeze(1);
  torch::Tensor counts = ranks_.gather(torch::tensor({rows.size(0)}, torch::kInt64)).squeeze(1);
  auto most = counts.max().item<int64_t>();
  int64_t width = gradients.size(1);
  // To be sent by each: its rows with their numbers to all, or the whole twice round.
  double as_rows = static_cast<double>(most * (width + 2)) * static_cast<double>(ranks_.size());
  double size = numbers_ == GradientNumbers::kFloat ? 1.0 : 0.5;
  double as_whole = 2.0 * size * static_cast<double>(gradients.numel());
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

void GradientExchange::note_early() {
  double early = 0.0;
  double all = 0.0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    auto numbers = static_cast<double>(buckets_[i].gradients.numel());
    if (i < next_) early += numbers;
    all += numbers;
  }
  early_share_ = all > 0.0 ? early / all : 0.0;
}

void GradientExchange::finish() {
  torch::NoGradGuard no_gradients;
  note_early();
  leave_last();
  if (buckets_.empty()) learn();
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
  added_ = 0;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters;
  for (Place& place : places_) place.seen = 0;
}

}  // namespace bough
