#include "bough/model/self_test.h"

#include <algorithm>

#include "bough/base/error.h"
#include "bough/model/layers/functions.h"
#include "bough/model/policy.h"
#include "bough/model/runtime.h"

namespace bough {

namespace {

/// A walk over a sentence of some of the vocabulary's words, equal ones among them.
Walk test_walk(int64_t vocabulary, const Oracle& oracle, Shape shape) {
  std::vector<WordId> sentence;
  int64_t words = vocabulary - kSpecials;
  for (int64_t i = 0; i < 8; ++i) {
    sentence.push_back(static_cast<WordId>(words > 0 ? kSpecials + (i * i) % words : kUnknown));
  }
  Walk walk(sentence, oracle, Duplicates::kUniform, shape);
  RandomStream random(1, Purpose::kTest);
  while (!walk.done()) {
    walk.take(static_cast<int>(random.below(walk.valid().size())), random);
  }
  return walk;
}

/// Step by step and all at once.
SelfTest compare_faces(const Model& model) {
  torch::NoGradGuard no_gradients;
  for (const auto& [name, tensor] : model.policy->parameters()) {
    if (!torch::isfinite(tensor).all().item<bool>()) {
      return {false, fmt::format("'{}' holds something that is not a finite number", name)};
    }
  }
  std::unique_ptr<Oracle> oracle = make_oracle({.oracle = OracleKind::kUniform});
  std::vector<Walk> walks = {
      test_walk(model.text.vocabulary.size(), *oracle, model.policy->options().shape)};
  Trajectory trajectory = pack(walks);
  std::vector<WordId> words = walks[0].tree().sentence();
  trajectory.given = {words};
  OutputLayer layer = model.policy->output();
  torch::Tensor whole = torch::addmm(layer.bias, model.policy->forward(trajectory).features,
                                     layer.weight.t())
                            .cpu();  // [rows, vocabulary]
  std::unique_ptr<Stepper> stepper = model.policy->stepper();
  torch::Tensor stepwise = torch::empty_like(whole);
  auto vocabulary = static_cast<size_t>(model.text.vocabulary.size());
  stepper->start(trajectory.given);
  for (int64_t row = 0; row < trajectory.rows(); ++row) {
    if (row > 0) stepper->advance({&trajectory.input[static_cast<size_t>(row)], 1});
    stepper->all_scores(
        change_numbers(stepwise).subspan(static_cast<size_t>(row) * vocabulary, vocabulary));
  }
  double size = std::max(1.0, whole.abs().max().item<double>());
  double difference = (whole - stepwise).abs().max().item<double>() / size;
  return {
      difference < 1e-4,
      fmt::format("logits step by step and all at once differ by {:.1e} (relative)", difference)};
}

}  // namespace

SelfTest test_model(const Model& model) {
  return with_plain_errors([&] { return compare_faces(model); });
}

}  // namespace bough
