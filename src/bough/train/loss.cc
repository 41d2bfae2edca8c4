#include "bough/train/loss.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "bough/model/functions.h"
#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

using torch::Tensor;

/// Logits held at a time; a block of them stays in the last cache.
constexpr int64_t kBlockNumbers = int64_t{1} << 22;

/// What each row's loss counts for in the batch's mean; 0 for a row that doesn't.
std::vector<double> row_weights(const Trajectory& trajectory, bool words_only) {
  auto rows = static_cast<size_t>(trajectory.rows());
  std::vector<double> counted(static_cast<size_t>(trajectory.sentences()), 0.0);
  auto counts = [&](size_t row) { return !words_only || trajectory.action[row] != trajectory.end; };
  for (size_t row = 0; row < rows; ++row) {
    if (counts(row)) counted[static_cast<size_t>(trajectory.sentence[row])] += 1.0;
  }
  std::vector<double> weights(rows, 0.0);
  for (size_t row = 0; row < rows; ++row) {
    double steps = counted[static_cast<size_t>(trajectory.sentence[row])];
    if (counts(row)) weights[row] = 1.0 / (steps * static_cast<double>(trajectory.sentences()));
  }
  return weights;
}

/// The target at the right answers of one row; `logits` are theirs.
void fill_target(std::span<const float> oracle, std::span<const float> logits, double beta,
                 std::vector<double>& target) {
  target.assign(oracle.begin(), oracle.end());
  if (beta >= 1.0) return;
  double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (float logit : logits) total += std::exp(logit - largest);
  for (size_t i = 0; i < target.size(); ++i) {
    target[i] = beta * target[i] + (1.0 - beta) * std::exp(logits[i] - largest) / total;
  }
}

/// Loss of one row of logits. Where `gradient`, the row becomes weight · (softmax − target).
double row_loss(std::span<float> logits, const Trajectory& trajectory, int64_t row, double beta,
                double weight, bool gradient) {
  auto begin = static_cast<size_t>(trajectory.valid_begin[static_cast<size_t>(row)]);
  auto end = static_cast<size_t>(trajectory.valid_begin[static_cast<size_t>(row) + 1]);
  std::span<const WordId> actions(trajectory.valid_action.data() + begin, end - begin);
  std::vector<float> valid;
  for (WordId action : actions) valid.push_back(logits[static_cast<size_t>(action)]);
  std::vector<double> target;
  fill_target({trajectory.valid_weight.data() + begin, end - begin}, valid, beta, target);

  double normaliser;
  if (gradient) {
    ExpSum sum = exponentiate(logits);
    normaliser = sum.max + std::log(sum.sum);
    scale(logits, static_cast<float>(weight / sum.sum));
    for (size_t i = 0; i < actions.size(); ++i) {
      logits[static_cast<size_t>(actions[i])] -= static_cast<float>(weight * target[i]);
    }
  } else {
    normaliser = log_sum_exp(logits);
  }
  double loss = 0.0;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] > 0.0) loss += target[i] * (std::log(target[i]) - (valid[i] - normaliser));
  }
  return loss;
}

/// Mean binary cross-entropy of the <end> head.
double end_loss(const Trajectory& trajectory, const Tensor& end_logits, Tensor* gradient) {
  std::vector<double> weights = row_weights(trajectory, false);
  std::span<float> logits = numbers_of(end_logits);
  double loss = 0.0;
  for (size_t row = 0; row < logits.size(); ++row) {
    double logit = logits[row];
    double truth = trajectory.action[row] == trajectory.end ? 1.0 : 0.0;
    // log(1 + e^x) − truth · x, without overflow
    loss += weights[row] *
            (std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit))) - truth * logit);
    if (gradient != nullptr) {
      double probability = 1.0 / (1.0 + std::exp(-logit));
      numbers_of(*gradient)[row] = static_cast<float>(weights[row] * (probability - truth));
    }
  }
  return loss;
}

}  // namespace

void backward(const PolicyOutput& output, const LossResult& loss) {
  std::vector<Tensor> roots = {output.features};
  std::vector<Tensor> gradients = {loss.d_features};
  if (output.end_logits.defined()) {
    roots.push_back(output.end_logits);
    gradients.push_back(loss.d_end_logits);
  }
  torch::autograd::backward(roots, gradients);
}

LossResult compute_loss(const Trajectory& trajectory, const PolicyOutput& output,
                        const OutputLayer& layer, const LossRequest& request) {
  torch::NoGradGuard no_gradients;
  Tensor features = output.features.detach();
  bool end_head = output.end_logits.defined();
  int64_t vocabulary = layer.weight.size(0);
  int64_t rows = trajectory.rows();
  int64_t block_rows =
      std::clamp<int64_t>(kBlockNumbers / vocabulary, 16, std::max<int64_t>(16, rows));
  std::vector<double> weights = row_weights(trajectory, end_head);

  LossResult result;
  if (request.gradient) result.d_features = torch::empty_like(features);
  std::vector<double> losses(static_cast<size_t>(rows));
  Tensor buffer = torch::empty({std::min(block_rows, rows), vocabulary});
  for (int64_t first = 0; first < rows; first += block_rows) {
    int64_t count = std::min(block_rows, rows - first);
    Tensor logits = buffer.narrow(0, 0, count);  // [count, vocabulary]
    Tensor own_features = features.narrow(0, first, count);
    at::addmm_out(logits, layer.bias, own_features, layer.weight.t());
    at::parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        auto row = static_cast<size_t>(first + i);
        std::span<float> own(logits.data_ptr<float>() + i * vocabulary,
                             static_cast<size_t>(vocabulary));
        losses[row] =
            row_loss(own, trajectory, first + i, request.beta, weights[row], request.gradient);
      }
    });
    if (request.gradient) {
      Tensor d_features = result.d_features.narrow(0, first, count);
      at::mm_out(d_features, logits, layer.weight);
      Tensor d_weight = layer.weight.grad();
      Tensor d_bias = layer.bias.grad();
      d_weight.addmm_(logits.t(), own_features);
      d_bias.add_(logits.sum(0));
    }
  }
  for (size_t row = 0; row < losses.size(); ++row) result.word_loss += weights[row] * losses[row];
  result.loss = result.word_loss;
  if (end_head) {
    Tensor end_logits = output.end_logits.detach().contiguous();
    if (request.gradient) result.d_end_logits = torch::empty_like(end_logits);
    result.loss +=
        end_loss(trajectory, end_logits, request.gradient ? &result.d_end_logits : nullptr);
  }
  return result;
}

}  // namespace bough
