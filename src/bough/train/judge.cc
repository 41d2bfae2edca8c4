#include "bough/train/judge.h"

#include <algorithm>

#include "bough/generate/decoder.h"
#include "bough/metrics/bleu.h"
#include "bough/metrics/chrf.h"
#include "bough/metrics/overlap.h"
#include "bough/metrics/samples.h"
#include "bough/model/policy.h"

namespace bough {

namespace {

std::vector<uint32_t> symbols_of(std::span<const WordId> words) {
  return {words.begin(), words.end()};
}

WrittenSentences decode(const Policy& policy, const SamplerOptions& sampler,
                        const DecodeRequest& request) {
  torch::NoGradGuard no_gradients;
  WrittenSentences sentences;
  Decoder(sampler, DecodeBounds{}).decode(*policy.stepper(), request, [&](DecodedTree&& decoded) {
    sentences.push_back(decoded.tree.sentence());
  });
  return sentences;
}

class SampleJudge : public Judge {
 public:
  SampleJudge(const Dataset& valid, int64_t count)
      : count_(count), real_(kOrder, static_cast<size_t>(valid.word_count())) {
    for (int64_t i = 0; i < valid.size(); ++i) real_.add(symbols_of(valid.sentence(i)));
  }

  WrittenSentences write(const Policy& policy, uint64_t seed, Shard part,
                         const std::function<void()>& between_steps) const override {
    std::vector<Prompt> prompts;
    for (int64_t i = part.begin(count_); i < part.end(count_); ++i) {
      prompts.push_back({.name = PromptName{.number = i}});
    }
    return decode(policy, {},
                  {.count = static_cast<int64_t>(prompts.size()),
                   .prompts = prompts,
                   .seed = seed,
                   .between_steps = between_steps});
  }

  Quality judge(const WrittenSentences& all) const override {
    std::vector<std::vector<uint32_t>> samples;
    ReferenceSet each_other(kOrder);
    for (const std::vector<WordId>& sentence : all) {
      samples.push_back(symbols_of(sentence));
      each_other.add(samples.back());
    }
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

/// Writes from sources greedily and compares with what was to be written: by BLEU, and by whatever
/// else says how well the task is done.
class SourceJudge : public Judge {
 public:
  SourceJudge(const Language& text, const Dataset& sources, std::vector<std::string> references,
              BleuTokenizer bleu_tokenizer)
      : text_(text), references_({std::move(references)}), bleu_tokenizer_(bleu_tokenizer) {
    for (size_t i = 0; i < references_.lines(); ++i) {
      prompts_.push_back({.source = sources.sentence(static_cast<int64_t>(i))});
    }
  }

  WrittenSentences write(const Policy& policy, uint64_t seed, Shard part,
                         const std::function<void()>& between_steps) const override {
    auto total = static_cast<int64_t>(prompts_.size());
    int64_t count = part.end(total) - part.begin(total);
    SamplerOptions greedy;
    greedy.decode = Decode::kGreedy;
    return decode(policy, greedy,
                  {.count = count,
                   .prompts = std::span(prompts_).subspan(static_cast<size_t>(part.begin(total)),
                                                          static_cast<size_t>(count)),
                   .seed = seed,
                   .between_steps = between_steps});
  }

  Quality judge(const WrittenSentences& all) const override {
    std::vector<std::string> lines;
    for (const std::vector<WordId>& sentence : all) lines.push_back(line_of(sentence, text_));
    double bleu = score(make_bleu({.tokenizer = bleu_tokenizer_}), lines);
    Quality quality{.numbers = {{"bleu", bleu}}, .goal = bleu};
    for (auto& number : other_scores(lines)) quality.numbers.push_back(std::move(number));
    return quality;
  }

 protected:
  using Scores = std::vector<std::pair<std::string, double>>;

  virtual Scores other_scores(std::span<const std::string> lines) const = 0;

  double score(const std::unique_ptr<Metric>& metric, std::span<const std::string> lines) const {
    return metric->score(measure_text(*metric, lines, references_, 1).sum());
  }

  static std::string line_of(std::span<const WordId> words, const Language& text) {
    return text.tokenizer.join(text.vocabulary.words(words));
  }

 private:
  const Language& text_;
  References references_;
  BleuTokenizer bleu_tokenizer_;
  std::vector<Prompt> prompts_;
};

class OrderJudge : public SourceJudge {
 public:
  OrderJudge(const Dataset& valid, const Language& text, int64_t count,
             BleuTokenizer bleu_tokenizer)
      : SourceJudge(text, valid, lines_of(valid, text, count), bleu_tokenizer) {}

 private:
  Scores other_scores(std::span<const std::string> lines) const override {
    return {{"f1", score(make_f1(false), lines)},
            {"exact_match", score(make_exact_match(false), lines)}};
  }

  static std::vector<std::string> lines_of(const Dataset& valid, const Language& text,
                                           int64_t count) {
    std::vector<std::string> lines;
    for (int64_t i = 0; i < std::min(count, valid.size()); ++i) {
      lines.push_back(line_of(valid.sentence(i), text));
    }
    return lines;
  }
};

class TranslationJudge : public SourceJudge {
 public:
  TranslationJudge(const TrainingData& data, const Language& text, int64_t count,
                   BleuTokenizer bleu_tokenizer)
      : SourceJudge(text, data.valid_source, first_of(data.valid_lines, count), bleu_tokenizer) {}

 private:
  Scores other_scores(std::span<const std::string> lines) const override {
    return {{"chrf", score(make_chrf({}), lines)}};
  }

  static std::vector<std::string> first_of(const std::vector<std::string>& lines, int64_t count) {
    auto size = static_cast<int64_t>(lines.size());
    return {lines.begin(), lines.begin() + std::min(count, size)};
  }
};

}  // namespace

std::unique_ptr<Judge> make_judge(TaskKind task, const TrainingData& data, const Language& text,
                                  int64_t count) {
  const TaskTraits& traits = traits_of(task);
  switch (traits.judge) {
    case JudgeKind::kSamples:
      return std::make_unique<SampleJudge>(data.valid, count);
    case JudgeKind::kOrder:
      return std::make_unique<OrderJudge>(data.valid, text, count, traits.bleu_tokenizer);
    case JudgeKind::kTranslations:
      return std::make_unique<TranslationJudge>(data, text, count, traits.bleu_tokenizer);
  }
  return nullptr;
}

}  // namespace bough
