#include "bough/generate/beam.h"

#include <algorithm>
#include <cmath>

#include "bough/generate/row_distribution.h"
#include "bough/generate/top_k.h"
#include "bough/model/kernels/kernels.h"

namespace bough {

void BeamDecoder::decode(Stepper& stepper, const DecodeRequest& request,
                         const std::function<void(std::vector<Candidate>&&)>& take) const {
  int64_t at_once = std::max<int64_t>(1, request.batch_size / options_.size);
  for (int64_t first = 0; first < request.count; first += at_once) {
    std::vector<Search> searches;
    std::vector<Source> sources;
    for (int64_t i = first; i < std::min(request.count, first + at_once); ++i) {
      Prompt prompt = request.prompt(i);
      sources.push_back(prompt.source);
      searches.emplace_back().active.push_back({.draft = decoder_.draft(prompt)});
    }
    stepper.start(sources);
    run(stepper, searches, request);
    for (Search& search : searches) {
      take(rank_by_probability(std::move(search.complete), options_.length_power));
    }
  }
}

void BeamDecoder::run(Stepper& stepper, std::span<Search> searches,
                      const DecodeRequest& request) const {
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  std::vector<float> logits;
  while (true) {
    if (request.between_steps) request.between_steps();
    logits.resize(static_cast<size_t>(stepper.rows()) * vocabulary);
    stepper.all_scores(logits);
    NextRows next;
    size_t row = 0;
    for (Search& search : searches) {
      size_t rows = search.active.size();
      step(search, stepper, {logits.data() + row * vocabulary, rows * vocabulary}, row, request,
           next);
      row += rows;
    }
    if (next.parents.empty()) return;
    stepper.keep(next.parents);
    stepper.advance(next.inputs);
  }
}

void BeamDecoder::step(Search& search, const Stepper& stepper, std::span<float> logits,
                       size_t first_row, const DecodeRequest& request, NextRows& next) const {
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  auto beam = static_cast<size_t>(options_.size);
  std::vector<Extension> extensions;
  for (size_t i = 0; i < search.active.size(); ++i) {
    std::span<float> row = logits.subspan(i * vocabulary, vocabulary);
    std::span<const float> end_logits = stepper.end_logits();
    const float* end_logit = end_logits.empty() ? nullptr : &end_logits[first_row + i];
    std::vector<float> before;
    if (request.with_scores) before.assign(row.begin(), row.end());
    size_t own = extensions.size();
    extend(search.active[i], i, row, end_logit, extensions);
    if (!request.with_scores) continue;
    RowDistribution distribution(before, end_logit, request.alternatives);
    for (Extension& extension : std::span(extensions).subspan(own)) {
      extension.step = distribution.score(extension.action);
    }
  }
  std::stable_sort(extensions.begin(), extensions.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  extensions.resize(std::min(beam, extensions.size()));
  std::vector<Hypothesis> grown;
  NextRows own;
  for (const Extension& extension : extensions) {
    Hypothesis child = search.active[extension.parent];
    child.score = extension.score;
    if (extension.given >= 0) {
      child.draft.place_given(extension.given);
    } else {
      child.draft.take(extension.action);
    }
    if (request.with_scores) child.draft.add_score(extension.step);
    const Tree& tree = child.draft.tree();
    if (tree.complete()) {
      search.complete.push_back({std::move(child.draft).finish(), child.score});
      continue;
    }
    own.parents.push_back(static_cast<int64_t>(first_row + extension.parent));
    own.inputs.push_back(step_input(tree, tree.steps(), extension.action));
    grown.push_back(std::move(child));
  }
  search.active.clear();
  if (search.complete.size() >= beam) return;  // enough to choose from
  search.active = std::move(grown);
  next.parents.insert(next.parents.end(), own.parents.begin(), own.parents.end());
  next.inputs.insert(next.inputs.end(), own.inputs.begin(), own.inputs.end());
}

void BeamDecoder::extend(const Hypothesis& hypothesis, size_t parent, std::span<float> logits,
                         const float* end_logit, std::vector<Extension>& extensions) const {
  const Demanded& demanded = hypothesis.draft.demanded();
  Demanded::Choice choice = demanded.choice();
  auto add = [&](WordId action, double logprob, int given = -1) {
    extensions.push_back({parent, action, given, hypothesis.score + logprob});
  };
  if (choice.first < choice.last) {
    double log_sum = log_sum_exp(logits);
    int ranked = demanded.ranked(choice);
    for (int i = choice.first; i < choice.last; ++i) {
      if (ranked >= 0 && i != ranked) continue;
      WordId word = demanded.given(i).word;
      add(word, static_cast<double>(logits[static_cast<size_t>(word)]) - log_sum, i);
    }
    return;
  }
  if (sampler_.decide(logits, end_logit, hypothesis.draft.allow(logits)) == Stop::kYes) {
    add(kEnd, 0.0);
    return;
  }
  double log_sum = log_sum_exp(logits);
  for (int64_t action :
       largest_k(logits, std::min<int64_t>(options_.size, static_cast<int64_t>(logits.size())))) {
    float logit = logits[static_cast<size_t>(action)];
    if (std::isinf(logit)) continue;
    add(static_cast<WordId>(action), static_cast<double>(logit) - log_sum);
  }
}

}  // namespace bough
