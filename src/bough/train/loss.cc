#include "bough/train/loss.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/model/kernels/rows.h"
#include "bough/model/layers/functions.h"
#include "bough/model/team.h"
#include "bough/train/plain_loss.h"

namespace bough {

namespace {

using torch::Tensor;

/// What each row's word loss counts for in the batch's mean; 0 for a row that doesn't.
std::vector<double> word_weights(const Trajectory& trajectory, bool end_head,
                                 std::span<const double> sentences) {
  auto rows = static_cast<size_t>(trajectory.rows());
  std::vector<double> counted(static_cast<size_t>(trajectory.sentences()), 0.0);
  auto counts = [&](size_t row) { return !end_head || trajectory.due[row] > 0; };
  for (size_t row = 0; row < rows; ++row) {
    if (counts(row)) counted[static_cast<size_t>(trajectory.sentence[row])] += 1.0;
  }
  std::vector<double> weights(rows, 0.0);
  for (size_t row = 0; row < rows; ++row) {
    auto sentence = static_cast<size_t>(trajectory.sentence[row]);
    double all = counted[sentence] * static_cast<double>(trajectory.sentences());
    if (counts(row)) weights[row] = (sentences.empty() ? 1.0 : sentences[sentence]) / all;
  }
  return weights;
}

/// The same for the <end> head's loss.
std::vector<double> end_weights(const Trajectory& trajectory, double power,
                                std::span<const double> sentences) {
  std::vector<double> weights = word_weights(trajectory, false, sentences);
  if (power == 0.0) return weights;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (trajectory.due[row] > 1) weights[row] *= std::pow(trajectory.due[row], power);
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

struct RowLoss {
  double loss = 0.0;
  double divergence = 0.0;  // the same without label smoothing
  double sides = 0.0;       // the part of `loss` that the words' sides are
};

/// What a sides head says about all right answers, and what the loss says back; empty without one.
struct SideNumbers {
  std::span<const float> logprobs;
  std::span<float> gradients;  // empty where none are asked for
};

/// Loss of one row of logits without their bias. With gradients the row becomes
/// weight · (softmax − target) and is added to `d_bias`, else that is empty.
RowLoss row_loss(std::span<float> logits, std::span<const float> bias, const Trajectory& trajectory,
                 int64_t row, const SideNumbers& sides, const LossRequest& request, double weight,
                 std::span<float> d_bias) {
  auto begin = static_cast<size_t>(trajectory.valid_begin[static_cast<size_t>(row)]);
  auto end = static_cast<size_t>(trajectory.valid_begin[static_cast<size_t>(row) + 1]);
  std::span<const WordId> actions(trajectory.valid_action.data() + begin, end - begin);
  float max = add_bias(logits, bias);
  std::vector<float> valid;  // logits of words, and with their sides
  for (WordId action : actions) valid.push_back(logits[static_cast<size_t>(action)]);
  for (size_t i = 0; i < valid.size() && !sides.logprobs.empty(); ++i) {
    valid[i] += sides.logprobs[begin + i];
  }
  std::vector<double> target;
  fill_target({trajectory.valid_weight.data() + begin, end - begin}, valid, request.beta, target);

  double even = 1.0 / static_cast<double>(logits.size());
  double mean_logit = 0.0;
  if (request.smoothing > 0.0) {
    mean_logit = std::accumulate(logits.begin(), logits.end(), 0.0) * even;
  }
  float sum = exponentiate(logits, max);
  if (!d_bias.empty()) {
    scale_and_add(logits, static_cast<float>(weight / sum), d_bias);
    if (request.smoothing > 0.0) {
      auto share = static_cast<float>(weight * request.smoothing * even);
      for (float& gradient : logits) gradient -= share;
      for (float& gradient : d_bias) gradient -= share;
    }
    for (size_t i = 0; i < actions.size(); ++i) {
      auto right = static_cast<float>(weight * (1.0 - request.smoothing) * target[i]);
      logits[static_cast<size_t>(actions[i])] -= right;
      d_bias[static_cast<size_t>(actions[i])] -= right;
    }
  }
  double normaliser = max + std::log(sum);
  double kept = 1.0 - request.smoothing;
  RowLoss result;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] <= 0.0) continue;
    result.divergence += target[i] * (std::log(target[i]) - (valid[i] - normaliser));
    if (sides.logprobs.empty()) continue;
    result.sides -= kept * target[i] * static_cast<double>(sides.logprobs[begin + i]);
    if (sides.gradients.empty()) continue;
    sides.gradients[begin + i] = static_cast<float>(-weight * kept * target[i]);
  }
  result.loss = kept * result.divergence;
  if (request.smoothing > 0.0) {
    result.loss += request.smoothing * (std::log(even) - (mean_logit - normaliser));
  }
  return result;
}

/// The rows that count.
std::vector<int64_t> counted_rows(std::span<const double> weights) {
  std::vector<int64_t> rows;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] > 0.0) rows.push_back(static_cast<int64_t>(row));
  }
  return rows;
}

/// The KL part, with its gradients. The vocabulary is multiplied with the rows that count only:
/// with an <end> head these are fewer than half.
LossResult word_loss(const Trajectory& trajectory, const PolicyOutput& said,
                     const OutputLayer& layer, const LossRequest& request,
                     std::span<const double> weights) {
  const Tensor& all_features = said.features;
  std::vector<int64_t> counted = counted_rows(weights);
  auto rows = static_cast<int64_t>(counted.size());
  bool all = rows == all_features.size(0);
  Tensor index = torch::tensor(counted, torch::kInt64);
  Tensor features = all ? all_features : all_features.index_select(0, index);
  int64_t vocabulary = layer.weight.size(0);
  int64_t block_rows = rows_of_block(request, vocabulary, rows);
  LossResult result;
  result.nats.resize(static_cast<size_t>(trajectory.sentences()));
  SideNumbers sides;
  if (said.side_logprobs.defined()) {
    sides.logprobs = numbers_of(said.side_logprobs);
    if (request.gradient) {
      result.d_side_logprobs = torch::zeros_like(said.side_logprobs);
      sides.gradients = change_numbers(result.d_side_logprobs);
    }
  }
  Tensor d_features = request.gradient ? torch::empty_like(features) : Tensor();
  Tensor d_weight = request.gradient ? gradient_of(layer.weight) : Tensor();
  std::vector<RowLoss> losses(counted.size());
  Tensor buffer = torch::empty({std::min(block_rows, rows), vocabulary});
  auto width = static_cast<size_t>(vocabulary);
  // Each thread sums the bias's gradient over its own rows.
  std::vector<AlignedVector<float>> d_bias(static_cast<size_t>(omp_get_max_threads()));
  for (int64_t first = 0; first < rows; first += block_rows) {
    int64_t count = std::min(block_rows, rows - first);
    Tensor logits = buffer.narrow(0, 0, count);  // [count, vocabulary]
    Tensor own_features = features.narrow(0, first, count);
    multiply_into(logits, own_features, layer.weight.t());
    auto bias_of_thread = [&]() -> AlignedVector<float>& {
      AlignedVector<float>& own_bias = d_bias[static_cast<size_t>(omp_get_thread_num())];
      if (request.gradient) own_bias.resize(width);
      return own_bias;
    };
    team_for(
        count, true, Share::kEven, bias_of_thread, [&](int64_t i, AlignedVector<float>& own_bias) {
          auto own = static_cast<size_t>(first + i);
          losses[own] = row_loss({logits.data_ptr<float>() + i * vocabulary, width},
                                 numbers_of(layer.bias), trajectory, counted[own], sides, request,
                                 weights[static_cast<size_t>(counted[own])], own_bias);
        });
    if (request.gradient) {
      multiply_into(d_features.narrow(0, first, count), logits, layer.weight);
      multiply_into(d_weight, logits.t(), own_features, 1.0F);
    }
  }
  if (request.gradient) {
    std::span<float> total = change_numbers(gradient_of(layer.bias));
    for (const AlignedVector<float>& part : d_bias) {
      for (size_t i = 0; i < part.size(); ++i) total[i] += part[i];
    }
    result.d_features =
        all ? d_features : torch::zeros_like(all_features).index_copy_(0, index, d_features);
  }
  for (size_t i = 0; i < losses.size(); ++i) {
    double weight = weights[static_cast<size_t>(counted[i])];
    result.mean.word_loss += weight * (losses[i].loss - losses[i].sides);
    result.mean.end_loss += weight * losses[i].sides;
    result.nats[static_cast<size_t>(trajectory.sentence[static_cast<size_t>(counted[i])])] +=
        losses[i].divergence;
  }
  return result;
}

/// Adds the <end> head's binary cross-entropy to the result; fills its gradient where that isn't
/// null.
void add_end_loss(const Trajectory& trajectory, const Tensor& end_logits,
                  std::span<const double> weights, LossResult& result, Tensor* gradient) {
  std::span<const float> logits = numbers_of(end_logits);
  if (gradient != nullptr) *gradient = torch::empty_like(end_logits);
  for (size_t row = 0; row < logits.size(); ++row) {
    double logit = logits[row];
    double truth = trajectory.due[row] == 0 ? 1.0 : 0.0;
    // log(1 + e^x) − truth · x, without overflow
    double entropy = std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit))) - truth * logit;
    result.mean.end_loss += weights[row] * entropy;
    result.nats[static_cast<size_t>(trajectory.sentence[row])] += entropy;
    if (gradient != nullptr) {
      double probability = 1.0 / (1.0 + std::exp(-logit));
      change_numbers(*gradient)[row] = static_cast<float>(weights[row] * (probability - truth));
    }
  }
}

}  // namespace

void backward(const PolicyOutput& output, const LossResult& loss) {
  std::vector<Tensor> roots = {output.features};
  std::vector<Tensor> gradients = {loss.d_features};
  if (output.end_logits.defined()) {
    roots.push_back(output.end_logits);
    gradients.push_back(loss.d_end_logits);
  }
  if (output.side_logprobs.defined()) {
    roots.push_back(output.side_logprobs);
    gradients.push_back(loss.d_side_logprobs);
  }
  torch::autograd::backward(roots, gradients);
}

int64_t rows_of_block(const LossRequest& request, int64_t vocabulary, int64_t rows) {
  return std::clamp<int64_t>(request.block_numbers / vocabulary, 16, std::max<int64_t>(16, rows));
}

LossResult compute_loss(const Trajectory& trajectory, const PolicyOutput& output,
                        const OutputLayer& layer, const LossRequest& request) {
  torch::NoGradGuard no_gradients;
  bool kernels = uses_kernels(output.features);
  bool end_head = output.end_logits.defined();
  PolicyOutput said;  // without the graph behind it
  said.features = output.features.detach();
  if (output.side_logprobs.defined()) said.side_logprobs = output.side_logprobs.detach();
  std::vector<double> weights = word_weights(trajectory, end_head, request.sentence_weights);
  LossResult result = kernels ? word_loss(trajectory, said, layer, request, weights)
                              : plain_word_loss(trajectory, said, layer, request, weights);
  if (end_head) {
    Tensor end_logits = output.end_logits.detach().contiguous();
    Tensor* gradient = request.gradient ? &result.d_end_logits : nullptr;
    weights = end_weights(trajectory, request.end_weight, request.sentence_weights);
    auto add = kernels ? add_end_loss : add_plain_end_loss;
    add(trajectory, end_logits, weights, result, gradient);
  }
  for (double nats : result.nats) {
    result.mean.nats += nats / static_cast<double>(trajectory.sentences());
  }
  result.mean.loss = result.mean.word_loss + result.mean.end_loss;
  return result;
}

}  // namespace bough
