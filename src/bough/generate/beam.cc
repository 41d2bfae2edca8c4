#include "bough/generate/beam.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/top_k.h"

namespace bough {

namespace {

/// A tree under way.
struct Hypothesis {
  Draft draft;
  double score = 0.0;
};

/// A way for a hypothesis to go on.
struct Extension {
  size_t parent = 0;  // of the hypotheses
  Action action;
  int given = Draft::kFree;  // which given word it is
  double score = 0.0;
  StepScore step = {};  // where traces want it
};

struct BeamRequest {
  SourceIds source = {};  // has to stay as long as the job
  Draft draft;            // an empty tree, with what is demanded of it
  WordList listed = {};   // what it may be written with
  Sampler sampler;
  BeamOptions beam;
  bool with_scores = false;
  int64_t alternatives = 0;
  std::function<void(std::vector<Candidate>&&)> on_end;
};

/// The search for one sentence; its rows are its hypotheses, in order.
class BeamJob : public Job {
 public:
  explicit BeamJob(BeamRequest request) : request_(std::move(request)) {
    hypotheses_.push_back({.draft = std::move(request_.draft)});
  }

  SourceIds source() const override { return request_.source; }
  std::span<const WordId> listed() const override { return words_of(request_.listed); }
  int64_t most_rows() const override { return request_.beam.size; }

  void choose(std::span<ActionDistribution> slots) override {
    std::vector<Extension> extensions;
    for (size_t i = 0; i < slots.size(); ++i) {
      std::optional<KeptDistribution> before;
      if (request_.with_scores) before.emplace(slots[i]);
      size_t own = extensions.size();
      extend(i, slots[i], extensions);
      if (!before) continue;
      for (Extension& extension : std::span(extensions).subspan(own)) {
        extension.step = before->score(extension.action, request_.alternatives);
      }
    }
    std::ranges::stable_sort(extensions, std::greater{}, &Extension::score);
    extensions.resize(std::min(beam(), extensions.size()));
    grow(extensions);
  }

  NextRows take() override {
    if (!next_.parents.empty()) return std::exchange(next_, {});
    request_.on_end(rank_by_probability(std::move(complete_), request_.beam.length_power));
    return {};
  }

 private:
  size_t beam() const { return static_cast<size_t>(request_.beam.size); }

  /// All ways for one hypothesis that may be among the best.
  void extend(size_t parent, ActionDistribution& slot, std::vector<Extension>& extensions) const {
    const Hypothesis& hypothesis = hypotheses_[parent];
    const Demanded& demanded = hypothesis.draft.demanded();
    Demanded::Choice choice = demanded.choice();
    auto add = [&](Action action, double logprob, int given = Draft::kFree) {
      extensions.push_back({parent, action, given, hypothesis.score + logprob});
    };
    auto add_word = [&](WordId word, int given, const AllowedSides& allowed) {
      double logprob = slot.logprob(word);
      if (!slot.has_sides() || word == kEnd) return add({word}, logprob, given);
      SideScores sides = slot.side_logprobs(word);
      for (Sides open : kAllSides) {
        size_t i = index_of(open);
        if (allowed[i]) add({word, open}, logprob + static_cast<double>(sides[i]), given);
      }
    };
    if (choice.first < choice.last) {
      request_.sampler.adjust_end(slot, hypothesis.draft.words_due());
      int ranked = demanded.ranked(choice);
      for (int i = choice.first; i < choice.last; ++i) {
        if (ranked >= 0 && i != ranked) continue;
        add_word(demanded.given(i).word, i, hypothesis.draft.sides(i));
      }
      return;
    }
    Allowed allowed = hypothesis.draft.allowed();
    if (request_.sampler.decide(slot, allowed) == Stop::kYes) {
      add({kEnd}, 0.0);
      return;
    }
    slot.log_sum();  // what demands keep out from here on keeps its share of the probability
    if (!allowed.word) {
      add({kEnd}, slot.logprob(kEnd));
      return;
    }
    if (!allowed.end) slot.forbid_end();
    hypothesis.draft.forbid_words(slot);
    std::span<const float> logits = slot.joint();
    for (int64_t place : largest_k(
             logits, std::min<int64_t>(request_.beam.size, static_cast<int64_t>(logits.size())))) {
      WordId action = slot.action_at(place);
      if (std::isinf(logits[static_cast<size_t>(place)])) continue;
      add_word(action, Draft::kFree, allowed.sides);
    }
  }

  /// The hypotheses of the next step, and the trees that are complete now.
  void grow(std::span<const Extension> extensions) {
    std::vector<Hypothesis> grown;
    for (const Extension& extension : extensions) {
      Hypothesis child = hypotheses_[extension.parent];
      child.score = extension.score;
      if (extension.given >= 0) {
        child.draft.place_given(extension.given, extension.action.open);
      } else {
        child.draft.take(extension.action);
      }
      if (request_.with_scores) child.draft.add_score(extension.step);
      const Tree& tree = child.draft.tree();
      if (tree.complete()) {
        complete_.push_back({std::move(child.draft).finish(), child.score});
        continue;
      }
      next_.parents.push_back(static_cast<int64_t>(extension.parent));
      next_.inputs.push_back(step_input(tree));
      grown.push_back(std::move(child));
    }
    hypotheses_ = std::move(grown);
    if (complete_.size() >= beam()) next_ = {};  // enough to choose from
  }

  BeamRequest request_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<Candidate> complete_;
  NextRows next_;
};

}  // namespace

void BeamDecoder::decode(JobRunner& runner, const DecodeRequest& request,
                         const std::function<void(std::vector<Candidate>&&)>& take) const {
  InOrder<std::vector<Candidate>>{.count = request.count,
                                  .make =
                                      [&](int64_t index, auto done) {
                                        Prompt prompt = request.prompt(index);
                                        return std::make_unique<BeamJob>(BeamRequest{
                                            .source = prompt.source,
                                            .draft = decoder_.draft(prompt, runner.shape()),
                                            .listed = prompt.listed(),
                                            .sampler = sampler_,
                                            .beam = options_,
                                            .with_scores = request.with_scores,
                                            .alternatives = request.alternatives,
                                            .on_end = std::move(done)});
                                      },
                                  .take =
                                      [&](std::vector<Candidate>&& found) {
                                        if (found.empty()) throw nothing_left();
                                        take(std::move(found));
                                      },
                                  .between_steps = request.between_steps}
      .run(runner);
}

}  // namespace bough
