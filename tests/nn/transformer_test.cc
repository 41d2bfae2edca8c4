// The Transformer policy: its two faces agree, its gradients are right, and it learns.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/model/functions.h"
#include "bough/model/transformer_policy.h"
#include "bough/train/update.h"
#include "stepper_logits.h"
#include "test_models.h"

namespace bough {
namespace {

using torch::Tensor;

constexpr int64_t kSourceVocabulary = 60;

PolicyRequest small_request() {
  PolicyRequest request;
  request.options = small_options();
  request.options.hidden_size = 18;  // no multiple of any register's width
  request.options.transformer.heads = 3;
  request.options.transformer.feed_forward = 29;
  request.options.transformer.tree_depth = 3;
  request.vocabulary = kSmallVocabulary;
  request.seed = 3;
  return request;
}

/// All kinds of source: none, words of another vocabulary, words of the same, a bag.
std::vector<PolicyRequest> all_sources(const PolicyRequest& base) {
  std::vector<PolicyRequest> all(4, base);
  all[1].source = SourceVocabulary{.size = kSourceVocabulary};
  all[2].source = SourceVocabulary{.size = kSmallVocabulary, .shared = true};
  all[3].options.encoder = EncoderKind::kBag;
  return all;
}

std::vector<PolicyRequest> all_requests() {
  std::vector<PolicyRequest> all;
  for (int choice = 0; choice < 32; ++choice) {
    PolicyRequest base = small_request();
    bool tied = (choice & 1) != 0;
    base.options.output = tied ? OutputKind::kTied : OutputKind::kUntied;
    if (tied) base.options.embedding_size = base.options.hidden_size;
    base.options.end_head = (choice & 2) != 0;
    base.options.slot_context = (choice & 4) != 0 ? SlotContext::kBoth : SlotContext::kNone;
    base.options.transformer.tree_encoding = (choice & 8) != 0;
    base.options.transformer.norm = (choice & 16) != 0 ? NormPlace::kPost : NormPlace::kPre;
    for (PolicyRequest& request : all_sources(base)) all.push_back(request);
  }
  return all;
}

/// One that is told everything and reads a source.
PolicyRequest rich_request() {
  PolicyRequest request = small_request();
  request.options.end_head = true;
  request.options.slot_context = SlotContext::kBoth;
  request.options.transformer.tree_encoding = true;
  request.source = SourceVocabulary{.size = kSourceVocabulary};
  return request;
}

std::string describe(const PolicyRequest& request) {
  PolicyRequest copy = request;
  return values_of(copy.options).dump() +
         (request.source ? (request.source->shared ? " shared source" : " source") : "");
}

Trajectory small_trajectory(int64_t sentences) {
  static std::vector<std::unique_ptr<Dataset>> kept;  // trajectories view their sources
  kept.push_back(std::make_unique<Dataset>(random_dataset(sentences, 4)));
  auto oracle = make_oracle({});
  return random_trajectory(*kept.back(), *oracle, 5);
}

std::vector<int64_t> first_rows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Walks along a trajectory and gives the largest difference between the two faces' logits.
double largest_difference(const TransformerPolicy& policy, const Trajectory& trajectory) {
  torch::NoGradGuard no_gradients;
  PolicyOutput whole = policy.forward(trajectory, {});
  Tensor logits = torch::addmm(policy.output().bias, whole.features, policy.output().weight.t());
  std::unique_ptr<Stepper> stepper = policy.stepper();
  stepper->start(trajectory.given);
  double largest = 0.0;
  auto compare = [&](double a, double b) {
    EXPECT_TRUE(std::isfinite(a));
    largest = std::max(largest, std::abs(a - b));
  };
  for (size_t step = 0; step < trajectory.rows_at.size(); ++step) {
    int64_t count = trajectory.rows_at[step];
    int64_t offset = trajectory.offset_at[step];
    if (count < stepper->rows()) stepper->keep(first_rows(count));
    if (step > 0)
      stepper->advance(
          {&trajectory.input[static_cast<size_t>(offset)], static_cast<size_t>(count)});
    Tensor scores = torch::empty({count, stepper->vocabulary()});
    stepper->all_scores(change_numbers(scores));
    compare((scores - logits.narrow(0, offset, count)).abs().max().item<double>(), 0.0);
    std::vector<WordId> some = {kEnd, 7, 30};
    std::vector<float> few(some.size());
    stepper->scores(count - 1, some, few);
    for (size_t i = 0; i < some.size(); ++i) {
      compare(few[i], logits[offset + count - 1][some[i]].item<double>());
    }
    bool end_head = policy.options().end_head;
    EXPECT_EQ(stepper->end_logits().size(), end_head ? static_cast<size_t>(count) : 0U);
    for (size_t i = 0; i < stepper->end_logits().size(); ++i) {
      compare(stepper->end_logits()[i],
              whole.end_logits[offset + static_cast<int64_t>(i)].item<double>());
    }
  }
  return largest;
}

TEST(Transformer, StepByStepEqualsAllAtOnce) {
  Trajectory trajectory = small_trajectory(5);
  double largest = 0.0;
  for (const PolicyRequest& request : all_requests()) {
    double own = largest_difference(TransformerPolicy(request), trajectory);
    EXPECT_LT(own, 1e-4) << describe(request);
    largest = std::max(largest, own);
  }
  RecordProperty("largest_difference", std::to_string(largest));
}

TEST(Transformer, SourcesMayBeEmptyOrLong) {
  Trajectory trajectory = small_trajectory(3);
  std::vector<WordId> words(200);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<WordId>(5 + i % 40);
  trajectory.given = {Source(), words, Source(words).first(1)};
  for (const PolicyRequest& request : all_sources(rich_request())) {
    EXPECT_LT(largest_difference(TransformerPolicy(request), trajectory), 1e-4);
  }
}

/// Makes half of the rectified units always on and the others always off: no kinks.
void settle_rectifiers(const Policy& policy) {
  for (auto& [name, tensor] : policy.parameters()) {
    if (!name.ends_with("inner.bias")) continue;
    float sign = 6.0F;
    for (float& bias : change_numbers(tensor)) bias = sign = -sign;
  }
}

/// How every parameter's gradient compares with a difference along a random direction.
TEST(Transformer, GradientsAreDifferences) {
  torch::manual_seed(1);
  Trajectory trajectory = small_trajectory(3);
  std::vector<PolicyRequest> requests = all_sources(rich_request());
  requests.push_back(rich_request());
  requests.back().options.transformer.norm = NormPlace::kPost;
  for (const PolicyRequest& request : requests) {
    TransformerPolicy policy(request);
    settle_rectifiers(policy);
    PolicyOutput output = policy.forward(trajectory, {});
    Tensor direction = torch::randn_like(output.features);
    Tensor end_direction = torch::randn_like(output.end_logits);
    auto loss = [&](const PolicyOutput& result) {
      return (result.features * direction).sum(torch::kFloat64) +
             (result.end_logits * end_direction).sum(torch::kFloat64);
    };
    clear_gradients(policy);
    loss(output).backward();
    torch::NoGradGuard no_gradients;
    for (auto& [name, tensor] : policy.parameters()) {
      if (name.starts_with("output.")) continue;  // applied by the policy's user
      Tensor change = torch::randn_like(tensor);
      Tensor along = tensor.grad();  // where there is most to see, and anywhere
      change.div_(change.norm()).add_(along / (along.norm() + 1e-6)).mul_(0.01);
      tensor.add_(change);
      double above = loss(policy.forward(trajectory, {})).item<double>();
      tensor.sub_(2.0 * change);
      double below = loss(policy.forward(trajectory, {})).item<double>();
      tensor.add_(change);
      double expected = (tensor.grad() * change).sum(torch::kFloat64).item<double>();
      double scale = (tensor.grad().norm() * change.norm()).item<double>();
      EXPECT_NEAR((above - below) / 2.0, expected, 0.02 * scale + 3e-4) << name;
    }
  }
}

/// An action that comes later, or in another sentence, changes nothing.
TEST(Transformer, TheFutureIsUnknown) {
  TransformerPolicy policy(rich_request());
  torch::NoGradGuard no_gradients;
  Trajectory trajectory = small_trajectory(4);
  Tensor before = policy.forward(trajectory, {}).features;
  int64_t step = 3;
  int64_t sentence = 1;
  int64_t changed = trajectory.offset_at[static_cast<size_t>(step)] + sentence;
  StepInput& input = trajectory.input[static_cast<size_t>(changed)];
  input.action = input.action == 9 ? 10 : 9;
  input.left = input.action;
  Tensor after = policy.forward(trajectory, {}).features;
  for (int64_t row = 0; row < trajectory.rows(); ++row) {
    bool later = trajectory.sentence[static_cast<size_t>(row)] == sentence && row >= changed;
    EXPECT_EQ(torch::equal(before[row], after[row]), !later) << row;
  }
}

/// A row as a test remembers it.
struct Past {
  std::vector<WordId> source;
  std::vector<StepInput> inputs;
};

StepInput random_input(RandomStream& random) {
  auto word = [&] { return static_cast<WordId>(random.below(kSmallVocabulary)); };
  return {.action = word(),
          .left = word(),
          .right = word(),
          .depth = static_cast<int>(random.below(9)),
          .path = random.below(512)};
}

/// Rows leave, are doubled and begin behind others: each goes on as if it were alone.
TEST(Transformer, ARowIsTheSameInAnyCompany) {
  for (PolicyRequest request : all_sources(rich_request())) {
    for (Precision precision : {Precision::kFloat, Precision::kInt8}) {
      TransformerPolicy policy(request);
      bool kernels = uses_kernels(policy.embedding());
      if (!kernels && precision == Precision::kInt8) continue;
      policy.set_precision(precision);
      RandomStream random(1, Purpose::kTest);
      std::vector<Past> pasts;
      auto begin = [&](size_t count) {
        for (size_t i = 0; i < count; ++i) {
          Past& past = pasts.emplace_back();
          past.source.resize(random.below(6));
          for (WordId& word : past.source) word = static_cast<WordId>(5 + random.below(40));
        }
        std::vector<Source> sources;
        for (size_t i = pasts.size() - count; i < pasts.size(); ++i) {
          sources.push_back(pasts[i].source);
        }
        return sources;
      };
      std::unique_ptr<Stepper> stepper = policy.stepper();
      stepper->start(begin(7));
      for (int step = 0; step < 20; ++step) {
        if (step % 3 == 1) {
          std::vector<int64_t> kept = {3, 0, 3, 5, 3};
          std::vector<Past> old = pasts;
          pasts.clear();
          for (int64_t row : kept) pasts.push_back(old[static_cast<size_t>(row)]);
          stepper->keep(kept);
        }
        std::vector<StepInput> inputs;
        for (Past& past : pasts) {
          inputs.push_back(random_input(random));
          past.inputs.push_back(inputs.back());
        }
        stepper->advance(inputs, begin(step % 3 == 1 ? 2 : 0));
        ASSERT_EQ(stepper->rows(), static_cast<int64_t>(pasts.size()));
      }
      for (size_t row = 0; row < pasts.size(); ++row) {
        std::unique_ptr<Stepper> alone = policy.stepper();
        std::vector<Source> source = {pasts[row].source};
        alone->start(source);
        for (const StepInput& input : pasts[row].inputs) alone->advance({&input, 1});
        std::vector<float> expected = logits_of(*alone, 0);
        std::vector<float> logits = logits_of(*stepper, static_cast<int64_t>(row));
        if (kernels) {
          EXPECT_EQ(logits, expected);  // to the last bit
        } else {
          for (size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], expected[i], 1e-4);
        }
      }
    }
  }
}

TEST(Transformer, DropoutChangesTrainingOnly) {
  TransformerPolicy policy(rich_request());
  Trajectory trajectory = small_trajectory(4);
  Tensor plain = policy.forward(trajectory, {}).features;
  Tensor first = policy.forward(trajectory, {.keep = 0.5, .key = 1}).features;
  Tensor again = policy.forward(trajectory, {.keep = 0.5, .key = 1}).features;
  Tensor other = policy.forward(trajectory, {.keep = 0.5, .key = 2}).features;
  EXPECT_TRUE(torch::equal(first, again));
  EXPECT_FALSE(torch::equal(first, other));
  EXPECT_FALSE(torch::equal(first, plain));
}

TEST(Transformer, ASeedNamesItsWeights) {
  PolicyRequest request = rich_request();
  TransformerPolicy first(request);
  TransformerPolicy again(request);
  request.seed = 4;
  TransformerPolicy other(request);
  NamedTensors weights = first.parameters();
  NamedTensors same = again.parameters();
  NamedTensors different = other.parameters();
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(torch::equal(weights[i].second, same[i].second)) << weights[i].first;
    if (weights[i].first.ends_with(".weight")) {
      EXPECT_FALSE(torch::equal(weights[i].second, different[i].second)) << weights[i].first;
    }
  }
}

TEST(Transformer, ParametersHaveReadableNamesOnce) {
  std::vector<std::string> names;
  for (auto& [name, tensor] : TransformerPolicy(rich_request()).parameters()) names.push_back(name);
  for (const char* name :
       {"embedding", "decoder.0.self.query.weight", "decoder.1.source.output.bias",
        "decoder.0.feed_forward.inner.weight", "decoder.norm.scale", "encoder.embedding",
        "encoder.1.self_norm.shift", "end_head.outer.bias", "tree.ratio", "output.bias"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Transformer, HeadsShareTheWidth) {
  PolicyRequest request = small_request();
  request.options.transformer.heads = 4;
  EXPECT_THROW(TransformerPolicy{request}, UsageError);
}

/// Trains on everything at once and gives the last updates' mean loss.
double train(const PolicyRequest& request, const Dataset& data, const Dataset* sources,
             int updates) {
  TransformerPolicy policy(request);
  OracleOptions oracle;
  oracle.oracle = OracleKind::kLeftRight;
  RollInWalker walker(policy, oracle);
  Adam adam(policy.parameters());
  std::vector<int64_t> batch = first_rows(data.size());
  double loss = 0.0;
  for (int i = 0; i < updates; ++i) {
    UpdateRequest update;
    update.rollin = {.batch = batch, .sources = sources, .pass = static_cast<uint64_t>(i)};
    update.learning_rate = 3e-3;
    double own = update_policy(policy, walker, adam, data, update).loss.loss;
    if (i >= updates - 5) loss += own / 5.0;
  }
  return loss;
}

PolicyRequest learner() {
  PolicyRequest request = small_request();
  request.options.hidden_size = 32;
  request.options.embedding_size = 32;
  request.options.transformer.heads = 2;
  request.options.transformer.feed_forward = 64;
  request.options.transformer.tree_encoding = true;
  return request;
}

/// Which of eight sentences comes is all that can't be known: log 8 nats for each sentence.
TEST(Transformer, LearnsSentencesByHeart) {
  Dataset data;
  double least = 0.0;
  RandomStream random(7, Purpose::kTest);
  for (WordId i = 0; i < 8; ++i) {
    std::vector<WordId> sentence = {kSpecials + i};  // from here on all is certain
    for (int j = 0; j < 5; ++j) sentence.push_back(static_cast<WordId>(20 + random.below(10)));
    data.add(sentence);
    least += std::log(8.0) / (2.0 * static_cast<double>(sentence.size()) + 1.0) / 8.0;
  }
  for (NormPlace place : {NormPlace::kPre, NormPlace::kPost}) {
    PolicyRequest request = learner();
    request.options.transformer.norm = place;
    double excess = train(request, data, nullptr, 200) - least;
    EXPECT_GT(excess, -1e-3);
    EXPECT_LT(excess, 0.01);
  }
}

/// A translation into the same words: nothing is uncertain.
TEST(Transformer, LearnsToCopyItsSource) {
  Dataset data = random_dataset(12, 8);
  PolicyRequest request = learner();
  request.options.end_head = true;
  request.source = SourceVocabulary{.size = kSmallVocabulary, .shared = true};
  EXPECT_LT(train(request, data, &data, 300), 0.02);
}

TEST(Transformer, Int8StaysNearFloat) {
  PolicyRequest request = rich_request();
  request.options.hidden_size = 48;
  TransformerPolicy policy(request);
  if (!uses_kernels(policy.embedding())) GTEST_SKIP() << "needs kernels";
  Trajectory trajectory = small_trajectory(1);
  auto scores = [&] {
    std::unique_ptr<Stepper> stepper = policy.stepper();
    stepper->start(trajectory.given);
    for (size_t row = 1; row < trajectory.input.size(); ++row) {
      stepper->advance({&trajectory.input[row], 1});
    }
    return logits_of(*stepper, 0);
  };
  std::vector<float> exact = scores();
  policy.set_precision(Precision::kInt8);
  std::vector<float> rounded = scores();
  policy.set_precision(Precision::kFloat);
  EXPECT_EQ(scores(), exact);
  EXPECT_NE(rounded, exact);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(rounded[i], exact[i], 0.2);
}

}  // namespace
}  // namespace bough
