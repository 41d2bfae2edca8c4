#include "bough/train/judge.h"

#include <algorithm>

#include "bough/generate/decoder.h"
#include "bough/metrics/bleu.h"
#include "bough/metrics/overlap.h"
#include "bough/metrics/samples.h"
#include "bough/text/tokenizer.h"

namespace bough {

namespace {

std::vector<uint32_t> symbols_of(std::span<const WordId> words) {
  return {words.begin(), words.end()};
}

class SampleJudge : public Judge {
 public:
  SampleJudge(const Dataset& valid, int64_t count)
      : count_(count), real_(kOrder, static_cast<size_t>(valid.word_count())) {
    for (int64_t i = 0; i < valid.size(); ++i) real_.add(symbols_of(valid.sentence(i)));
  }

  Quality judge(const Policy& policy, uint64_t seed) const override {
    torch::NoGradGuard no_gradients;
    std::vector<std::vector<uint32_t>> samples;
    ReferenceSet each_other(kOrder);
    std::unique_ptr<Stepper> stepper = policy.stepper();
    Decoder(SamplerOptions{}, DecodeBounds{})
        .decode(*stepper, {.count = count_, .seed = seed}, [&](DecodedTree&& decoded) {
          samples.push_back(symbols_of(decoded.tree.sentence()));
          each_other.add(samples.back());
        });
    double bleu = 0.0;
    double self_bleu = 0.0;
    for (size_t i = 0; i < samples.size(); ++i) {
      bleu += real_.bleu(samples[i])[kOrder - 1] / static_cast<double>(count_);
      self_bleu += each_other.bleu(samples[i], static_cast<int64_t>(i))[kOrder - 1] /
                   static_cast<double>(count_);
    }
    return {.numbers = {{"sample_bleu", bleu}, {"sample_self_bleu", self_bleu}}, .goal = {}};
  }

 private:
  static constexpr size_t kOrder = 4;

  int64_t count_;
  ReferenceSet real_;
};

class OrderJudge : public Judge {
 public:
  OrderJudge(const Dataset& valid, const Vocabulary& vocabulary, int64_t count)
      : vocabulary_(vocabulary), references_(lines_of(valid, vocabulary, count)) {
    for (size_t i = 0; i < references_.lines(); ++i) {
      prompts_.push_back({.source = valid.sentence(static_cast<int64_t>(i))});
    }
  }

  Quality judge(const Policy& policy, uint64_t seed) const override {
    torch::NoGradGuard no_gradients;
    std::vector<std::string> lines;
    std::unique_ptr<Stepper> stepper = policy.stepper();
    SamplerOptions greedy;
    greedy.decode = Decode::kGreedy;
    DecodeRequest request{
        .count = static_cast<int64_t>(prompts_.size()), .prompts = prompts_, .seed = seed};
    Decoder(greedy, DecodeBounds{}).decode(*stepper, request, [&](DecodedTree&& decoded) {
      lines.push_back(line_of(decoded.tree.sentence(), vocabulary_));
    });
    auto score = [&](const std::unique_ptr<Metric>& metric) {
      return metric->score(measure_text(*metric, lines, references_, 1).sum());
    };
    double bleu = score(make_bleu({.tokenizer = BleuTokenizer::kNone}));
    return {.numbers = {{"bleu", bleu},
                        {"f1", score(make_f1(false))},
                        {"exact_match", score(make_exact_match(false))}},
            .goal = bleu};
  }

 private:
  static std::string line_of(std::span<const WordId> words, const Vocabulary& vocabulary) {
    std::vector<std::string> texts;
    for (WordId word : words) texts.push_back(vocabulary.word(word));
    return join_words(texts);
  }

  static References lines_of(const Dataset& valid, const Vocabulary& vocabulary, int64_t count) {
    std::vector<std::string> lines;
    for (int64_t i = 0; i < std::min(count, valid.size()); ++i) {
      lines.push_back(line_of(valid.sentence(i), vocabulary));
    }
    return References({std::move(lines)});
  }

  const Vocabulary& vocabulary_;
  References references_;
  std::vector<Prompt> prompts_;
};

}  // namespace

std::unique_ptr<Judge> make_judge(Task task, const Dataset& valid, const Vocabulary& vocabulary,
                                  int64_t count) {
  switch (task) {
    case Task::kLm:
      return std::make_unique<SampleJudge>(valid, count);
    case Task::kReorder:
      return std::make_unique<OrderJudge>(valid, vocabulary, count);
  }
  return nullptr;
}

}  // namespace bough
