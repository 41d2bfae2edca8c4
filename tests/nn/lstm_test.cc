// The LSTM policy is LibTorch's LSTM. What it has in common with other policies is in
// policy_conformance_test.cc.
#include <gtest/gtest.h>

#include "bough/model/lstm/lstm_policy.h"
#include "test_models.h"

namespace bough {
namespace {

using torch::Tensor;

/// What the policy is told at a step, by definition.
Tensor plain_input(const LstmPolicy& policy, const StepInput& input) {
  SlotContext context = policy.options().slot_context;
  std::vector<Tensor> parts = {policy.embedding()[input.action]};
  if (context == SlotContext::kNeighbours || context == SlotContext::kBoth) {
    parts.push_back(policy.embedding()[input.left]);
    parts.push_back(policy.embedding()[input.right]);
  }
  if (context == SlotContext::kPath || context == SlotContext::kBoth) {
    Tensor path = torch::zeros({25});
    for (int i = 0; i < std::min(input.depth, 12); ++i) {
      bool right = (input.path >> i & 1) != 0;
      path[2 * i + (right ? 1 : 0)] = 1.0;
    }
    path[24] = 0.1 * input.depth;
    parts.push_back(path);
  }
  return torch::cat(parts).unsqueeze(0);
}

/// LibTorch's LSTM over rows, one after the other: [rows, hidden].
Tensor plain_reading(const LstmLayer& layer, const Tensor& rows) {
  Tensor zeros = torch::zeros({1, layer.hidden()});
  Tensor memory = zeros;
  Tensor cell = zeros;
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < rows.size(0); ++i) {
    std::tie(memory, cell) =
        torch::lstm_cell(rows.narrow(0, i, 1), {memory, cell}, layer.input_weight,
                         layer.recurrent_weight, layer.bias, torch::zeros_like(layer.bias));
    outputs.push_back(memory);
  }
  return torch::cat(outputs);
}

/// A source's words [words, 2·hidden] and the whole [1, 2·hidden], by definition.
std::pair<Tensor, Tensor> plain_encode(const BilstmEncoder& encoder, SourceIds source) {
  std::vector<int64_t> numbers(source.begin(), source.end());
  numbers.push_back(kBagEnd);
  Tensor words = encoder.embedding.index_select(0, torch::tensor(numbers));
  Tensor whole;
  for (const BilstmLayer& layer : encoder.layers) {
    Tensor left = plain_reading(layer.forwards, words);
    Tensor right = plain_reading(layer.backwards, words.flip(0)).flip(0);
    whole = torch::cat({left.narrow(0, left.size(0) - 1, 1), right.narrow(0, 0, 1)}, 1);
    words = torch::cat({left, right}, 1);
  }
  return {words, whole};
}

/// tanh(C [s; Σ weight · e]) for one state, with W and C put together again.
Tensor plain_attention(const ConcatAttention& attention, const Tensor& state, const Tensor& words) {
  int64_t hidden = attention.hidden();
  Tensor key = attention.source.weight.narrow(0, 0, hidden);
  Tensor value = attention.source.weight.narrow(0, hidden, hidden);
  Tensor query = attention.state.weight.narrow(0, 0, hidden);
  Tensor own = attention.state.weight.narrow(0, hidden, hidden);
  Tensor pairs = torch::cat({words, state.expand({words.size(0), hidden})}, 1);
  Tensor scores =
      torch::tanh(pairs.matmul(torch::cat({key, query}, 1).t())).matmul(attention.score);
  Tensor context = torch::softmax(scores, 0).unsqueeze(0).matmul(words);
  return torch::tanh(torch::cat({state, context}, 1).matmul(torch::cat({own, value}, 1).t()));
}

/// The same network by LibTorch's own operators, a step at a time.
Tensor plain_features(const LstmPolicy& policy, std::span<const StepInput> inputs,
                      SourceIds source) {
  const PolicyOptions& options = policy.options();
  Tensor zeros = torch::zeros({1, options.hidden_size});
  Tensor encoded = zeros;
  if (const BagEncoder* bag = policy.bag_encoder()) {
    Tensor sum = bag->embedding[kBagEnd];
    for (WordId word : source) sum = sum + bag->embedding[word];
    encoded = torch::linear((sum / static_cast<double>(source.size() + 1)).unsqueeze(0),
                            bag->linear.weight, bag->linear.bias);
  }
  Tensor words;
  if (const AttendedSource* attended = policy.source()) {
    Tensor whole;
    std::tie(words, whole) = plain_encode(attended->encoder, source);
    encoded = torch::linear(whole, attended->start.weight, attended->start.bias);
  }
  std::vector<Tensor> memory(policy.layers().size(), zeros);
  std::vector<Tensor> cell(policy.layers().size(), zeros);
  std::vector<Tensor> features;
  for (size_t step = 0; step < inputs.size(); ++step) {
    Tensor state = plain_input(policy, inputs[step]);
    bool added = step == 0 || policy.adds_every_step();
    for (size_t i = 0; i < memory.size(); ++i) {
      const LstmLayer& layer = policy.layers()[i];
      Tensor before = added ? memory[i] + encoded : memory[i];
      std::tie(memory[i], cell[i]) =
          torch::lstm_cell(state, {before, cell[i]}, layer.input_weight, layer.recurrent_weight,
                           layer.bias, torch::zeros_like(layer.bias));
      state = memory[i];
    }
    if (policy.source() != nullptr)
      state = plain_attention(policy.source()->attention, state, words);
    features.push_back(torch::relu(torch::linear(state, named_tensor(policy, "projection.weight"),
                                                 named_tensor(policy, "projection.bias"))));
  }
  return torch::cat(features);
}

/// Every way in which the policy can be told more than the action before.
std::vector<PolicyOptions> all_inputs(const PolicyOptions& base) {
  std::vector<PolicyOptions> all;
  for (const auto& [context, name] : EnumNames<SlotContext>::kNames) {
    all.push_back(base);
    all.back().slot_context = context;
  }
  for (const auto& [state, name] : EnumNames<BagState>::kNames) {
    all.push_back(base);
    all.back().encoder = EncoderKind::kBag;
    all.back().bag_state = state;
    all.back().slot_context = SlotContext::kNeighbours;
  }
  all.push_back(base);
  all.back().encoder = EncoderKind::kBilstm;
  return all;
}

/// Rows of one sentence in a packed trajectory.
std::vector<int64_t> rows_of(const Trajectory& trajectory, int64_t sentence) {
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < trajectory.rows(); ++row) {
    if (trajectory.sentence[static_cast<size_t>(row)] == sentence) rows.push_back(row);
  }
  return rows;
}

TEST(LstmPolicy, ForwardAndGradientsAreLibTorchs) {
  for (const PolicyOptions& options : all_inputs(small_options())) {
    LstmPolicy policy(request_for(options));
    Dataset data = random_dataset(9, 1);
    auto oracle = make_oracle({});
    Trajectory trajectory = random_trajectory(data, *oracle, 2);
    clear_gradients(policy);
    Tensor features = policy.forward(trajectory).features;
    Tensor direction = torch::randn(features.sizes());
    (features * direction).sum().backward();
    std::vector<Tensor> own;
    for (auto& [name, tensor] : policy.parameters()) own.push_back(tensor.grad().clone());

    clear_gradients(policy);
    Tensor total = torch::zeros({});
    for (int64_t s = 0; s < trajectory.sentences(); ++s) {
      std::vector<int64_t> rows = rows_of(trajectory, s);
      std::vector<StepInput> inputs;
      for (int64_t row : rows) inputs.push_back(trajectory.input[static_cast<size_t>(row)]);
      Tensor plain = plain_features(policy, inputs, trajectory.given[static_cast<size_t>(s)]);
      Tensor index = torch::tensor(rows);
      EXPECT_TRUE(torch::allclose(plain, features.index_select(0, index), 1e-5, 1e-5));
      total = total + (plain * direction.index_select(0, index)).sum();
    }
    total.backward();
    size_t i = 0;
    for (auto& [name, tensor] : policy.parameters()) {
      EXPECT_TRUE(torch::allclose(own[i], tensor.grad(), 1e-4, 1e-5)) << name;
      ++i;
    }
  }
}

}  // namespace
}  // namespace bough
