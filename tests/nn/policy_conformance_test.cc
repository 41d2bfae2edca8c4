// What every policy promises, whatever it is made of: kinds of policy × what they are written from
// × heads (words alone, <end>, words' sides) × what they are told about a slot. A new policy needs
// a line in `all_policies`.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/model/kernels/rows.h"
#include "bough/model/layers/functions.h"
#include "bough/model/replaying_stepper.h"
#include "test_models.h"

namespace bough {
namespace {

using torch::Tensor;

constexpr int64_t kSourceVocabulary = 60;

struct Case {
  std::string name;
  PolicyRequest request;

  std::unique_ptr<Policy> policy() const { return make_policy(request); }
};

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.name;
}

PolicyRequest base_request(PolicyKind kind) {
  PolicyOptions options = small_options();
  options.policy = kind;
  if (kind == PolicyKind::kTransformer) {
    options.hidden_size = 18;  // no multiple of any register's width
    options.transformer.heads = 3;
    options.transformer.feed_forward = 29;
    options.transformer.tree_depth = 3;
  }
  return {.options = options, .vocabulary = kSmallVocabulary, .seed = 3};
}

/// All that a policy can be written from: nothing, words of another vocabulary or of the same,
/// bags.
std::vector<Case> all_sources(const Case& base) {
  std::vector<Case> all(base.request.options.policy == PolicyKind::kLstm ? 5 : 4, base);
  bool lstm = base.request.options.policy == PolicyKind::kLstm;
  for (size_t i : {size_t{1}, size_t{2}}) {
    all[i].request.options.encoder = lstm ? EncoderKind::kBilstm : EncoderKind::kTransformer;
    bool shared = i == 2;
    all[i].request.source = SourceVocabulary{shared ? kSmallVocabulary : kSourceVocabulary, shared};
    all[i].name += shared ? "_shared" : "_source";
  }
  for (size_t i = 3; i < all.size(); ++i) {
    all[i].request.options.encoder = EncoderKind::kBag;
    all[i].request.options.bag_state = i == 3 ? BagState::kEveryStep : BagState::kStart;
    all[i].name += i == 3 ? "_bag" : "_bag_first";
  }
  return all;
}

/// Every combination.
std::vector<Case> all_policies() {
  std::vector<Case> all;
  for (const auto& [kind, kind_name] : EnumNames<PolicyKind>::kNames) {
    for (std::string_view head : {"plain", "head", "sides"}) {
      for (const auto& [context, context_name] : EnumNames<SlotContext>::kNames) {
        Case base{fmt::format("{}_{}_{}", kind_name, head, context_name), base_request(kind)};
        PolicyOptions& options = base.request.options;
        options.end_head = head == "head";
        options.shape = head == "sides" ? Shape::kArity : Shape::kEnd;
        options.slot_context = context;
        // What the networks have beside that changes along.
        options.output = head == "plain" ? OutputKind::kUntied : OutputKind::kTied;
        options.transformer.tree_encoding = context != SlotContext::kNone;
        options.transformer.norm =
            context == SlotContext::kPath ? NormPlace::kPost : NormPlace::kPre;
        if (context == SlotContext::kBoth) options.embedding_size = options.hidden_size;
        for (Case& one : all_sources(base)) all.push_back(std::move(one));
      }
    }
  }
  return all;
}

/// Those that are told everything, with a head: one for each kind and source.
std::vector<Case> rich_policies() {
  std::vector<Case> all = all_policies();
  std::erase_if(all, [](const Case& one) {
    const PolicyOptions& options = one.request.options;
    bool head = options.end_head || options.shape == Shape::kArity;
    return !head || options.slot_context != SlotContext::kBoth;
  });
  return all;
}

class EveryPolicy : public testing::TestWithParam<Case> {};
class RichPolicy : public testing::TestWithParam<Case> {};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(, EveryPolicy, testing::ValuesIn(all_policies()), case_name);
INSTANTIATE_TEST_SUITE_P(, RichPolicy, testing::ValuesIn(rich_policies()), case_name);

Trajectory small_trajectory(int64_t sentences, const Policy& policy) {
  static std::vector<std::unique_ptr<Dataset>> kept;  // trajectories view their sources
  kept.push_back(std::make_unique<Dataset>(random_dataset(sentences, 4)));
  auto oracle = make_oracle({});
  return random_trajectory(*kept.back(), *oracle, 5, policy.options().shape);
}

bool has_kernels(const Policy& policy) {
  return uses_kernels(policy.parameters().front().second);
}

/// A list of its own for each row gives the logits [rows, vocabulary] of what it lists.
void expect_lists_agree(const Stepper& stepper, const Tensor& expected) {
  std::vector<std::vector<WordId>> lists;
  std::vector<std::span<const WordId>> views;
  size_t size = 0;
  for (int64_t row = 0; row < expected.size(0); ++row) {
    std::vector<WordId>& list = lists.emplace_back();
    for (WordId word = 0; word < kSmallVocabulary; word += 1 + (word + row) % 4) {
      list.push_back(word);
    }
    size += list.size();
  }
  for (const auto& list : lists) views.emplace_back(list);
  std::vector<float> logits(size);
  stepper.listed_scores(views, logits);
  size_t next = 0;
  for (size_t row = 0; row < lists.size(); ++row) {
    for (WordId word : lists[row]) {
      EXPECT_NEAR(logits[next++], expected[static_cast<int64_t>(row)][word].item<double>(), 2e-4);
    }
  }
}

/// Walks along a trajectory and compares with the whole of it.
void expect_faces_agree(const Policy& policy, Stepper& stepper, const Trajectory& trajectory) {
  torch::NoGradGuard no_gradients;
  PolicyOutput whole = policy.forward(trajectory);
  Tensor logits = torch::addmm(policy.output().bias, whole.features, policy.output().weight.t());
  stepper.start(trajectory.given);
  for (size_t step = 0; step < trajectory.rows_at.size(); ++step) {
    int64_t count = trajectory.rows_at[step];
    int64_t offset = trajectory.offset_at[step];
    if (count < stepper.rows()) {
      std::vector<int64_t> first(static_cast<size_t>(count));
      std::iota(first.begin(), first.end(), 0);
      stepper.keep(first);
    }
    if (step > 0) {
      stepper.advance({&trajectory.input[static_cast<size_t>(offset)], static_cast<size_t>(count)});
    }
    Tensor scores = torch::empty({count, stepper.vocabulary()});
    stepper.all_scores(change_numbers(scores));
    Tensor expected = logits.narrow(0, offset, count);
    ASSERT_TRUE(torch::allclose(scores, expected, 1e-4, 1e-4)) << "step " << step;
    std::vector<WordId> some = {kEnd, 7, 30};
    std::vector<float> few(some.size());
    stepper.scores(count - 1, some, few);
    for (size_t i = 0; i < some.size(); ++i) {
      EXPECT_NEAR(few[i], expected[count - 1][some[i]].item<double>(), 2e-4);
    }
    expect_lists_agree(stepper, expected);
    bool head = policy.options().end_head;
    ASSERT_EQ(stepper.end_logits().size(), head ? static_cast<size_t>(count) : 0U);
    for (int64_t row = 0; row < count && head; ++row) {
      EXPECT_NEAR(*stepper.end_logit(row), whole.end_logits[offset + row].item<double>(), 2e-4);
    }
    ASSERT_EQ(stepper.shape(), policy.options().shape);
    for (int64_t row = 0; row < count && stepper.shape() == Shape::kArity; ++row) {
      auto at = static_cast<size_t>(offset + row);
      for (int64_t i = trajectory.valid_begin[at]; i < trajectory.valid_begin[at + 1]; ++i) {
        auto answer = static_cast<size_t>(i);
        SideScores sides = stepper.side_logits(row, trajectory.valid_action[answer]);
        float logprob =
            sides[index_of(trajectory.valid_open[answer])] - log_sum_exp(std::span<float>(sides));
        EXPECT_NEAR(logprob, whole.side_logprobs[i].item<double>(), 2e-4);
      }
    }
  }
}

TEST_P(EveryPolicy, IsTheSameStepByStepAsAllAtOnce) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  expect_faces_agree(*policy, *policy->stepper(), small_trajectory(5, *policy));
}

/// Sentences may begin with the symbol of an order.
TEST_P(RichPolicy, BeginsAsItIsAsked) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  Trajectory trajectory = small_trajectory(4, *policy);
  for (int64_t row = 0; row < trajectory.rows_at.front(); ++row) {
    trajectory.input[static_cast<size_t>(row)].action = kPad;
  }
  expect_faces_agree(*policy, *policy->stepper({.start = kPad}), trajectory);
  ReplayingStepper replayed(*policy, kPad);
  expect_faces_agree(*policy, replayed, trajectory);
}

/// What a policy has that brings nothing but `forward`.
TEST_P(EveryPolicy, CanBeReplayed) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  ReplayingStepper stepper(*policy);
  expect_faces_agree(*policy, stepper, small_trajectory(4, *policy));
}

TEST_P(RichPolicy, ReadsEmptyAndLongSources) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  Trajectory trajectory = small_trajectory(3, *policy);
  std::vector<WordId> words(200);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<WordId>(5 + i % 40);
  trajectory.given = {SourceIds(), words, SourceIds(words).first(1)};
  expect_faces_agree(*policy, *policy->stepper(), trajectory);
}

/// Makes half of the rectified units always on and the others always off: no kinks.
void settle_rectifiers(const Policy& policy) {
  bool lstm = policy.options().policy == PolicyKind::kLstm;
  for (auto& [name, tensor] : policy.parameters()) {
    bool rectified = name.ends_with("inner.bias") || name == "sides_head.state.bias" ||
                     (lstm && name == "projection.bias");
    if (!rectified) continue;
    float sign = 6.0F;
    for (float& bias : change_numbers(tensor)) bias = sign = -sign;
  }
}

/// How every parameter's gradient compares with a difference along a direction.
TEST_P(RichPolicy, HasGradientsThatAreDifferences) {
  torch::manual_seed(1);
  std::unique_ptr<Policy> policy = GetParam().policy();
  Trajectory trajectory = small_trajectory(3, *policy);
  settle_rectifiers(*policy);
  PolicyOutput output = policy->forward(trajectory);
  Tensor direction = torch::randn_like(output.features);
  bool sides = output.side_logprobs.defined();
  Tensor shape_direction = torch::randn_like(sides ? output.side_logprobs : output.end_logits);
  auto loss = [&](const PolicyOutput& result) {
    const Tensor& shape = sides ? result.side_logprobs : result.end_logits;
    return (result.features * direction).sum(torch::kFloat64) +
           (shape * shape_direction).sum(torch::kFloat64);
  };
  clear_gradients(*policy);
  loss(output).backward();
  torch::NoGradGuard no_gradients;
  for (auto& [name, tensor] : policy->parameters()) {
    if (name.starts_with("output.")) continue;  // applied by the policy's user
    Tensor change = torch::randn_like(tensor);
    Tensor along = tensor.grad();  // where there is most to see, and anywhere
    change.div_(change.norm()).add_(along / (along.norm() + 1e-6)).mul_(0.01);
    tensor.add_(change);
    double above = loss(policy->forward(trajectory)).item<double>();
    tensor.sub_(2.0 * change);
    double below = loss(policy->forward(trajectory)).item<double>();
    tensor.add_(change);
    double expected = (tensor.grad() * change).sum(torch::kFloat64).item<double>();
    double scale = (tensor.grad().norm() * change.norm()).item<double>();
    EXPECT_NEAR((above - below) / 2.0, expected, 0.02 * scale + 3e-4) << name;
  }
}

/// An action that comes later, or in another sentence, changes nothing.
TEST_P(RichPolicy, DoesNotKnowTheFuture) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  torch::NoGradGuard no_gradients;
  Trajectory trajectory = small_trajectory(4, *policy);
  Tensor before = policy->forward(trajectory).features;
  int64_t sentence = 1;
  int64_t changed = trajectory.offset_at[3] + sentence;
  StepInput& input = trajectory.input[static_cast<size_t>(changed)];
  input.action = input.action == 9 ? 10 : 9;
  input.left = input.action;
  Tensor after = policy->forward(trajectory).features;
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
          .open = kAllSides[random.below(4)],
          .left = word(),
          .right = word(),
          .depth = static_cast<int>(random.below(9)),
          .path = random.below(512)};
}

/// All logits of a row, those of its other head behind them.
std::vector<float> logits_of(const Stepper& stepper, int64_t row) {
  std::vector<float> all(static_cast<size_t>(stepper.rows() * kSmallVocabulary));
  stepper.all_scores(all);
  auto begin = all.begin() + row * kSmallVocabulary;
  std::vector<float> logits(begin, begin + kSmallVocabulary);
  if (stepper.shape() == Shape::kEnd) logits.push_back(*stepper.end_logit(row));
  if (stepper.shape() == Shape::kArity) {
    for (float logit : stepper.side_logits(row, 7)) logits.push_back(logit);
  }
  return logits;
}

std::vector<float> logits_of(Stepper& stepper, const Past& past) {
  std::vector<SourceIds> source = {past.source};
  stepper.start(source);
  for (const StepInput& input : past.inputs) stepper.advance({&input, 1});
  return logits_of(stepper, 0);
}

/// Rows leave, are doubled and begin behind others: each goes on as if it were alone.
void expect_rows_come_and_go(const Policy& policy, Precision precision) {
  RandomStream random(1, Purpose::kTest);
  std::vector<Past> pasts;
  auto begin = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      Past& past = pasts.emplace_back();
      past.source.resize(random.below(6));
      for (WordId& word : past.source) word = static_cast<WordId>(5 + random.below(40));
    }
    std::vector<SourceIds> sources;
    for (size_t i = pasts.size() - count; i < pasts.size(); ++i) sources.push_back(pasts[i].source);
    return sources;
  };
  std::unique_ptr<Stepper> stepper = policy.stepper({.precision = precision});
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
    std::vector<float> expected = logits_of(*policy.stepper({.precision = precision}), pasts[row]);
    std::vector<float> logits = logits_of(*stepper, static_cast<int64_t>(row));
    // To the last bit; where there are no kernels, the order of sums is the BLAS's.
    float tolerance = has_kernels(policy) ? 0.0F : 1e-4F;
    for (size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], expected[i], tolerance);
  }
}

TEST_P(RichPolicy, HasRowsThatAreTheSameInAnyCompany) {
  expect_rows_come_and_go(*GetParam().policy(), Precision::kFloat);
}

/// Candidates of one source share what was read of it, and nobody can tell.
TEST_P(RichPolicy, ReadsASourceThatIsGivenTwiceOnce) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  std::vector<WordId> words = {5, 9, 7};
  std::vector<WordId> again = words;
  std::vector<WordId> other = {6, 6};
  std::unique_ptr<Stepper> sharing = policy->stepper();
  std::unique_ptr<Stepper> apart = policy->stepper();
  RandomStream random(2, Purpose::kTest);
  std::vector<StepInput> inputs;
  for (int row = 0; row < 4; ++row) inputs.push_back(random_input(random));
  sharing->start(std::vector<SourceIds>{words, other, words});
  apart->start(std::vector<SourceIds>{words, other, again});
  sharing->advance({inputs.data(), 3}, std::vector<SourceIds>{words, words});
  apart->advance({inputs.data(), 3}, std::vector<SourceIds>{words, again});
  for (int64_t row = 0; row < 5; ++row) {
    EXPECT_EQ(logits_of(*sharing, row), logits_of(*apart, row)) << row;
  }
}

TEST_P(RichPolicy, HasRowsThatAreTheSameInAnyCompanyInInt8) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  if (!has_kernels(*policy)) {
    EXPECT_THROW(policy->stepper({.precision = Precision::kInt8}), UsageError);
    return;
  }
  expect_rows_come_and_go(*policy, Precision::kInt8);
}

Past random_past(uint64_t seed) {
  RandomStream random(seed, Purpose::kTest);
  Past past{.source = {5, 9, 7}, .inputs = {}};
  for (int i = 0; i < 12; ++i) past.inputs.push_back(random_input(random));
  return past;
}

/// Steppers of both precisions side by side, of one policy that stays as it is.
TEST_P(RichPolicy, IsNearlyTheSameInInt8) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  if (!has_kernels(*policy)) GTEST_SKIP() << "int8 needs kernels";
  Past past = random_past(1);
  std::unique_ptr<Stepper> floats = policy->stepper();
  std::unique_ptr<Stepper> int8 = policy->stepper({.precision = Precision::kInt8});
  std::vector<float> exact = logits_of(*floats, past);
  std::vector<float> rounded = logits_of(*int8, past);
  EXPECT_NE(rounded, exact);
  EXPECT_EQ(logits_of(*floats, past), exact);
  double difference = 0.0;
  double size = 0.0;
  for (size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(rounded[i] - exact[i], 2.0);
    size += std::pow(exact[i], 2.0);
  }
  EXPECT_LT(difference, 0.01 * size);
}

TEST_P(RichPolicy, MayBeSharedByThreads) {
  std::unique_ptr<const Policy> policy = GetParam().policy();
  constexpr uint64_t kThreads = 4;
  std::vector<std::vector<float>> together(kThreads);
  {
    std::vector<std::jthread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        bool int8 = i % 2 == 1 && has_kernels(*policy);
        Precision precision = int8 ? Precision::kInt8 : Precision::kFloat;
        together[i] = logits_of(*policy->stepper({.precision = precision}), random_past(i));
      });
    }
  }
  for (uint64_t i = 0; i < kThreads; ++i) {
    bool int8 = i % 2 == 1 && has_kernels(*policy);
    Precision precision = int8 ? Precision::kInt8 : Precision::kFloat;
    std::vector<float> alone =
        logits_of(*policy->stepper({.precision = precision}), random_past(i));
    EXPECT_EQ(together[i], alone);
  }
}

TEST_P(RichPolicy, DropsUnitsInTrainingOnly) {
  std::unique_ptr<Policy> policy = GetParam().policy();
  Trajectory trajectory = small_trajectory(4, *policy);
  Tensor plain = policy->forward(trajectory).features;
  Tensor first = policy->forward({trajectory, {.keep = 0.5, .key = 1}}).features;
  Tensor again = policy->forward({trajectory, {.keep = 0.5, .key = 1}}).features;
  Tensor other = policy->forward({trajectory, {.keep = 0.5, .key = 2}}).features;
  EXPECT_TRUE(torch::equal(first, again));
  EXPECT_FALSE(torch::equal(first, other));
  EXPECT_FALSE(torch::equal(first, plain));
}

TEST_P(EveryPolicy, HasWeightsThatItsSeedNamesAndEachHasOneName) {
  PolicyRequest request = GetParam().request;
  NamedTensors weights = make_policy(request)->parameters();
  NamedTensors same = make_policy(request)->parameters();
  request.seed = 4;
  NamedTensors different = make_policy(request)->parameters();
  std::vector<std::string> names;
  for (size_t i = 0; i < weights.size(); ++i) {
    names.push_back(weights[i].first);
    EXPECT_TRUE(torch::equal(weights[i].second, same[i].second)) << weights[i].first;
    if (weights[i].first.ends_with("weight")) {
      EXPECT_FALSE(torch::equal(weights[i].second, different[i].second)) << weights[i].first;
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace bough
