#include "bough/train/rollin.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/model/action_distribution.h"

namespace bough {

namespace {

/// Index of a right answer, by the policy's preference among them: they are words, whose
/// probabilities are to each other as exp(logit), whatever <end>'s is, times those of their sides.
int draw_by_policy(std::span<const ValidAction> valid, const Stepper& stepper, int64_t row,
                   CoachingRollIn how, RandomStream& random) {
  if (valid.size() == 1) return 0;
  std::vector<WordId> words;
  for (const ValidAction& one : valid) words.push_back(one.action.word);
  std::vector<float> logits(words.size());
  stepper.scores(row, words, logits);
  for (size_t i = 0; i < valid.size() && stepper.shape() == Shape::kArity; ++i) {
    SideScores sides = stepper.side_logits(row, words[i]);
    logits[i] += sides[index_of(valid[i].action.open)] - log_sum_exp(sides);
  }
  auto best = std::max_element(logits.begin(), logits.end());
  if (how == CoachingRollIn::kGreedy) return static_cast<int>(best - logits.begin());
  std::vector<double> weights;
  for (float logit : logits) weights.push_back(std::exp(static_cast<double>(logit) - *best));
  return random.draw(weights);
}

/// An action of the policy's own, drawn from all that the walk can take.
WordId draw_own_action(const Walk& walk, const Stepper& stepper, int64_t row,
                       std::span<float> logits, RandomStream& random) {
  ActionDistribution slot(logits, stepper, row);
  for (WordId special : {kStart, kPad, kBagEnd}) slot.forbid(special);
  if (!walk.allows_end()) slot.forbid_end();
  exponentiate(slot.joint());
  return static_cast<WordId>(random.draw(std::span<const float>(logits)));
}

}  // namespace

RolledIn RollInWalker::walk(const Dataset& data, const RollInRequest& request) const {
  // By falling length, the order of a trajectory.
  std::vector<int64_t> order(request.batch.size());
  std::iota(order.begin(), order.end(), 0);
  auto sentence_of = [&](int64_t i) { return request.batch[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return data.length(sentence_of(a)) > data.length(sentence_of(b));
  });
  std::vector<Walk> walks;
  std::vector<RandomStream> random;
  walks.reserve(order.size());
  Shape shape = policy_.options().shape;
  int64_t rows = 0;
  std::vector<SourceIds> sources;
  for (int64_t i : order) {
    sources.push_back(request.sources == nullptr ? SourceIds()
                                                 : request.sources->sentence(sentence_of(i)));
    std::span<const WordId> words = data.sentence(sentence_of(i));
    walks.emplace_back(words, *oracle_, options_.duplicates, shape);
    rows += steps_of(shape, static_cast<int64_t>(words.size()));
    random.emplace_back(request.seed, request.purpose, request.pass,
                        static_cast<uint64_t>(sentence_of(i)));
  }
  RolledIn result;
  for (int64_t i : order) {
    auto sentence = static_cast<uint64_t>(sentence_of(i));
    result.names.push_back(RandomStream(sentence, Purpose::kDropout, 0).next());
  }
  DropoutMasks masks = request.masks;
  masks.sentences = result.names;
  torch::NoGradGuard no_gradients;
  if (options_.rollin != RollIn::kOracle) {
    // The policy's mistakes make trees longer: rows leave in no order that is known before.
    walk_with_policy(*policy_.stepper({.start = start_}), sources, walks, random, request.beta);
  } else if (request.beta < 1.0) {
    result.recorder = policy_.recorder({.rows = rows, .masks = masks, .start = start_});
    if (result.recorder) {
      walk_with_policy(*result.recorder, sources, walks, random, request.beta);
    } else {
      // The policy will go over the trajectory again. A recorder drops units in the roll-in too,
      // for its steps are those of the training pass; a stepper drops none.
      walk_with_policy(*policy_.drawing_stepper(start_), sources, walks, random, request.beta);
    }
  } else {
    for (size_t i = 0; i < walks.size(); ++i) {
      while (!walks[i].done()) {
        walks[i].take(walks[i].draw(random[i]), random[i]);
      }
    }
  }
  result.trajectory = pack(walks, start_);
  if (!result.recorder) {  // which has seen the sentences in this order, and refers to their names
    std::vector<uint64_t> names;
    for (int64_t source : result.trajectory.source) {
      names.push_back(result.names[static_cast<size_t>(source)]);
    }
    result.names = std::move(names);
  }
  for (int64_t& source : result.trajectory.source) {
    result.trajectory.given.push_back(sources[static_cast<size_t>(source)]);
    source = order[static_cast<size_t>(source)];
  }
  return result;
}

void RollInWalker::walk_with_policy(Stepper& stepper, std::span<const SourceIds> sources,
                                    std::span<Walk> walks, std::span<RandomStream> random,
                                    double beta) const {
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  std::vector<float> logits;
  std::vector<size_t> active(walks.size());  // row → walk
  for (size_t i = 0; i < walks.size(); ++i) active[i] = i;
  double own_share = options_.rollin == RollIn::kOracle  ? 0.0
                     : options_.rollin == RollIn::kMixed ? options_.rollin_mix
                                                         : 1.0;
  stepper.start(sources);
  while (!active.empty()) {
    if (own_share > 0.0) {
      logits.resize(active.size() * vocabulary);
      stepper.all_scores(logits);
    }
    std::vector<int64_t> kept;
    std::vector<StepInput> inputs;
    std::vector<size_t> still_active;
    for (size_t row = 0; row < active.size(); ++row) {
      Walk& walk = walks[active[row]];
      RandomStream& stream = random[active[row]];
      auto stepper_row = static_cast<int64_t>(row);
      if (own_share > 0.0 && stream.uniform() < own_share && walk.may_err()) {
        std::span<float> own(logits.data() + row * vocabulary, vocabulary);
        walk.take_action(draw_own_action(walk, stepper, stepper_row, own, stream), stream);
      } else if (stream.uniform() < beta) {
        walk.take(walk.draw(stream), stream);
      } else {
        walk.take(
            draw_by_policy(walk.valid(), stepper, stepper_row, options_.coaching_rollin, stream),
            stream);
      }
      if (walk.done()) continue;
      kept.push_back(stepper_row);
      inputs.push_back(walk.input());
      still_active.push_back(active[row]);
    }
    if (kept.size() < active.size()) stepper.keep(kept);
    active = std::move(still_active);
    if (!active.empty()) stepper.advance(inputs);
  }
}

}  // namespace bough
