#include "bough/generate/decoder.h"

#include <algorithm>

#include "bough/generate/sentence_job.h"

namespace bough {

void DecodeBounds::apply(Demands& demands) const {
  demands.min_length = length > 0 ? length : std::max<int64_t>(1, min_length);
  demands.max_length = length > 0 ? length : max_length;
}

WordList Prompt::listed() const {
  if (!words || !demands || (demands->given.empty() && demands->bag.empty())) return words;
  auto all = std::make_shared<std::vector<WordId>>(*words);
  for (const GivenWord& word : demands->given) all->push_back(word.word);
  for (const GivenWord& word : demands->bag) all->push_back(word.word);
  std::ranges::sort(*all);
  all->erase(std::unique(all->begin(), all->end()), all->end());
  return all;
}

RandomStream DecodeRequest::stream(int64_t index, int64_t draw) const {
  PromptName name = prompt(index).name.value_or(PromptName{.number = index});
  uint64_t own_seed =
      name.way == 0 ? seed : seed_for(seed, Purpose::kWay, static_cast<uint64_t>(name.way));
  return {own_seed, Purpose::kGenerate, static_cast<uint64_t>(name.number),
          static_cast<uint64_t>(draw)};
}

namespace {

std::function<void(const Draft&, Action)> on_action(const DecodeRequest& request, int64_t index) {
  if (!request.on_action) return {};
  return [&request, index](const Draft& draft, Action action) {
    request.on_action(index, draft, action);
  };
}

}  // namespace

void Decoder::decode(JobRunner& runner, const DecodeRequest& request,
                     const std::function<void(DecodedTree&&)>& take) const {
  InOrder<DecodedTree>{
      .count = request.count * request.draws,
      .make =
          [&](int64_t index, auto done) {
            Prompt prompt = request.prompt(index / request.draws);
            return std::make_unique<SentenceJob>(SentenceRequest{
                .source = prompt.source,
                .draft = draft(prompt, runner.shape()),
                .listed = prompt.listed(),
                .sampler = sampler_,
                .random = request.stream(index / request.draws, index % request.draws),
                .shape = request.shape,
                .with_scores = request.with_scores,
                .alternatives = request.alternatives,
                .on_action = on_action(request, index),
                .on_end = std::move(done)});
          },
      .take =
          [&](DecodedTree&& tree) {
            if (tree.stuck) throw nothing_left();
            take(std::move(tree));
          },
      .between_steps = request.between_steps}
      .run(runner);
}

}  // namespace bough
