#include "bough/train/plain_loss.h"

#include <cmath>

namespace bough {

namespace {

using torch::Tensor;

/// The right answers of a block of rows, one behind the other.
struct RightAnswers {
  Tensor row;     // [answers] counted in the block
  Tensor action;  // [answers]
  Tensor oracle;  // [answers] the oracle's weights
  Tensor weight;  // [answers] what their rows count for
};

RightAnswers right_answers(const Trajectory& trajectory, int64_t first, int64_t count,
                           std::span<const double> weights, torch::Device device) {
  std::vector<int64_t> rows;
  std::vector<int64_t> actions;
  std::vector<double> oracle;
  std::vector<double> counts;
  for (int64_t row = first; row < first + count; ++row) {
    auto r = static_cast<size_t>(row);
    for (int64_t i = trajectory.valid_begin[r]; i < trajectory.valid_begin[r + 1]; ++i) {
      rows.push_back(row - first);
      actions.push_back(trajectory.valid_action[static_cast<size_t>(i)]);
      oracle.push_back(trajectory.valid_weight[static_cast<size_t>(i)]);
      counts.push_back(weights[r]);
    }
  }
  return {torch::tensor(rows, torch::kInt64).to(device),
          torch::tensor(actions, torch::kInt64).to(device),
          torch::tensor(oracle, torch::kFloat64).to(device),
          torch::tensor(counts, torch::kFloat64).to(device)};
}

/// β · oracle + (1 − β) · policy renormalised over each row's right answers; a constant.
Tensor target_of(const RightAnswers& right, const Tensor& log_policy, int64_t rows, double beta) {
  if (beta >= 1.0) return right.oracle;
  Tensor logs = log_policy.detach().to(torch::kFloat64);
  Tensor largest =
      torch::full({rows}, -INFINITY, logs.options()).scatter_reduce(0, right.row, logs, "amax");
  Tensor shares = (logs - largest.gather(0, right.row)).exp();
  Tensor total = torch::zeros({rows}, logs.options()).scatter_add(0, right.row, shares);
  return beta * right.oracle + (1.0 - beta) * shares / total.gather(0, right.row);
}

}  // namespace

LossResult plain_word_loss(const Trajectory& trajectory, const torch::Tensor& features,
                           const OutputLayer& layer, const LossRequest& request,
                           std::span<const double> weights) {
  torch::AutoGradMode graph(request.gradient);
  int64_t vocabulary = layer.weight.size(0);
  int64_t rows = trajectory.rows();
  int64_t block_rows = rows_of_block(request, vocabulary, rows);
  LossResult result;
  std::vector<Tensor> d_features;
  for (int64_t first = 0; first < rows; first += block_rows) {
    int64_t count = std::min(block_rows, rows - first);
    Tensor own_features = features.narrow(0, first, count).detach();
    own_features.requires_grad_(request.gradient);
    Tensor logits =
        torch::addmm(layer.bias, own_features, layer.weight.t());  // [count, vocabulary]
    RightAnswers right = right_answers(trajectory, first, count, weights, features.device());
    Tensor log_policy = torch::log_softmax(logits, 1).flatten().gather(
        0, right.row * vocabulary + right.action);  // [answers]
    Tensor target = target_of(right, log_policy, count, request.beta);
    Tensor divergence = torch::xlogy(target, target) - target * log_policy;
    Tensor loss = (right.weight * divergence).sum();
    result.word_loss += loss.item<double>();
    if (request.gradient) {
      loss.backward();
      d_features.push_back(own_features.grad());
    }
  }
  if (request.gradient) result.d_features = torch::cat(d_features);
  return result;
}

double plain_end_loss(const Trajectory& trajectory, const torch::Tensor& end_logits,
                      std::span<const double> weights, torch::Tensor* gradient) {
  torch::AutoGradMode graph(gradient != nullptr);
  std::vector<double> truth;
  for (WordId action : trajectory.action) truth.push_back(action == trajectory.end ? 1.0 : 0.0);
  torch::Device device = end_logits.device();
  Tensor weight =
      torch::tensor(std::vector<double>(weights.begin(), weights.end()), torch::kFloat64)
          .to(device);
  Tensor logits = end_logits.detach().requires_grad_(gradient != nullptr);
  Tensor loss = torch::binary_cross_entropy_with_logits(
      logits.to(torch::kFloat64), torch::tensor(truth, torch::kFloat64).to(device), weight, {},
      at::Reduction::Sum);
  if (gradient != nullptr) {
    loss.backward();
    *gradient = logits.grad();
  }
  return loss.item<double>();
}

}  // namespace bough
