// The inner loops one by one at the paper's sizes: 2 × 1024 units, word vectors 300 wide, 20,090
// words. `bough bench` measures the whole; this tells where a change was felt. Items are
// floating-point operations of the products, so that items_per_second compares with a GEMM's rate.
#include <benchmark/benchmark.h>

#include "bough/bench/synthetic.h"
#include "bough/generate/sampler.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/packed_weight.h"
#include "bough/model/lstm/lstm_policy.h"
#include "bough/model/runtime.h"
#include "bough/train/loss.h"
#include "bough/train/rollin.h"

namespace bough {
namespace {

constexpr int64_t kHidden = 1024;
constexpr int64_t kWidth = 300;
constexpr int64_t kVocabulary = 20'090;

void count_flops(benchmark::State& state, double flops) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(flops));
}

/// The paper's policy and a batch of 12-word sentences.
struct Fixture {
  PolicyOptions sizes{};
  LstmPolicy policy{{.options = sizes, .vocabulary = kVocabulary}};
  Dataset data;
  Trajectory trajectory;

  explicit Fixture(int64_t batch_size)
      : data(SyntheticCorpus{.sentences = batch_size, .length = 12}.make()) {
    OracleOptions oracle;
    std::vector<int64_t> batch;
    for (int64_t i = 0; i < batch_size; ++i) batch.push_back(i);
    trajectory = RollInWalker(policy, oracle).walk(data, {.batch = batch}).trajectory;
  }
};

void row_product(benchmark::State& state, Precision precision) {
  int64_t rows = state.range(0);
  int64_t depth = state.range(1);
  int64_t columns = state.range(2);
  PackedWeight weight(torch::randn({columns, depth}));
  torch::Tensor x = torch::randn({rows, depth});
  torch::Tensor y = torch::zeros({rows, columns});
  const RowProduct& product = weight.get(precision);
  for (auto _ : state) product.add_product(x.data_ptr<float>(), rows, y.data_ptr<float>());
  count_flops(state, 2.0 * static_cast<double>(rows * depth * columns));
}
void int8_product(benchmark::State& state) {
  row_product(state, Precision::kInt8);
}
BENCHMARK(int8_product)
    ->Args({1, kHidden, 4 * kHidden})
    ->Args({64, kHidden, 4 * kHidden})
    ->Args({1, kWidth, kVocabulary})
    ->Args({64, kWidth, kVocabulary})
    ->UseRealTime();

void packed_product(benchmark::State& state) {
  row_product(state, Precision::kFloat);
}
BENCHMARK(packed_product)
    ->Args({1, kHidden, 4 * kHidden})
    ->Args({1, kWidth, kVocabulary})
    ->Args({64, kHidden, 4 * kHidden})
    ->Args({32, kHidden, 4 * kHidden})
    ->Args({128, kHidden, 4 * kHidden})
    ->Args({32, 4 * kHidden, kHidden})
    ->Args({64, kWidth, kVocabulary})
    ->UseRealTime();

void rollin_step(benchmark::State& state) {
  int64_t rows = state.range(0);
  Fixture fixture(1);
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = fixture.policy.stepper();
  std::vector<StepInput> inputs(static_cast<size_t>(rows), StepInput{.action = 100});
  std::vector<WordId> valid = {200, 300, 400, 500, 600, 700};
  std::vector<float> logits(valid.size());
  stepper->start(std::vector<SourceIds>(static_cast<size_t>(rows)));
  for (auto _ : state) {
    stepper->advance(inputs);
    for (int64_t row = 0; row < rows; ++row) stepper->scores(row, valid, logits);
  }
  double network = 8.0 * kHidden * (kWidth + 3 * kHidden) + 2.0 * kHidden * kWidth;
  count_flops(state, static_cast<double>(rows) * network);
}
BENCHMARK(rollin_step)->Arg(1)->Arg(32)->Arg(128)->UseRealTime();

void lstm_forward_and_backward(benchmark::State& state) {
  Fixture fixture(state.range(0));
  for (auto _ : state) {
    PolicyOutput output = fixture.policy.forward(fixture.trajectory);
    if (state.range(1) != 0) output.features.sum().backward();
  }
  double network = 8.0 * kHidden * (kWidth + 3 * kHidden) + 2.0 * kHidden * kWidth;
  count_flops(state, static_cast<double>(fixture.trajectory.rows()) * network *
                         (state.range(1) != 0 ? 3.0 : 1.0));
}
BENCHMARK(lstm_forward_and_backward)
    ->ArgNames({"batch", "backward"})
    ->ArgsProduct({{32, 128}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void softmax_loss(benchmark::State& state) {
  Fixture fixture(state.range(0));
  PolicyOutput output;
  {
    torch::NoGradGuard no_gradients;
    output = fixture.policy.forward(fixture.trajectory);
  }
  bool gradient = state.range(1) != 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(compute_loss(fixture.trajectory, output, fixture.policy.output(),
                                          {.beta = 0.5, .gradient = gradient}));
  }
  count_flops(state, static_cast<double>(fixture.trajectory.rows()) * 2.0 * kWidth * kVocabulary *
                         (gradient ? 3.0 : 1.0));
}
BENCHMARK(softmax_loss)
    ->ArgNames({"batch", "gradient"})
    ->ArgsProduct({{32, 128}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// One choice from all words' scores, by full sampling (k = 0) or among the k best.
void sample_word(benchmark::State& state) {
  SamplerOptions options;
  options.top_k = state.range(0);
  Sampler sampler(options);
  torch::Tensor logits = torch::randn({kVocabulary});
  RandomStream random(1, Purpose::kBench);
  std::vector<float> row(kVocabulary);
  for (auto _ : state) {
    std::copy_n(logits.data_ptr<float>(), kVocabulary, row.begin());
    ActionDistribution slot(row, nullptr);
    benchmark::DoNotOptimize(sampler.choose(slot, {}, random));
  }
}
BENCHMARK(sample_word)->ArgName("k")->Arg(0)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace bough

int main(int argc, char** argv) {
  bough::set_up_runtime(0);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
