#include "bough/generate/reranker.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/model/model.h"
#include "bough/model/orders.h"
#include "bough/model/policy.h"

namespace bough {

namespace {

/// Trees side by side, where sentences written side by side are fewer.
constexpr int64_t kFewestRows = 256;

}  // namespace

Reranker::Reranker(std::shared_ptr<const Model> model, const RerankOptions& options,
                   const WriterOptions& writing)
    : model_(std::move(model)),
      by_(options.by),
      among_(options.among),
      length_power_(writing.beam.length_power),
      seed_(static_cast<uint64_t>(writing.seed)),
      precision_(writing.precision),
      batch_rows_(std::max(kFewestRows, writing.batch_size)) {
  for (const Order& order : orders_of(*model_)) {
    scorers_.push_back({order.start, LikelihoodScorer({.samples = options.samples}, order)});
  }
}

void Reranker::rank(std::span<WrittenList> lists,
                    const std::function<void()>& between_steps) const {
  std::vector<std::vector<WordId>> sources;  // by list
  std::vector<std::vector<WordId>> texts;
  for (const WrittenList& list : lists) {
    sources.push_back(model_->source_text().ids(list.source_text));
    for (const Written& one : list.sentences) texts.push_back(model_->text.ids(one.trace.text));
  }
  std::vector<SentenceToScore> sentences;
  std::vector<Written*> written;
  for (size_t i = 0; i < lists.size(); ++i) {
    for (Written& one : lists[i].sentences) {
      sentences.push_back(
          {.words = texts[written.size()], .source = sources[i], .number = lists[i].number});
      written.push_back(&one);
    }
  }
  ScoreRequest request{.sentences = sentences,
                       .batch_rows = batch_rows_,
                       .seed = seed_,
                       .between_steps = between_steps};
  std::vector<std::vector<double>> logprobs(sentences.size());  // by order
  for (const OrderScorer& order : scorers_) {
    size_t scored = 0;
    auto take = [&](Likelihood&& found) { logprobs[scored++].push_back(found.logprob); };
    if (runner_ != nullptr) {
      order.scorer.score(*runner_, request, take);
      break;  // a shared batch begins sentences in the usual order
    }
    order.scorer.score(*model_->policy->stepper({.precision = precision_, .start = order.start}),
                       request, take);
  }
  for (size_t i = 0; i < written.size(); ++i) {
    Written& one = *written[i];
    double orders = static_cast<double>(logprobs[i].size());
    one.likelihood = log_sum_of(logprobs[i]) - std::log(orders);
    double agreed = std::accumulate(logprobs[i].begin(), logprobs[i].end(), 0.0) / orders;
    one.score = over_length(by_ == RerankBy::kAgreement ? agreed : *one.likelihood,
                            one.trace.tree.word_count(), length_power_);
  }
  for (WrittenList& list : lists) {
    std::ranges::stable_sort(list.sentences, std::greater<>(), &Written::score);
  }
}

}  // namespace bough
