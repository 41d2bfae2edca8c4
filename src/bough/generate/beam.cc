#include "bough/generate/beam.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bough/generate/top_k.h"
#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

double log_add(double a, double b) {
  double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

void BeamDecoder::extend(const Hypothesis& hypothesis, size_t row, std::span<float> logits,
                         const float* end_logit, std::vector<Extension>& extensions) const {
  Demanded::Choice choice = hypothesis.demanded.choice();
  auto add = [&](WordId action, double logprob, int given = -1) {
    extensions.push_back({row, action, given, hypothesis.score + logprob});
  };
  if (choice.first < choice.last) {
    double log_sum = log_sum_exp(logits);
    int ranked = hypothesis.demanded.ranked(choice);
    for (int i = choice.first; i < choice.last; ++i) {
      if (ranked >= 0 && i != ranked) continue;
      WordId word = hypothesis.demanded.given(i).word;
      add(word, static_cast<double>(logits[static_cast<size_t>(word)]) - log_sum, i);
    }
    return;
  }
  bool unknown = forbid_words(hypothesis.demanded, logits);
  Stop stop = sampler_.decide(logits, end_logit,
                              {.end = choice.end, .word = choice.word, .unknown = unknown});
  if (stop == Stop::kYes) {
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

BeamDecoder::Hypothesis BeamDecoder::grown(const Hypothesis& parent,
                                           const Extension& extension) const {
  Hypothesis child = parent;
  child.score = extension.score;
  if (extension.given >= 0) {
    child.demanded.place_given(extension.given);
    child.result.tree.add_word(extension.action);
  } else if (extension.action == kEnd) {
    child.demanded.take_end();
    child.result.tree.add_end();
  } else {
    child.demanded.take_word(extension.action);
    child.result.tree.add_word(extension.action);
  }
  return child;
}

std::vector<BeamCandidate> BeamDecoder::ranked(std::vector<Hypothesis> complete) const {
  // Sentences by their words and texts: <unk> may stand for several.
  std::map<std::pair<std::vector<WordId>, std::vector<std::string>>, BeamCandidate> merged;
  std::stable_sort(complete.begin(), complete.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  for (Hypothesis& hypothesis : complete) {
    hypothesis.result.texts = hypothesis.demanded.texts();
    hypothesis.result.given = hypothesis.demanded.was_given();
    std::vector<std::string> texts;
    for (int id : hypothesis.result.tree.in_order()) {
      texts.push_back(hypothesis.result.texts[static_cast<size_t>(id)]);
    }
    std::vector<WordId> words = hypothesis.result.tree.sentence();
    auto [entry, fresh] = merged.try_emplace({std::move(words), std::move(texts)});
    if (fresh) {
      entry->second = {std::move(hypothesis.result), hypothesis.score};
    } else {
      entry->second.score = log_add(entry->second.score, hypothesis.score);
    }
  }
  std::vector<BeamCandidate> candidates;
  for (auto& [sentence, candidate] : merged) {
    auto words = std::max(1.0, static_cast<double>(candidate.tree.tree.word_count()));
    candidate.score /= std::pow(words, options_.length_power);
    candidates.push_back(std::move(candidate));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return candidates;
}

void BeamDecoder::decode(Stepper& stepper, const DecodeRequest& request,
                         const std::function<void(std::vector<BeamCandidate>&&)>& take) const {
  auto vocabulary = static_cast<size_t>(stepper.vocabulary());
  auto beam = static_cast<size_t>(options_.size);
  int64_t at_once = std::max<int64_t>(1, request.batch_size / options_.size);
  for (int64_t first = 0; first < request.count; first += at_once) {
    std::vector<Search> searches;
    std::vector<Source> sources;
    for (int64_t i = first; i < std::min(request.count, first + at_once); ++i) {
      sources.push_back(request.sources.empty() ? Source()
                                                : request.sources[static_cast<size_t>(i)]);
      Search& search = searches.emplace_back();
      search.active.push_back({.result = {}, .demanded = decoder_.demanded(i, request)});
    }
    stepper.start(sources);
    std::vector<float> logits;
    while (stepper.rows() > 0) {
      logits.resize(static_cast<size_t>(stepper.rows()) * vocabulary);
      stepper.all_scores(logits);
      std::vector<int64_t> parents;
      std::vector<StepInput> inputs;
      size_t row = 0;
      for (Search& search : searches) {
        std::vector<Extension> extensions;
        size_t first_row = row;
        for (const Hypothesis& hypothesis : search.active) {
          const float* end_logit =
              stepper.end_logits().empty() ? nullptr : &stepper.end_logits()[row];
          extend(hypothesis, row, {logits.data() + row * vocabulary, vocabulary}, end_logit,
                 extensions);
          ++row;
        }
        size_t kept = std::min(beam, extensions.size());
        std::stable_sort(extensions.begin(), extensions.end(),
                         [](const auto& a, const auto& b) { return a.score > b.score; });
        std::vector<Hypothesis> next;
        for (size_t i = 0; i < kept; ++i) {
          Hypothesis child = grown(search.active[extensions[i].parent - first_row], extensions[i]);
          const Tree& tree = child.result.tree;
          if (tree.complete()) {
            search.complete.push_back(std::move(child));
            continue;
          }
          parents.push_back(static_cast<int64_t>(extensions[i].parent));
          inputs.push_back(step_input(tree, tree.steps(), extensions[i].action));
          next.push_back(std::move(child));
        }
        if (search.complete.size() >= beam && !next.empty()) {  // enough to choose from
          parents.resize(parents.size() - next.size());
          inputs.resize(inputs.size() - next.size());
          next.clear();
        }
        search.active = std::move(next);
      }
      if (parents.empty()) break;
      stepper.keep(parents);
      stepper.advance(inputs);
    }
    for (Search& search : searches) take(ranked(std::move(search.complete)));
  }
}

}  // namespace bough
