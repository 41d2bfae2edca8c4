#include "bough/generate/generator.h"

namespace bough {

Trace trace_of(DecodedTree&& decoded, const Vocabulary& vocabulary) {
  Trace trace{.tree = std::move(decoded.tree),
              .texts = {},
              .scores = std::move(decoded.scores),
              .given = std::move(decoded.given),
              .finished = decoded.finished};
  for (int id = 0; id < trace.tree.word_count(); ++id) {
    bool own = decoded.texts.empty() || decoded.texts[static_cast<size_t>(id)].empty();
    trace.texts.push_back(own ? vocabulary.word(trace.tree.node(id).word)
                              : decoded.texts[static_cast<size_t>(id)]);
  }
  return trace;
}

void generate(const Policy& policy, const Vocabulary& vocabulary, const GenerateRequest& request,
              const std::function<void(Trace&&)>& take) {
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = policy.stepper();
  Decoder decoder(request.sampler, request.bounds);
  DecodeRequest decode{.count = request.count,
                       .batch_size = request.batch_size,
                       .seed = request.seed,
                       .with_scores = request.with_scores,
                       .sources = request.sources,
                       .demands = request.demands,
                       .shape = request.shape};
  decoder.decode(*stepper, decode,
                 [&](DecodedTree&& decoded) { take(trace_of(std::move(decoded), vocabulary)); });
}

}  // namespace bough
