#include "bough/train/sample_quality.h"

#include "bough/generate/decoder.h"

namespace bough {

namespace {

constexpr size_t kOrder = 4;

std::vector<uint32_t> symbols_of(std::span<const WordId> words) {
  return {words.begin(), words.end()};
}

}  // namespace

SampleJudge::SampleJudge(const Dataset& real)
    : real_(kOrder, static_cast<size_t>(real.word_count())) {
  for (int64_t i = 0; i < real.size(); ++i) real_.add(symbols_of(real.sentence(i)));
}

SampleQuality SampleJudge::judge(const Policy& policy, int64_t count, uint64_t seed) const {
  torch::NoGradGuard no_gradients;
  std::vector<std::vector<uint32_t>> samples;
  ReferenceSet each_other(kOrder);
  std::unique_ptr<Stepper> stepper = policy.stepper();
  Decoder(SamplerOptions{}, DecodeBounds{})
      .decode(*stepper, {.count = count, .seed = seed}, [&](DecodedTree&& decoded) {
        samples.push_back(symbols_of(decoded.tree.sentence()));
        each_other.add(samples.back());
      });
  SampleQuality sum;
  for (size_t i = 0; i < samples.size(); ++i) {
    sum.bleu += real_.bleu(samples[i])[kOrder - 1];
    sum.self_bleu += each_other.bleu(samples[i], static_cast<int64_t>(i))[kOrder - 1];
  }
  auto samples_drawn = static_cast<double>(samples.size());
  return {.bleu = sum.bleu / samples_drawn, .self_bleu = sum.self_bleu / samples_drawn};
}

}  // namespace bough
