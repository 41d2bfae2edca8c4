// The LSTM policy: its two faces agree, with each other and with LibTorch's LSTM.
#include <gtest/gtest.h>

#include "bough/model/functions.h"
#include "bough/model/lstm_policy.h"
#include "bough/model/self_test.h"
#include "stepper_logits.h"
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
std::pair<Tensor, Tensor> plain_encode(const BilstmEncoder& encoder, Source source) {
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
Tensor plain_features(const LstmPolicy& policy, std::span<const StepInput> inputs, Source source) {
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
    features.push_back(
        torch::relu(torch::linear(state, policy.projection().weight, policy.projection().bias)));
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
    Tensor features = policy.forward(trajectory, {}).features;
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

TEST(LstmPolicy, StepByStepEqualsAllAtOnce) {
  for (bool end_head : {false, true}) {
    OutputKind kind = end_head ? OutputKind::kUntied : OutputKind::kTied;
    for (const PolicyOptions& options : all_inputs(small_options(end_head, kind))) {
      LstmPolicy policy(request_for(options));
      Dataset data = random_dataset(6, 4);
      auto oracle = make_oracle({});
      Trajectory trajectory = random_trajectory(data, *oracle, 5);
      PolicyOutput whole = policy.forward(trajectory, {});
      Tensor logits =
          torch::addmm(policy.output().bias, whole.features, policy.output().weight.t());
      std::unique_ptr<Stepper> stepper = policy.stepper();
      stepper->start(trajectory.given);
      for (size_t step = 0; step < trajectory.rows_at.size(); ++step) {
        int64_t count = trajectory.rows_at[step];
        int64_t offset = trajectory.offset_at[step];
        if (count < stepper->rows()) {
          std::vector<int64_t> kept(static_cast<size_t>(count));
          for (int64_t i = 0; i < count; ++i) kept[static_cast<size_t>(i)] = i;
          stepper->keep(kept);
        }
        if (step > 0) {
          stepper->advance(
              {&trajectory.input[static_cast<size_t>(offset)], static_cast<size_t>(count)});
        }
        Tensor scores = torch::empty({count, kSmallVocabulary});
        stepper->all_scores(change_numbers(scores));
        EXPECT_TRUE(torch::allclose(scores, logits.narrow(0, offset, count), 1e-4, 1e-4));
        std::vector<WordId> some = {kEnd, 7, 30};
        std::vector<float> few(some.size());
        stepper->scores(0, some, few);
        for (size_t i = 0; i < some.size(); ++i) {
          EXPECT_NEAR(few[i], scores[0][some[i]].item<float>(), 1e-4);
        }
        EXPECT_EQ(stepper->end_logits().size(), end_head ? static_cast<size_t>(count) : 0U);
        for (size_t i = 0; i < stepper->end_logits().size(); ++i) {
          EXPECT_NEAR(stepper->end_logits()[i],
                      whole.end_logits[offset + static_cast<int64_t>(i)].item<float>(), 1e-4);
        }
      }
    }
  }
}

TEST(LstmPolicy, ARowIsTheSameInAnyCompany) {
  for (EncoderKind encoder : {EncoderKind::kNone, EncoderKind::kBag, EncoderKind::kBilstm}) {
    PolicyOptions options = small_options();
    options.encoder = encoder;
    LstmPolicy policy(request_for(options));
    Dataset data = random_dataset(9, 8);
    std::vector<Source> sources;
    for (int64_t i = 0; i < data.size(); ++i) sources.push_back(data.sentence(i));
    std::unique_ptr<Stepper> together = policy.stepper();
    std::unique_ptr<Stepper> alone = policy.stepper();
    together->start(sources);
    alone->start({&sources[4], 1});
    std::vector<WordId> actions = {9, 8, 7, 6, 5, 9, 9, 8, 7};
    std::vector<float> many(9 * kSmallVocabulary);
    std::vector<float> one(kSmallVocabulary);
    for (int step = 0; step < 5; ++step) {
      together->advance(inputs_of(actions));
      alone->advance(inputs_of({&actions[4], 1}));
      together->all_scores(many);
      alone->all_scores(one);
      // To the last bit; only the plain stepper leaves the order of sums to the BLAS.
      float tolerance = uses_kernels(policy.embedding()) ? 0.0F : 1e-5F;
      for (size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(one[i], many[4 * kSmallVocabulary + i], tolerance);
      }
    }
  }
}

/// Rows leave from the middle, others begin behind: each goes on as if it were alone.
void expect_rows_come_and_go(EncoderKind encoder) {
  PolicyOptions options = small_options(true);
  options.encoder = encoder;
  LstmPolicy policy(request_for(options));
  Dataset data = random_dataset(5, 8);
  std::vector<Source> sources;
  for (int64_t i = 0; i < data.size(); ++i) sources.push_back(data.sentence(i));
  auto expect_alone = [&](const Stepper& stepper, int64_t row, size_t source,
                          const std::vector<WordId>& actions) {
    std::unique_ptr<Stepper> alone = policy.stepper();
    alone->start({&sources[source], 1});
    for (const WordId& action : actions) alone->advance(inputs_of({&action, 1}));
    std::vector<float> expected = logits_of(*alone, 0);
    std::vector<float> logits = logits_of(stepper, row);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(logits[i], expected[i], 1e-5);
  };
  std::unique_ptr<Stepper> stepper = policy.stepper();
  stepper->start({sources.data(), 4});
  std::vector<WordId> first = {5, 6, 7, 8};
  stepper->advance(inputs_of(first));
  std::vector<int64_t> kept = {1, 3};
  stepper->keep(kept);
  ASSERT_EQ(stepper->rows(), 2);
  ASSERT_EQ(stepper->end_logits().size(), 2U);
  expect_alone(*stepper, 0, 1, {6});
  expect_alone(*stepper, 1, 3, {8});
  std::vector<WordId> second = {9, 10};
  stepper->advance(inputs_of(second), {&sources[4], 1});
  ASSERT_EQ(stepper->rows(), 3);
  expect_alone(*stepper, 0, 1, {6, 9});
  expect_alone(*stepper, 1, 3, {8, 10});
  expect_alone(*stepper, 2, 4, {});
  std::vector<int64_t> doubled = {2, 0, 0};  // as a beam does
  stepper->keep(doubled);
  expect_alone(*stepper, 0, 4, {});
  expect_alone(*stepper, 1, 1, {6, 9});
  std::vector<WordId> third = {5, 7, 11};
  stepper->advance(inputs_of(third));
  expect_alone(*stepper, 0, 4, {5});
  expect_alone(*stepper, 1, 1, {6, 9, 7});
  expect_alone(*stepper, 2, 1, {6, 9, 11});
}

TEST(LstmPolicy, RowsComeAndGo) {
  for (EncoderKind encoder : {EncoderKind::kNone, EncoderKind::kBag, EncoderKind::kBilstm}) {
    expect_rows_come_and_go(encoder);
  }
}

TEST(LstmPolicy, DropoutChangesTrainingOnly) {
  PolicyOptions options = small_options();
  LstmPolicy policy(request_for(options));
  Dataset data = random_dataset(4, 4);
  auto oracle = make_oracle({});
  Trajectory trajectory = random_trajectory(data, *oracle, 5);
  Tensor plain = policy.forward(trajectory, {}).features;
  Tensor first = policy.forward(trajectory, {.keep = 0.5, .key = 1}).features;
  Tensor again = policy.forward(trajectory, {.keep = 0.5, .key = 1}).features;
  Tensor other = policy.forward(trajectory, {.keep = 0.5, .key = 2}).features;
  EXPECT_TRUE(torch::equal(first, again));
  EXPECT_FALSE(torch::equal(first, other));
  EXPECT_FALSE(torch::equal(first, plain));
}

TEST(LstmPolicy, ASeedNamesItsWeights) {
  LstmPolicy first(request_for(small_options()));
  LstmPolicy again(request_for(small_options()));
  LstmPolicy other(request_for(small_options(), 1.0, 4));
  EXPECT_TRUE(torch::equal(first.embedding(), again.embedding()));
  EXPECT_FALSE(torch::equal(first.embedding(), other.embedding()));
}

}  // namespace
}  // namespace bough
