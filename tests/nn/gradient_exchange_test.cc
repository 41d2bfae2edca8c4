// When the sums of gradients begin, and that they are of whole gradients.
#include "bough/train/gradient_exchange.h"

#include <gtest/gtest.h>

#include <numeric>

#include "bough/model/layers/functions.h"
#include "bough/train/adam.h"
#include "bough/train/rollin.h"
#include "bough/train/update.h"
#include "test_models.h"

namespace bough {
namespace {

/// One process, whose sums take what is there when they begin, and put it back when they are
/// finished: what is added in between is lost.
class SlowRanks : public Ranks {
 public:
  void begin_sum(const torch::Tensor& tensor) override {
    sums_.emplace_back(tensor, tensor.clone());
  }
  void finish() override {
    for (auto& [place, sum] : std::exchange(sums_, {})) place.copy_(sum);
  }

 private:
  std::vector<std::pair<torch::Tensor, torch::Tensor>> sums_;
};

struct Kind {
  std::string name;
  PolicyOptions options;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all = {{"lstm", small_options()},
                           {"lstm, end head", small_options(true)},
                           {"lstm, bag", small_options()},
                           {"transformer, end head", small_options(true)}};
  all[2].options.encoder = EncoderKind::kBag;
  PolicyOptions& transformer = all[3].options;
  transformer.policy = PolicyKind::kTransformer;
  transformer.encoder = EncoderKind::kTransformer;
  transformer.hidden_size = 18;
  transformer.transformer.heads = 3;
  transformer.transformer.feed_forward = 29;
  return all;
}

/// The weights after some updates, and the share of gradients that were sent early in the last one.
std::pair<std::vector<torch::Tensor>, double> train(const PolicyOptions& options, bool alone) {
  PolicyRequest request = request_for(options);
  if (options.encoder == EncoderKind::kTransformer) request.source = {kSmallVocabulary, true};
  std::unique_ptr<Policy> policy = make_policy(request);
  Dataset data = random_dataset(12, 5);
  RollInWalker walker(*policy, {});
  Adam adam(policy->parameters());
  SlowRanks ranks;
  GradientExchange exchange(policy->parameters(), ranks, GradientNumbers::kFloat, 200);
  std::vector<int64_t> batch(12);
  std::iota(batch.begin(), batch.end(), 0);
  for (uint64_t i = 0; i < 4; ++i) {
    UpdateRequest update;
    update.rollin = {.batch = batch, .pass = i};
    if (options.encoder != EncoderKind::kNone) update.rollin.sources = &data;
    update_policy(*policy, walker, adam, data, update, alone ? nullptr : &exchange);
  }
  std::vector<torch::Tensor> weights;
  for (auto& [name, tensor] : policy->parameters()) weights.push_back(tensor.detach().clone());
  return {weights, exchange.early_share()};
}

TEST(GradientExchange, BeginsEarlyAndMissesNothing) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    auto [alone, none] = train(kind.options, true);
    auto [together, early] = train(kind.options, false);
    EXPECT_EQ(none, 0.0);
    // Without kernels LibTorch adds to all gradients by itself, and says nothing.
    EXPECT_GT(early, uses_kernels(alone.front()) ? 0.3 : -1.0);
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_TRUE(torch::allclose(alone[i], together[i], 1e-5, 1e-6)) << i;
    }
  }
}

}  // namespace
}  // namespace bough
