#include "bough/train/plain_loss.h"

#include <algorithm>
#include <cmath>

namespace bough {

namespace {

using torch::Tensor;

/// The right answers of a block of rows, as wide as its longest list; shorter ones are padded.
struct RightAnswers {
  Tensor action;  // [rows, longest]
  Tensor padded;  // [rows, longest] whether this is no answer
  Tensor oracle;  // [rows, longest] the oracle's weights
  Tensor number;  // [rows, longest] its number among all right answers
};

RightAnswers right_answers(const Trajectory& trajectory, int64_t first, int64_t rows,
                           torch::Device device) {
  auto begin = [&](int64_t row) { return trajectory.valid_begin[static_cast<size_t>(row)]; };
  int64_t longest = 0;
  for (int64_t row = first; row < first + rows; ++row) {
    longest = std::max(longest, begin(row + 1) - begin(row));
  }
  RightAnswers right{
      torch::zeros({rows, longest}, torch::kInt64), torch::ones({rows, longest}, torch::kBool),
      torch::zeros({rows, longest}, torch::kFloat64), torch::zeros({rows, longest}, torch::kInt64)};
  auto action = right.action.accessor<int64_t, 2>();
  auto padded = right.padded.accessor<bool, 2>();
  auto oracle = right.oracle.accessor<double, 2>();
  auto number = right.number.accessor<int64_t, 2>();
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = begin(first + row); i < begin(first + row + 1); ++i) {
      int64_t at = i - begin(first + row);
      action[row][at] = trajectory.valid_action[static_cast<size_t>(i)];
      padded[row][at] = false;
      oracle[row][at] = trajectory.valid_weight[static_cast<size_t>(i)];
      number[row][at] = i;
    }
  }
  return {right.action.to(device), right.padded.to(device), right.oracle.to(device),
          right.number.to(device)};
}

/// β · oracle + (1 − β) · policy renormalised over each row's right answers; a constant, 0 where
/// there is no answer.
Tensor target_of(const RightAnswers& right, const Tensor& log_policy, double beta) {
  if (beta >= 1.0) return right.oracle;
  Tensor answers = log_policy.detach().to(torch::kFloat64).masked_fill(right.padded, -INFINITY);
  return beta * right.oracle + (1.0 - beta) * torch::softmax(answers, 1);
}

/// What rows from `first` on cost [rows] counts for their sentences.
void add_nats(const Trajectory& trajectory, int64_t first, const Tensor& costs,
              std::vector<double>& nats) {
  Tensor numbers = costs.to(torch::kFloat64).contiguous();
  for (int64_t i = 0; i < numbers.size(0); ++i) {
    auto sentence = static_cast<size_t>(trajectory.sentence[static_cast<size_t>(first + i)]);
    nats[sentence] += numbers.data_ptr<double>()[i];
  }
}

Tensor numbers_on(torch::Device device, std::span<const double> numbers) {
  return torch::tensor(std::vector<double>(numbers.begin(), numbers.end()), torch::kFloat64)
      .to(device);
}

}  // namespace

LossResult plain_word_loss(const Trajectory& trajectory, const PolicyOutput& said,
                           const OutputLayer& layer, const LossRequest& request,
                           std::span<const double> weights) {
  torch::AutoGradMode graph(request.gradient);
  const Tensor& features = said.features;
  Tensor sides;  // [right answers]
  if (said.side_logprobs.defined()) {
    sides = said.side_logprobs.detach().requires_grad_(request.gradient);
  }
  int64_t vocabulary = layer.weight.size(0);
  int64_t rows = trajectory.rows();
  int64_t block_rows = rows_of_block(request, vocabulary, rows);
  Tensor weight = numbers_on(features.device(), weights).unsqueeze(1);  // [rows, 1]
  LossResult result;
  result.nats.resize(static_cast<size_t>(trajectory.sentences()));
  std::vector<Tensor> d_features;
  for (int64_t first = 0; first < rows; first += block_rows) {
    int64_t count = std::min(block_rows, rows - first);
    Tensor own_features = features.narrow(0, first, count).detach();
    own_features.requires_grad_(request.gradient);
    Tensor logits = torch::addmm(layer.bias, own_features, layer.weight.t());
    RightAnswers right = right_answers(trajectory, first, count, features.device());
    Tensor log_all = torch::log_softmax(logits, 1);
    Tensor log_policy = log_all.gather(1, right.action);  // [count, longest]
    Tensor log_sides;                                     // the same
    if (sides.defined()) {
      log_sides = sides.index_select(0, right.number.flatten()).view_as(log_policy);
      log_policy = log_policy + log_sides;
    }
    Tensor target = target_of(right, log_policy, request.beta);
    Tensor divergence = (torch::xlogy(target, target) - target * log_policy).sum(1, true);
    Tensor own_weight = weight.narrow(0, first, count);
    Tensor costs = torch::where(own_weight > 0, divergence.detach(), 0.0).flatten().cpu();
    add_nats(trajectory, first, costs, result.nats);
    if (request.smoothing > 0.0) {
      Tensor to_even = -log_all.mean(1, true) - std::log(static_cast<double>(vocabulary));
      divergence = (1.0 - request.smoothing) * divergence + request.smoothing * to_even;
    }
    Tensor loss = (own_weight * divergence).sum();
    result.mean.word_loss += loss.item<double>();
    if (sides.defined()) {
      Tensor costs_of_sides = -(1.0 - request.smoothing) * target * log_sides.detach();
      double of_sides = (own_weight * costs_of_sides).sum().item<double>();
      result.mean.word_loss -= of_sides;
      result.mean.end_loss += of_sides;
    }
    if (request.gradient) {
      loss.backward();
      d_features.push_back(own_features.grad());
    }
  }
  if (request.gradient) {
    result.d_features = torch::cat(d_features);
    if (sides.defined()) result.d_side_logprobs = sides.grad();
  }
  return result;
}

void add_plain_end_loss(const Trajectory& trajectory, const torch::Tensor& end_logits,
                        std::span<const double> weights, LossResult& result,
                        torch::Tensor* gradient) {
  torch::AutoGradMode graph(gradient != nullptr);
  std::vector<double> truth;
  for (int due : trajectory.due) truth.push_back(due == 0 ? 1.0 : 0.0);
  torch::Device device = end_logits.device();
  Tensor logits = end_logits.detach().requires_grad_(gradient != nullptr);
  Tensor entropies =
      torch::binary_cross_entropy_with_logits(logits.to(torch::kFloat64), numbers_on(device, truth),
                                              {}, {}, at::Reduction::None);  // [rows]
  Tensor loss = (numbers_on(device, weights) * entropies).sum();
  if (gradient != nullptr) {
    loss.backward();
    *gradient = logits.grad();
  }
  result.mean.end_loss += loss.item<double>();
  add_nats(trajectory, 0, entropies.detach().cpu(), result.nats);
}

}  // namespace bough
