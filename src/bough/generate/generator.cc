#include "bough/generate/generator.h"

namespace bough {

void generate(const Policy& policy, const Vocabulary& vocabulary, const GenerateRequest& request,
              const std::function<void(Trace&&)>& take) {
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = policy.stepper();
  Decoder decoder(request.sampler, request.bounds);
  DecodeRequest decode{.count = request.count,
                       .batch_size = request.batch_size,
                       .seed = request.seed,
                       .with_scores = request.with_scores};
  decoder.decode(*stepper, decode, [&](DecodedTree&& decoded) {
    Trace trace{.tree = std::move(decoded.tree),
                .texts = {},
                .scores = std::move(decoded.scores),
                .finished = decoded.finished};
    for (const Tree::Node& node : trace.tree.nodes()) {
      trace.texts.push_back(vocabulary.word(node.word));
    }
    take(std::move(trace));
  });
}

}  // namespace bough
