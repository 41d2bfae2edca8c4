// Laws of oracles, walks, schedules and packed trajectories.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "bough/oracle/oracle.h"
#include "bough/oracle/trajectory.h"
#include "bough/oracle/walk.h"
#include "random_sentences.h"

namespace bough {
namespace {

using Ids = std::vector<WordId>;

/// Far more steps than any walk of these tests should take.
void expect_an_end(const Walk& walk) {
  if (walk.tree().steps() > 20'000) throw std::runtime_error("the walk does not end");
}

/// Takes right answers, each as likely as the next, until the tree is complete.
void walk_anyhow(Walk& walk, RandomStream& random) {
  for (; !walk.done(); expect_an_end(walk)) {
    walk.take(static_cast<int>(random.below(walk.valid().size())), random);
  }
}

/// Takes right answers by their weights.
void walk_by_weight(Walk& walk, RandomStream& random) {
  for (; !walk.done(); expect_an_end(walk)) walk.take(walk.draw(random), random);
}

/// Finished walks of many sentences with every oracle, both ways with duplicates, and the shape
/// told like this.
template <typename Check>
void for_random_walks(Shape shape, Check check) {
  for (const auto& [kind, name] : EnumNames<OracleKind>::kNames) {
    for (Duplicates duplicates : {Duplicates::kUniform, Duplicates::kLeftMost}) {
      SCOPED_TRACE(fmt::format("{}, {}", name, name_of(duplicates)));
      OracleOptions options{
          .oracle = kind, .duplicates = duplicates, .balance = 1.5, .frequent_words = 5};
      auto oracle = make_oracle(options);
      RandomStream random(1, Purpose::kTest);
      for (int i = 0; i < 200; ++i) {
        Ids sentence = random_sentence(random);
        Walk walk(sentence, *oracle, duplicates, shape);
        i % 2 == 0 ? walk_anyhow(walk, random) : walk_by_weight(walk, random);
        check(options, sentence, walk);
      }
    }
  }
}

template <typename Check>
void for_random_walks(Check check) {
  for_random_walks(Shape::kEnd, check);
}

/// The stretch [first, second) of the sentence that a step's slot owned, from the finished tree.
std::pair<int, int> span_at(const Walk& walk, const std::vector<int>& positions, int step) {
  const Tree::Slot& slot = walk.tree().slot(step);
  int low = slot.left == Tree::kNone ? 0 : positions[static_cast<size_t>(slot.left)] + 1;
  int high = slot.right == Tree::kNone ? static_cast<int>(positions.size())
                                       : positions[static_cast<size_t>(slot.right)];
  return {low, high};
}

struct Answer {
  double weight = 0.0;
  int count = 0;
};

/// The right answers of a span, straight from the definitions.
std::map<WordId, Answer> answers(const OracleOptions& options, const Ids& sentence, int begin,
                                 int end) {
  std::map<WordId, Answer> result;
  if (begin == end) return {{kEnd, {1.0, 1}}};
  auto word = [&](int place) { return sentence[static_cast<size_t>(place)]; };
  if (options.oracle == OracleKind::kLeftRight) return {{word(begin), {1.0, 1}}};
  if (options.oracle == OracleKind::kRightLeft) return {{word(end - 1), {1.0, 1}}};
  if (options.oracle == OracleKind::kContentFirst) {
    int first = begin;
    while (first < end && word(first) < kSpecials + options.frequent_words) ++first;
    return {{word(first == end ? begin : first), {1.0, 1}}};
  }
  double total = 0.0;
  for (int place = begin; place < end; ++place) {
    double distance = std::abs(place - (begin + end - 1) / 2.0);
    bool balanced = options.oracle == OracleKind::kBalanced;
    double weight = balanced ? std::exp(-distance / options.balance) : 1.0;
    result[word(place)].weight += weight;
    result[word(place)].count += 1;
    total += weight;
  }
  for (auto& [id, answer] : result) {
    answer.weight = options.oracle == OracleKind::kBalanced
                        ? answer.weight / total
                        : 1.0 / static_cast<double>(result.size());
  }
  return result;
}

TEST(Oracle, AnyWalkAlongRightAnswersEndsWithTheSentence) {
  for_random_walks([](const OracleOptions&, const Ids& sentence, const Walk& walk) {
    ASSERT_EQ(walk.tree().sentence(), sentence);
    ASSERT_EQ(static_cast<size_t>(walk.tree().steps()), 2 * sentence.size() + 1);
    Ids actions = walk.tree().actions(kEnd);
    for (int step = 0; step < walk.tree().steps(); ++step) {
      ASSERT_EQ(walk.action_at(step).word, actions[static_cast<size_t>(step)]);
    }
  });
}

TEST(Oracle, WithSidesAWalkTakesAStepAWord) {
  for_random_walks(Shape::kArity, [](const OracleOptions&, const Ids& sentence, const Walk& walk) {
    const Tree& tree = walk.tree();
    ASSERT_EQ(tree.sentence(), sentence);
    ASSERT_EQ(tree.steps(), static_cast<int>(std::max<size_t>(1, sentence.size())));
    for (const Tree::Node& node : tree.nodes()) {
      ASSERT_EQ(opens_left(node.open), node.left_child != Tree::kNone);
      ASSERT_EQ(opens_right(node.open), node.right_child != Tree::kNone);
    }
  });
}

/// The same words with the same weights as without sides; each place says which these are.
TEST(Oracle, WithSidesRightAnswersAreWordsWithTheSidesOfTheirPlaces) {
  for_random_walks(
      Shape::kArity, [](const OracleOptions& options, const Ids& sentence, const Walk& walk) {
        std::vector<int> positions = walk.tree().positions();
        for (int step = 0; step < walk.tree().steps(); ++step) {
          auto [begin, end] = span_at(walk, positions, step);
          std::map<WordId, Answer> found;
          std::set<std::pair<WordId, Sides>> seen;
          for (const ValidAction& valid : walk.valid_at(step)) {
            ASSERT_TRUE(seen.insert({valid.action.word, valid.action.open}).second);
            found[valid.action.word].weight += valid.weight;
            found[valid.action.word].count += valid.count;
            int places = 0;
            for (int place = begin; place < end; ++place) {
              bool fits = sides_of(place > begin, place + 1 < end) == valid.action.open;
              if (sentence[static_cast<size_t>(place)] == valid.action.word && fits) ++places;
            }
            ASSERT_TRUE(valid.action.word == kEnd || valid.count <= places);
          }
          auto expected = answers(options, sentence, begin, end);
          ASSERT_EQ(found.size(), expected.size());
          for (const auto& [word, answer] : expected) {
            ASSERT_EQ(found[word].count, answer.count);
            ASSERT_NEAR(found[word].weight, answer.weight, 1e-5);
          }
        }
      });
}

TEST(Oracle, RightAnswersAreThoseOfTheDefinition) {
  for_random_walks([](const OracleOptions& options, const Ids& sentence, const Walk& walk) {
    std::vector<int> positions = walk.tree().positions();
    for (int step = 0; step < walk.tree().steps(); ++step) {
      auto [begin, end] = span_at(walk, positions, step);
      auto expected = answers(options, sentence, begin, end);
      std::span<const ValidAction> valid = walk.valid_at(step);
      ASSERT_EQ(valid.size(), expected.size());
      double sum = 0.0;
      size_t i = 0;
      for (const auto& [action, answer] : expected) {  // by rising action, none twice
        ASSERT_EQ(valid[i].action.word, action);
        ASSERT_EQ(valid[i].count, answer.count);
        ASSERT_GT(valid[i].weight, 0.0F);
        ASSERT_NEAR(valid[i].weight, answer.weight, 1e-5);  // a sum of floats
        sum += valid[i++].weight;
      }
      ASSERT_NEAR(sum, 1.0, 1e-5);
    }
  });
}

/// Annealing may begin with any order; every word stays right.
TEST(Oracle, AnnealingFromAnotherOrderKeepsAShareOfUniform) {
  RandomStream random(3, Purpose::kTest);
  auto uniform = make_oracle({.oracle = OracleKind::kUniform});
  for (const auto& [from, kind] : {std::pair{AnnealFrom::kLeftRight, OracleKind::kLeftRight},
                                   std::pair{AnnealFrom::kBalanced, OracleKind::kBalanced}}) {
    auto fixed = make_oracle({.oracle = kind});
    OracleOptions options{.oracle = OracleKind::kAnnealed, .anneal_from = from};
    options.uniform_share = 0.25;
    auto mixed = make_oracle(options);
    for (int i = 0; i < 50; ++i) {
      Ids sentence = random_sentence(random);
      std::vector<Place> places;
      for (size_t at = 0; at < sentence.size(); ++at) {
        places.push_back({sentence[at], static_cast<int>(at)});
      }
      if (places.empty()) continue;
      std::ranges::stable_sort(places, {}, &Place::word);
      GoldSpan span{.begin = 0, .end = static_cast<int>(places.size()), .places = places};
      std::vector<double> a(places.size());
      std::vector<double> b(places.size());
      std::vector<double> c(places.size());
      uniform->weigh(span, a);
      fixed->weigh(span, b);
      mixed->weigh(span, c);
      for (size_t at = 0; at < c.size(); ++at) {
        EXPECT_NEAR(c[at], 0.25 * a[at] + 0.75 * b[at], 1e-12);
      }
    }
  }
}

TEST(Oracle, LeftMostTakesTheFirstOfEqualWords) {
  for_random_walks([](const OracleOptions& options, const Ids& sentence, const Walk& walk) {
    if (options.duplicates != Duplicates::kLeftMost) return;
    // These know which place they mean.
    if (options.oracle == OracleKind::kRightLeft || options.oracle == OracleKind::kContentFirst)
      return;
    std::vector<int> positions = walk.tree().positions();
    for (int id = 0; id < walk.tree().word_count(); ++id) {
      const Tree::Node& node = walk.tree().node(id);
      auto [begin, end] = span_at(walk, positions, node.step);
      int place = positions[static_cast<size_t>(id)];
      ASSERT_EQ(std::find(sentence.begin() + begin, sentence.begin() + end, node.word),
                sentence.begin() + place);
    }
  });
}

TEST(Oracle, EndsGiveChains) {
  RandomStream random(2, Purpose::kTest);
  auto left_right = make_oracle({.oracle = OracleKind::kLeftRight});
  auto right_left = make_oracle({.oracle = OracleKind::kRightLeft});
  for (int i = 0; i < 200; ++i) {
    Ids sentence = random_sentence(random);
    size_t words = sentence.size();
    Walk forward(sentence, *left_right, Duplicates::kUniform);
    Walk backward(sentence, *right_left, Duplicates::kUniform);
    walk_anyhow(forward, random);
    walk_anyhow(backward, random);
    // The paper: <end> at odd steps from left to right, at even ones but the first from right to
    // left; the last word then closes both of its sides.
    Ids expected_forward;
    Ids expected_backward = {sentence.back()};
    for (size_t word = 0; word < words; ++word) {
      expected_forward.insert(expected_forward.end(), {sentence[word], kEnd});
      if (word > 0) {
        expected_backward.insert(expected_backward.end(), {sentence[words - 1 - word], kEnd});
      }
    }
    expected_forward.push_back(kEnd);
    expected_backward.insert(expected_backward.end(), {kEnd, kEnd});
    ASSERT_EQ(forward.tree().actions(kEnd), expected_forward);
    ASSERT_EQ(backward.tree().actions(kEnd), expected_backward);
    ASSERT_EQ(forward.tree().depth(), static_cast<int>(words) - 1);
    ASSERT_EQ(backward.tree().depth(), static_cast<int>(words) - 1);
  }
}

TEST(Oracle, WordsThatAreCutArePutWhole) {
  // Of the random sentences' words, each third ends within a word.
  Ids unfinished;
  for (WordId word = kSpecials; word < 1000; word += 3) unfinished.push_back(word);
  auto is_unfinished = [&](WordId word) { return std::ranges::count(unfinished, word) > 0; };
  int pieces = 0;
  for (Shape shape : {Shape::kEnd, Shape::kArity}) {
    for (const auto& [kind, name] : EnumNames<OracleKind>::kNames) {
      SCOPED_TRACE(name);
      auto oracle = make_oracle({.oracle = kind, .whole_words = true}, unfinished);
      RandomStream random(7, Purpose::kTest);
      for (int i = 0; i < 200; ++i) {
        Ids sentence = random_sentence(random);
        Walk walk(sentence, *oracle, Duplicates::kUniform, shape);
        i % 2 == 0 ? walk_anyhow(walk, random) : walk_by_weight(walk, random);
        ASSERT_EQ(walk.tree().sentence(), sentence);
        std::vector<int> nodes = walk.tree().in_order();
        for (size_t at = 0; at + 1 < nodes.size(); ++at) {
          if (!is_unfinished(sentence[at])) continue;
          const Tree::Node& next = walk.tree().node(nodes[at + 1]);
          ASSERT_EQ(walk.tree().slot_of(next).parent, nodes[at]);
          ++pieces;
        }
        for (int step = 0; step < walk.tree().steps(); ++step) {
          double total = 0.0;
          for (const ValidAction& answer : walk.valid_at(step)) total += answer.weight;
          ASSERT_NEAR(total, 1.0, 1e-5);
        }
      }
    }
  }
  EXPECT_GT(pieces, 1000);
}

TEST(Oracle, WholeWordsOfAHandExample) {
  // a low@@ er@@ ed b: 10 11 12 13 14.
  const Ids sentence = {10, 11, 12, 13, 14};
  const Ids unfinished = {11, 12};
  auto oracle = make_oracle({.oracle = OracleKind::kUniform, .whole_words = true}, unfinished);
  Walk walk(sentence, *oracle, Duplicates::kUniform);
  ASSERT_EQ(walk.valid().size(), 3U);
  EXPECT_NEAR(walk.valid()[0].weight, 0.2, 1e-6);
  EXPECT_EQ(walk.valid()[1].action.word, 11);
  EXPECT_NEAR(walk.valid()[1].weight, 0.6, 1e-6);  // its three pieces'
  EXPECT_EQ(walk.valid()[2].action.word, 14);
  RandomStream random(1, Purpose::kTest);
  walk.take(1, random);
  walk.take(0, random);  // a, to the left
  ASSERT_EQ(walk.valid().size(), 1U);
  EXPECT_EQ(walk.valid()[0].action.word, 12);
}

TEST(Oracle, FrequentWordsComeBetweenTheOthers) {
  // we walk along the quiet river .   of which `we`, `the` and `.` are frequent
  const Ids sentence = {6, 20, 21, 5, 22, 23, 7};
  OracleOptions options{.oracle = OracleKind::kContentFirst, .frequent_words = 3};
  auto oracle = make_oracle(options);
  RandomStream random(1, Purpose::kTest);
  Walk walk(sentence, *oracle, Duplicates::kUniform, Shape::kArity);
  walk_anyhow(walk, random);
  Ids order;
  for (const Tree::Node& node : walk.tree().nodes()) order.push_back(node.word);
  EXPECT_EQ(order, (Ids{20, 6, 21, 22, 5, 23, 7}));
}

TEST(Oracle, BalancedWeightsOfAHandExample) {
  auto oracle = make_oracle({.oracle = OracleKind::kBalanced, .balance = 2.0});
  const Ids sentence = {9, 7, 8, 9};  // distances 1.5, 0.5, 0.5, 1.5 from the middle
  Walk walk(sentence, *oracle, Duplicates::kUniform);
  ASSERT_EQ(walk.valid().size(), 3U);
  double near = std::exp(-0.5 / 2.0);
  double far = std::exp(-1.5 / 2.0);
  EXPECT_NEAR(walk.valid()[0].weight, near / (2 * near + 2 * far), 1e-6);
  EXPECT_NEAR(walk.valid()[1].weight, near / (2 * near + 2 * far), 1e-6);
  EXPECT_NEAR(walk.valid()[2].weight, 2 * far / (2 * near + 2 * far), 1e-6);
  EXPECT_EQ(walk.valid()[2].count, 2);
}

TEST(Oracle, BalancedTreesAreShallow) {
  RandomStream random(3, Purpose::kTest);
  auto sharp = make_oracle({.oracle = OracleKind::kBalanced, .balance = 0.01});
  auto soft = make_oracle({.oracle = OracleKind::kBalanced, .balance = 1.0});
  auto uniform = make_oracle({.oracle = OracleKind::kUniform});
  std::map<const Oracle*, int> depths;
  for (int words = 1; words <= 200; ++words) {
    Ids sentence(static_cast<size_t>(words));
    std::iota(sentence.begin(), sentence.end(), kSpecials);
    for (const Oracle* oracle : {sharp.get(), soft.get(), uniform.get()}) {
      Walk walk(sentence, *oracle, Duplicates::kUniform);
      walk_by_weight(walk, random);
      depths[oracle] += walk.tree().depth();
      if (oracle == sharp.get()) {
        ASSERT_EQ(walk.tree().depth(), std::floor(std::log2(words)));
      }
    }
  }
  EXPECT_LT(depths[sharp.get()], depths[soft.get()]);
  EXPECT_LT(1.5 * depths[soft.get()], depths[uniform.get()]);
  EXPECT_LT(5 * depths[uniform.get()], 199 * 200 / 2);  // the chains'
}

TEST(Oracle, AFarPlaceIsNoAnswerOfWeightZero) {
  Ids sentence(100);
  std::iota(sentence.begin(), sentence.end(), kSpecials);
  auto oracle = make_oracle({.oracle = OracleKind::kBalanced, .balance = 0.25});
  Walk walk(sentence, *oracle, Duplicates::kUniform);
  for (const ValidAction& valid : walk.valid()) ASSERT_GT(valid.weight, 0.0F);
}

/// How often the root stands at each place of the sentence when it is `word`.
std::vector<int> root_places(const OracleOptions& options, const Ids& sentence, WordId word) {
  auto oracle = make_oracle(options);
  RandomStream random(4, Purpose::kTest);
  std::vector<int> counts(sentence.size());
  for (int i = 0; i < 12'000; ++i) {
    Walk walk(sentence, *oracle, options.duplicates);
    walk.take_action(word, random);
    walk_anyhow(walk, random);
    ++counts[static_cast<size_t>(walk.tree().positions()[0])];
  }
  return counts;
}

TEST(Oracle, EqualWordsShareTheirPlacesByWeight) {
  const Ids sentence = {7, 8, 7, 7, 8};
  auto uniform = root_places({.oracle = OracleKind::kUniform}, sentence, 7);
  for (size_t place : {0, 2, 3}) EXPECT_NEAR(uniform[place], 4000, 250);
  EXPECT_EQ(uniform[1] + uniform[4], 0);
  auto balanced = root_places({.oracle = OracleKind::kBalanced}, sentence, 7);
  double total = std::exp(-2.0) + 1.0 + std::exp(-1.0);
  EXPECT_NEAR(balanced[0], 12'000 * std::exp(-2.0) / total, 250);
  EXPECT_NEAR(balanced[2], 12'000 * 1.0 / total, 250);
  EXPECT_NEAR(balanced[3], 12'000 * std::exp(-1.0) / total, 250);
  auto left_most = root_places({.duplicates = Duplicates::kLeftMost}, sentence, 7);
  EXPECT_EQ(left_most[0], 12'000);
}

// ---- learned roll-ins

/// A walk where half of the actions are any word at all; which of its nodes were right answers.
std::vector<bool> walk_astray(Walk& walk, size_t words, RandomStream& random) {
  std::vector<bool> right;
  size_t added = 0;
  for (; !walk.done(); expect_an_end(walk)) {
    auto index = random.below(walk.valid().size());
    WordId action = walk.valid()[index].action.word;
    if (walk.may_err() && random.below(2) == 0) {
      action = kSpecials + static_cast<WordId>(random.below(40));
    }
    bool valid =
        std::any_of(walk.valid().begin(), walk.valid().end(),
                    [&](const ValidAction& answer) { return answer.action.word == action; });
    if (action != kEnd) right.push_back(valid);
    if (action != kEnd && walk.allows_end()) ++added;
    walk.take_action(action, random);
  }
  EXPECT_LE(added, words);
  return right;
}

TEST(LearnedRollIn, NoGoldWordIsLostAndTheirOrderStays) {
  for (const auto& [kind, name] : EnumNames<OracleKind>::kNames) {
    auto oracle = make_oracle({.oracle = kind});
    RandomStream random(5, Purpose::kTest);
    for (int i = 0; i < 400; ++i) {
      Ids sentence = random_sentence(random);
      Shape shape = i % 2 == 0 ? Shape::kEnd : Shape::kArity;
      Walk walk(sentence, *oracle, Duplicates::kUniform, shape);
      std::vector<bool> right = walk_astray(walk, sentence.size(), random);
      Ids offered_and_taken;
      for (int id : walk.tree().in_order()) {
        if (right[static_cast<size_t>(id)]) offered_and_taken.push_back(walk.tree().node(id).word);
      }
      ASSERT_EQ(offered_and_taken, sentence) << name;
      ASSERT_EQ(walk.tree().steps(), steps_of(shape, walk.tree().word_count()));
    }
  }
}

TEST(LearnedRollIn, AWrongWordLeavesHalfOfItsSpanToEachSide) {
  auto oracle = make_oracle({.oracle = OracleKind::kUniform});
  RandomStream random(6, Purpose::kTest);
  for (int words = 1; words <= 9; ++words) {
    Ids sentence(static_cast<size_t>(words));
    std::iota(sentence.begin(), sentence.end(), 10);
    Walk walk(sentence, *oracle, Duplicates::kUniform);
    walk.take_action(99, random);
    EXPECT_EQ(walk.action_at(0).word, 99);
    Ids left;
    for (const ValidAction& valid : walk.valid()) left.push_back(valid.action.word);
    Ids half(sentence.begin(), sentence.begin() + words / 2);
    EXPECT_EQ(left, half.empty() ? Ids{kEnd} : half);
    walk.take(0, random);
    Ids right;
    for (const ValidAction& valid : walk.valid()) right.push_back(valid.action.word);
    EXPECT_EQ(right, Ids(sentence.begin() + words / 2, sentence.end()));
  }
}

TEST(LearnedRollIn, AWalkEndsThatIsWrongWheneverItMay) {
  auto oracle = make_oracle({.oracle = OracleKind::kUniform});
  RandomStream random(7, Purpose::kTest);
  for (size_t words : {1U, 2U, 5U, 30U}) {
    Ids sentence = random_sentence(random, static_cast<int>(words), 20);
    Walk walk(sentence, *oracle, Duplicates::kUniform);
    size_t steps = 0;
    for (; !walk.done() && steps < 100 * (words + 1); ++steps) {
      walk.may_err() ? walk.take_action(99, random) : walk.take(0, random);
    }
    EXPECT_TRUE(walk.done()) << words << " words, not complete after " << steps << " steps";
  }
}

// ---- schedules

TEST(Beta, BurnsInThenFallsToZero) {
  BetaSchedule schedule{.rate = 0.25, .burn_in = 2};
  const std::vector<double> expected = {1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0};
  for (size_t epoch = 0; epoch < expected.size(); ++epoch) {
    EXPECT_DOUBLE_EQ(schedule.at(static_cast<int64_t>(epoch)), expected[epoch]);
  }
  EXPECT_DOUBLE_EQ((BetaSchedule{.rate = 0.05, .burn_in = 0}.at(1)), 0.95);
  EXPECT_DOUBLE_EQ((BetaSchedule{.rate = 0.05, .burn_in = 0}.at(1'000'000)), 0.0);
  EXPECT_DOUBLE_EQ((BetaSchedule{.rate = 0.0, .burn_in = 0}.at(1'000'000)), 1.0);
}

TEST(Beta, RollInFollowsTheLossUnlessItHasItsOwnSchedule) {
  OracleOptions options{.oracle = OracleKind::kAnnealed, .loss_beta = {.rate = 0.1, .burn_in = 3}};
  EXPECT_DOUBLE_EQ(options.beta_of_loss(5), 0.8);
  EXPECT_DOUBLE_EQ(options.beta_of_rollin(5), 0.8);
  options.rollin_beta_rate = 0.01;
  EXPECT_DOUBLE_EQ(options.beta_of_rollin(5), 0.98);
  options.rollin_beta_burn_in = 0;
  EXPECT_DOUBLE_EQ(options.beta_of_rollin(5), 0.95);
  options.rollin_beta_rate = 0.0;  // the authors' unconditional models: roll-in stays uniform
  EXPECT_DOUBLE_EQ(options.beta_of_rollin(500), 1.0);
  EXPECT_DOUBLE_EQ(options.beta_of_loss(5), 0.8);
}

TEST(Beta, CoachingIsZeroAndFixedOraclesAreOne) {
  for (const auto& [kind, name] : EnumNames<OracleKind>::kNames) {
    if (kind == OracleKind::kAnnealed) continue;
    OracleOptions options{.oracle = kind, .loss_beta = {.rate = 0.5, .burn_in = 1}};
    for (int64_t epoch : {0, 1, 2, 100}) {
      EXPECT_EQ(options.beta_of_loss(epoch), kind == OracleKind::kCoaching ? 0.0 : 1.0) << name;
      EXPECT_EQ(options.beta_of_rollin(epoch), kind == OracleKind::kCoaching ? 0.0 : 1.0) << name;
    }
  }
}

TEST(Beta, NeverFallsBelowItsFloor) {
  OracleOptions options{.oracle = OracleKind::kAnnealed};
  options.loss_beta = {.rate = 0.5, .burn_in = 0, .floor = 0.3};
  EXPECT_EQ(options.beta_of_loss(1), 0.5);
  EXPECT_EQ(options.beta_of_loss(9), 0.3);
  EXPECT_EQ(options.beta_of_rollin(9), 0.3);
}

// ---- trajectories

void check_row(const Trajectory& packed, const Walk& walk, int64_t step, int64_t sentence) {
  auto row = static_cast<size_t>(packed.offset_at[static_cast<size_t>(step)] + sentence);
  auto at = static_cast<int>(step);
  ASSERT_EQ(packed.input[row].action, step == 0 ? 3 : walk.action_at(at - 1).word);
  ASSERT_EQ(packed.input[row].open, step == 0 ? Sides::kBoth : walk.action_at(at - 1).open);
  ASSERT_EQ(packed.action[row], walk.action_at(at).word);
  ASSERT_EQ(packed.sentence[row], sentence);
  std::span<const ValidAction> valid = walk.valid_at(at);
  auto begin = static_cast<size_t>(packed.valid_begin[row]);
  ASSERT_EQ(static_cast<size_t>(packed.valid_begin[row + 1]) - begin, valid.size());
  for (size_t i = 0; i < valid.size(); ++i) {
    ASSERT_EQ(packed.valid_action[begin + i], valid[i].action.word);
    ASSERT_EQ(packed.valid_open[begin + i], valid[i].action.open);
    ASSERT_EQ(packed.valid_weight[begin + i], valid[i].weight);
  }
}

void check_packed(const Trajectory& packed, const std::vector<Walk>& walks) {
  auto sentences = static_cast<int64_t>(walks.size());
  ASSERT_EQ(packed.sentences(), sentences);
  std::set<int64_t> sources(packed.source.begin(), packed.source.end());
  ASSERT_EQ(sources.size(), walks.size());  // each walk once
  ASSERT_TRUE(std::is_sorted(packed.steps_of.rbegin(), packed.steps_of.rend()));
  ASSERT_TRUE(std::is_sorted(packed.rows_at.rbegin(), packed.rows_at.rend()));
  int64_t rows = 0;
  for (int64_t s = 0; s < sentences; ++s) {
    const Walk& walk = walks.at(static_cast<size_t>(packed.source[static_cast<size_t>(s)]));
    ASSERT_EQ(packed.steps_of[static_cast<size_t>(s)], walk.tree().steps());
    for (int64_t step = 0; step < walk.tree().steps(); ++step, ++rows) {
      ASSERT_LT(s, packed.rows_at.at(static_cast<size_t>(step)));
      check_row(packed, walk, step, s);
    }
  }
  // As many rows as steps: nothing is padded.
  ASSERT_EQ(packed.rows(), rows);
  ASSERT_EQ(packed.steps(), walks.empty() ? 0 : packed.steps_of.front());
  ASSERT_EQ(packed.offset_at.size(), packed.rows_at.size() + 1);
  for (size_t step = 0; step < packed.rows_at.size(); ++step) {
    ASSERT_EQ(packed.offset_at[step + 1] - packed.offset_at[step], packed.rows_at[step]);
  }
  auto size = static_cast<size_t>(rows);
  ASSERT_TRUE(packed.input.size() == size && packed.action.size() == size);
  ASSERT_TRUE(packed.sentence.size() == size && packed.valid_begin.size() == size + 1);
  ASSERT_EQ(packed.valid_action.size(), static_cast<size_t>(packed.valid_begin.back()));
  ASSERT_EQ(packed.valid_weight.size(), packed.valid_action.size());
}

TEST(Trajectory, IsTheWalksWithoutPadding) {
  RandomStream random(8, Purpose::kTest);
  for (const auto& [kind, name] : EnumNames<OracleKind>::kNames) {
    auto oracle = make_oracle({.oracle = kind});
    for (size_t batch : {0U, 1U, 2U, 33U}) {
      std::vector<Walk> walks;
      for (size_t i = 0; i < batch; ++i) {
        Ids sentence = random_sentence(random);
        walks.emplace_back(sentence, *oracle, Duplicates::kUniform,
                           i % 2 == 0 ? Shape::kEnd : Shape::kArity);
        if (i % 3 == 0) {
          walk_astray(walks.back(), sentence.size(), random);
        } else {
          walk_anyhow(walks.back(), random);
        }
      }
      check_packed(pack(walks, 3), walks);
    }
  }
}

}  // namespace
}  // namespace bough
