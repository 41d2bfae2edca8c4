// The likelihood of a sentence, against the sum over its trees by other means.
#include "bough/generate/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "bough/base/error.h"
#include "bough/train/adam.h"
#include "bough/train/update.h"
#include "error_messages.h"
#include "test_models.h"

namespace bough {
namespace {

constexpr WordId kA = kSpecials;
constexpr WordId kB = kSpecials + 1;
constexpr WordId kC = kSpecials + 2;
constexpr WordId kD = kSpecials + 3;

using Words = std::vector<WordId>;

/// Sentences with and without repeated words.
const std::vector<Words> kSentences = {{kA},
                                       {kA, kB},
                                       {kA, kA},
                                       {kA, kB, kA},
                                       {kA, kB, kA, kB},
                                       {kA, kA, kA, kA},
                                       {kD, kC, kB, kA, kD},
                                       {kA, kB, kC, kD, kUnknown, kB},
                                       {kC, kA, kB, kC, kD, kA, kB}};

struct Case {
  std::string name;
  PolicyOptions options;
  bool trained = false;
};

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.name;
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (PolicyKind kind : {PolicyKind::kLstm, PolicyKind::kTransformer}) {
    for (std::string head : {"plain", "head", "sides"}) {
      for (bool trained : {false, true}) {
        PolicyOptions options = small_options(head == "head");
        options.shape = head == "sides" ? Shape::kArity : Shape::kEnd;
        options.policy = kind;
        options.slot_context = SlotContext::kNeighbours;
        if (kind == PolicyKind::kTransformer) {
          options.hidden_size = 12;
          options.transformer.heads = 3;
          options.transformer.feed_forward = 17;
        }
        all.push_back({std::string(name_of(kind)) + "_" + head + (trained ? "_trained" : "_random"),
                       options, trained});
      }
    }
  }
  return all;
}

/// Over four words and the specials.
std::unique_ptr<Policy> policy_of(const Case& one) {
  constexpr int64_t kVocabulary = kSpecials + 4;
  std::unique_ptr<Policy> policy =
      make_policy({.options = one.options, .vocabulary = kVocabulary, .seed = 5});
  if (!one.trained) return policy;
  Dataset data = random_dataset(32, 7, kVocabulary);
  OracleOptions oracle;
  RollInWalker walker(*policy, oracle);
  Adam adam(policy->parameters());
  std::vector<int64_t> batch;
  for (int64_t i = 0; i < data.size(); ++i) batch.push_back(i);
  for (uint64_t i = 0; i < 20; ++i) {
    update_policy(*policy, walker, adam, data,
                  {.rollin = {.batch = batch, .beta = 0.5, .pass = i}, .loss_beta = 0.5});
  }
  return policy;
}

class LikelihoodLaws : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Policy> policy_ = policy_of(GetParam());
  torch::NoGradGuard no_gradients_;

  std::vector<Likelihood> score(std::span<const SentenceToScore> sentences,
                                const LikelihoodOptions& options,
                                OracleKind order = OracleKind::kAnnealed,
                                int64_t batch_rows = 64) const {
    std::vector<Likelihood> found;
    LikelihoodScorer(options, order_by({.oracle = order}))
        .score(*policy_->stepper(), {.sentences = sentences, .batch_rows = batch_rows},
               [&](Likelihood&& one) { found.push_back(std::move(one)); });
    return found;
  }

  Likelihood exact(const Words& words) const {
    return score(std::vector<SentenceToScore>{{.words = words}}, {.exact = true}).front();
  }

  /// The log-probability of a tree, step by step.
  double logprob(const Tree& tree) const {
    std::unique_ptr<Stepper> stepper = policy_->stepper();
    std::vector<float> logits(static_cast<size_t>(stepper->vocabulary()));
    double sum = 0.0;
    for (int step = 0; step < tree.steps(); ++step) {
      if (step == 0) {
        stepper->start(no_sources(1));
      } else {
        StepInput input = step_input(tree, step);
        stepper->advance({&input, 1});
      }
      stepper->all_scores(logits);
      sum += ActionDistribution(logits, *stepper, 0).logprob(tree.action(step));
    }
    return sum;
  }

  /// The sum over all trees of at most so many words of which something is true.
  double sum_of_trees(size_t most_words, const std::function<bool(const Tree&)>& counts) const {
    double sum = 0.0;
    auto most = static_cast<int>(most_words);
    bool with_sides = policy_->options().shape == Shape::kArity;
    std::function<void(const Tree&)> go_on = [&](const Tree& tree) {
      if (tree.complete()) {
        if (counts(tree)) sum += std::exp(logprob(tree));
        return;
      }
      if (!with_sides || tree.steps() == 0) {
        Tree closed = tree;
        closed.add_end();
        go_on(closed);
      }
      for (Sides open : kAllSides) {
        if (!with_sides && open != Sides::kBoth) continue;
        for (WordId word : {kA, kB, kC, kD}) {
          Tree next = tree;
          next.add_word(word, open);
          if (next.word_count() + (with_sides ? next.open_slots() : 0) <= most) go_on(next);
        }
      }
    };
    go_on(Tree());
    return sum;
  }
};

INSTANTIATE_TEST_SUITE_P(, LikelihoodLaws, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(LikelihoodLaws, ExactIsTheSumOverAllTrees) {
  for (const Words& words : {Words{}, Words{kA}, Words{kA, kA}, Words{kB, kA, kB}}) {
    double sum = sum_of_trees(3, [&](const Tree& tree) { return tree.sentence() == words; });
    Likelihood found = exact(words);
    EXPECT_NEAR(found.logprob, std::log(sum), 1e-4 * std::abs(std::log(sum)));
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(static_cast<double>(found.trees), tree_count(static_cast<int64_t>(words.size())));
  }
}

TEST_P(LikelihoodLaws, AllShortSentencesSumToTheirShareOfOne) {
  std::vector<Words> all = {{}};
  for (size_t i = 0; i < all.size() && all[i].size() < 3; ++i) {
    for (WordId word : {kA, kB, kC, kD}) {
      all.push_back(all[i]);
      all.back().push_back(word);
    }
  }
  ASSERT_EQ(all.size(), 1U + 4U + 16U + 64U);
  std::vector<SentenceToScore> sentences;
  for (const Words& words : all) sentences.push_back({.words = words});
  double sum = 0.0;
  for (const Likelihood& one : score(sentences, {.exact = true})) sum += std::exp(one.logprob);
  EXPECT_LE(sum, 1.0 + 1e-6);
  EXPECT_NEAR(sum, sum_of_trees(3, [](const Tree&) { return true; }), 1e-4);
}

TEST_P(LikelihoodLaws, DrawsAreUnbiased) {
  for (const auto& [draws, coaching] :
       {std::pair{TreeDraws::kStratified, -1.0}, std::pair{TreeDraws::kIndependent, 1.0},
        std::pair{TreeDraws::kStratified, 0.0}}) {
    for (const Words& words : kSentences) {
      double truth = exact(words).logprob;
      std::vector<SentenceToScore> sentences;
      for (int64_t i = 0; i < 300; ++i) sentences.push_back({.words = words, .number = i});
      double mean = 0.0;
      double squares = 0.0;
      auto count = static_cast<double>(sentences.size());
      for (const Likelihood& one :
           score(sentences, {.samples = 4, .draws = draws, .coaching = coaching})) {
        double ratio = std::exp(one.logprob - truth);
        mean += ratio / count;
        squares += ratio * ratio / count;
        EXPECT_LE(one.bound, one.logprob + 1e-6);
        EXPECT_FALSE(one.exact);
        EXPECT_EQ(one.trees, 4);
      }
      double error = std::sqrt(std::max(0.0, squares - mean * mean) / count);
      EXPECT_NEAR(mean, 1.0, 5.0 * error + 1e-4) << words.size() << " words";
    }
  }
}

TEST_P(LikelihoodLaws, TheTruthIsMostlyInTheInterval) {
  int inside = 0;
  int all = 0;
  for (const Words& words : kSentences) {
    if (words.size() < 4) continue;
    double truth = exact(words).logprob;
    std::vector<SentenceToScore> sentences;
    for (int64_t i = 0; i < 40; ++i) sentences.push_back({.words = words, .number = i});
    for (const Likelihood& one :
         score(sentences, {.samples = 32, .draws = TreeDraws::kIndependent})) {
      EXPECT_LE(one.interval.low, one.logprob);
      EXPECT_GE(one.interval.high, one.logprob);
      inside += one.interval.low - 1e-4 <= truth && truth <= one.interval.high + 1e-4 ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(inside, 0.75 * all);
}

TEST_P(LikelihoodLaws, CostsAreTheBound) {
  for (const Words& words : kSentences) {
    for (bool all : {false, true}) {
      Likelihood one =
          score(std::vector<SentenceToScore>{{.words = words}}, {.samples = 8, .exact = all})
              .front();
      DepthCost sum;
      for (const DepthCost& cost : one.costs) {
        EXPECT_GE(cost.shape, -1e-4);
        sum += cost;
      }
      auto steps = steps_of(policy_->options().shape, static_cast<int64_t>(words.size()));
      EXPECT_NEAR(sum.slots, static_cast<double>(steps), 1e-6);
      EXPECT_NEAR(sum.words + sum.shape, -one.bound, 1e-9);
      EXPECT_LE(one.bound, one.logprob + 1e-6);
    }
  }
}

TEST_P(LikelihoodLaws, AnOrderHasOneTree) {
  std::vector<SentenceToScore> sentences{{.words = kSentences[3]}};
  Likelihood left = score(sentences, {}, OracleKind::kLeftRight).front();
  auto tree = [&](std::vector<int> positions) {
    return Tree::from_positions(kSentences[3], positions, policy_->options().shape);
  };
  EXPECT_NEAR(left.logprob, logprob(tree({0, 1, 2})), 1e-4);
  Likelihood right = score(sentences, {.exact = true}, OracleKind::kRightLeft).front();
  EXPECT_NEAR(right.logprob, logprob(tree({2, 1, 0})), 1e-4);
  EXPECT_TRUE(left.exact);
  EXPECT_EQ(left.trees, 1);
  EXPECT_NEAR(left.bound, left.logprob, 1e-6);
  EXPECT_GE(exact(kSentences[3]).logprob, std::max(left.logprob, right.logprob) - 1e-4);
}

TEST_P(LikelihoodLaws, CompanyChangesNothing) {
  // To the last bit; where there are no kernels, the order of sums is the BLAS's.
  double tolerance = uses_kernels(policy_->parameters().front().second) ? 0.0 : 1e-3;
  std::vector<SentenceToScore> sentences;
  for (const Words& words : kSentences) {
    sentences.push_back({.words = words, .number = static_cast<int64_t>(sentences.size())});
  }
  for (bool all : {false, true}) {
    LikelihoodOptions options{.samples = 5, .exact = all};
    std::vector<Likelihood> together = score(sentences, options, OracleKind::kUniform, 1000);
    for (int64_t rows : {1, 7}) {
      std::vector<Likelihood> apart = score(sentences, options, OracleKind::kUniform, rows);
      ASSERT_EQ(apart.size(), together.size());
      for (size_t i = 0; i < apart.size(); ++i) {
        EXPECT_NEAR(apart[i].logprob, together[i].logprob, tolerance);
        EXPECT_NEAR(apart[i].interval.high, together[i].interval.high, tolerance);
      }
    }
  }
}

TEST(Likelihood, CountsTrees) {
  std::vector<double> counts;
  for (int64_t words = 0; words <= 10; ++words) counts.push_back(tree_count(words));
  EXPECT_EQ(counts, (std::vector<double>{1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796}));
  EXPECT_GT(tree_count(1000), 1e300);
}

TEST(Likelihood, RefusesToWalkTooManyTrees) {
  LikelihoodScorer all({.exact = true}, order_by({.oracle = OracleKind::kUniform}));
  EXPECT_NO_THROW(all.check(kMostExactWords));
  expect_contains(message_of<UnmetError>([&] { all.check(12); }), "12 words have 208012 trees");
  EXPECT_NO_THROW(
      LikelihoodScorer({.exact = true}, order_by({.oracle = OracleKind::kLeftRight})).check(12));
  EXPECT_NO_THROW(LikelihoodScorer({}, order_by({.oracle = OracleKind::kUniform})).check(12));
}

}  // namespace
}  // namespace bough
