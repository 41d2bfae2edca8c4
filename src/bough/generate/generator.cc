#include "bough/generate/generator.h"

#include <algorithm>

namespace bough {

void generate(const Policy& policy, const Vocabulary& vocabulary, const GenerateRequest& request,
              const std::function<void(Trace&&)>& take) {
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = policy.stepper();
  Decoder decoder(request.sampler, request.bounds);
  for (int64_t first = 0; first < request.count; first += request.batch_size) {
    int64_t count = std::min(request.batch_size, request.count - first);
    std::vector<DecodedTree> trees = decoder.decode(
        *stepper,
        {.first = first, .count = count, .seed = request.seed, .with_scores = request.with_scores});
    for (DecodedTree& decoded : trees) {
      Trace trace{.tree = std::move(decoded.tree),
                  .texts = {},
                  .scores = std::move(decoded.scores),
                  .finished = decoded.finished};
      for (const Tree::Node& node : trace.tree.nodes()) {
        trace.texts.push_back(vocabulary.word(node.word));
      }
      take(std::move(trace));
    }
  }
}

}  // namespace bough
