#include "bough/generate/writer.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "bough/base/error.h"
#include "bough/generate/reranker.h"
#include "bough/model/policy.h"
#include "bough/model/runtime.h"
#include "bough/text/tokenizer.h"

namespace bough {

namespace {

/// The words by node: the vocabulary's where a node has no text of its own.
std::vector<std::string> node_texts(const DecodedTree& decoded, const Vocabulary& vocabulary) {
  std::vector<std::string> texts;
  for (int id = 0; id < decoded.tree.word_count(); ++id) {
    bool own = !decoded.texts.empty() && !decoded.texts[static_cast<size_t>(id)].empty();
    texts.push_back(own ? decoded.texts[static_cast<size_t>(id)]
                        : vocabulary.word(decoded.tree.node(id).word));
  }
  return texts;
}

template <typename Sentence>
void keep_first(std::vector<Sentence>& sentences, int64_t count) {
  auto kept = std::min(sentences.size(), static_cast<size_t>(count));
  sentences.erase(sentences.begin() + static_cast<int64_t>(kept), sentences.end());
}

/// Adds sentences to a list of others; of equal ones it keeps the better.
void merge_into(std::vector<Written>& list, std::vector<Written>&& more) {
  for (Written& one : more) {
    auto same = std::ranges::find_if(
        list, [&](const Written& other) { return other.trace.text == one.trace.text; });
    if (same == list.end()) {
      list.push_back(std::move(one));
    } else if (same->score < one.score) {
      *same = std::move(one);
    }
  }
}

/// A step of a tree, as it is told to whoever waits: no more than that, for those who don't keep up
/// have many of them waiting.
struct Step {
  Action action;
  std::string text = {};  // of a word
  bool given = false;
  std::optional<StepScore> score = {};  // without alternatives
};

Step last_step(const Draft& draft, Action action, const Vocabulary& vocabulary) {
  Step step{.action = action};
  if (!draft.scores().empty()) {
    const StepScore& score = draft.scores().back();
    step.score = {.logprob = score.logprob, .entropy = score.entropy};
  }
  if (action.word == kEnd) return step;
  const Demanded& demanded = draft.demanded();
  auto node = static_cast<size_t>(draft.tree().word_count()) - 1;
  if (demanded.names_words()) {
    step.text = demanded.texts()[node];
    step.given = demanded.was_given()[node];
  }
  if (step.text.empty()) step.text = vocabulary.word(action.word);
  return step;
}

/// The sentences under way, put together of the steps that were told.
class GrowingTraces {
 public:
  GrowingTraces(const WriteRequest& request, int64_t vocabulary)
      : request_(request), vocabulary_(vocabulary) {}

  void take(int64_t sentence, const Step& step) {
    Trace& trace = traces_[sentence];
    trace.vocabulary = vocabulary_;
    if (step.score) trace.scores.push_back(*step.score);
    if (step.action.word == kEnd) {
      trace.tree.add_end();
    } else {
      trace.tree.add_word(step.action.word, step.action.open);
      trace.texts.push_back(step.text);
      trace.given.push_back(step.given);
      request_.on_word(sentence, trace);
    }
    if (trace.tree.complete()) traces_.erase(sentence);
  }

 private:
  const WriteRequest& request_;
  int64_t vocabulary_;
  std::map<int64_t, Trace> traces_;
};

/// Sentences that are ranked anew together.
constexpr size_t kRankedTogether = 256;

}  // namespace

Writer::Writer(const Policy& policy, const Language& text, const WriterOptions& options)
    : policy_(policy), text_(text), options_(options), method_(options.method()) {}

void Writer::write(const WriteRequest& request, const TakeWritten& take) const {
  with_plain_errors([&] {
    torch::NoGradGuard no_gradients;
    if (request.reranker == nullptr) {
      find(request, take);
    } else {
      find_and_rerank(request, take);
    }
  });
}

void Writer::find_and_rerank(const WriteRequest& request, const TakeWritten& take) const {
  int64_t wanted = request.best > 0 ? request.best : request.each;
  WriteRequest more = request;
  more.best = std::max(wanted, request.reranker->among());
  std::vector<WrittenList> lists;
  size_t sentences = 0;
  auto hand_on = [&] {
    request.reranker->rank(lists, request.between_steps);
    for (WrittenList& list : lists) {
      keep_first(list.sentences, wanted);
      take(std::move(list.sentences));
    }
    lists.clear();
    sentences = 0;
  };
  int64_t index = 0;
  find(more, [&](std::vector<Written>&& found) {
    Prompt prompt =
        request.prompts.empty() ? Prompt{} : request.prompts[static_cast<size_t>(index)];
    sentences += found.size();
    lists.push_back({.sentences = std::move(found),
                     .source_text = prompt.source_text,
                     .number = prompt.name ? prompt.name->number : index});
    ++index;
    if (sentences >= kRankedTogether) hand_on();
  });
  hand_on();
}

void Writer::find(const WriteRequest& request, const TakeWritten& take) const {
  if (request.starts.size() < 2) {
    std::optional<WordId> start;
    if (!request.starts.empty()) start = request.starts.front();
    find_in_order(request, start, take);
    return;
  }
  std::vector<std::vector<Written>> lists(static_cast<size_t>(request.count));
  for (WordId start : request.starts) {
    auto list = lists.begin();
    find_in_order(request, start,
                  [&](std::vector<Written>&& found) { merge_into(*list++, std::move(found)); });
  }
  for (std::vector<Written>& list : lists) {
    std::ranges::stable_sort(list, std::greater<>(), &Written::score);
    if (request.reranker == nullptr) keep_first(list, request.best);
    take(std::move(list));
  }
}

void Writer::find_in_order(const WriteRequest& request, std::optional<WordId> start,
                           const TakeWritten& take) const {
  auto finish = [&](std::vector<Candidate>&& candidates) {
    std::vector<Written> written;
    for (Candidate& candidate : candidates) {
      written.push_back({trace_of(std::move(candidate.tree)), candidate.score});
    }
    take(std::move(written));
  };
  if (method_ != "beam") {
    sample(request, start, finish);
    return;
  }
  auto take_best = [&](std::vector<Candidate>&& candidates) {
    keep_first(candidates, request.best > 0 ? request.best : request.each);
    finish(std::move(candidates));
  };
  run(request, start, [&](JobRunner& runner) {
    BeamDecoder(options_.sampler, options_.bounds, options_.beam)
        .decode(runner, decode_request(request), take_best);
  });
}

void Writer::sample(const WriteRequest& request, std::optional<WordId> start,
                    const TakeCandidates& take) const {
  bool vote = method_ == "mbr";
  DecodeRequest decode = decode_request(request);
  SamplerOptions sampler = options_.sampler;
  if (vote) {
    sampler.decode = Decode::kSample;
    decode.draws = options_.mbr.samples * (request.best > 0 ? 1 : request.each);
  } else if (request.best > 0) {
    decode.draws = std::max(request.each, 10 * request.best);
    decode.with_scores = true;
  } else {
    decode.draws = request.each;
  }
  bool told = request.on_word && !vote && request.best == 0;
  std::vector<Candidate> drawn;  // for the prompt under way
  auto take_drawn = [&](DecodedTree&& tree) {
    double logprob = 0.0;
    for (const StepScore& step : tree.scores) logprob += step.logprob;
    drawn.push_back({std::move(tree), logprob});
    if (static_cast<int64_t>(drawn.size()) < decode.draws) return;
    std::vector<Candidate> chosen = std::exchange(drawn, {});
    if (vote) {
      chosen = elect(std::move(chosen), request.best);
    } else if (request.best > 0) {
      chosen = rank_by_probability(std::move(chosen), options_.beam.length_power);
      keep_first(chosen, request.best);
    }
    if (!request.with_scores) {
      for (Candidate& candidate : chosen) candidate.tree.scores.clear();
    }
    take(std::move(chosen));
  };
  GrowingTraces growing(request, text_.vocabulary.size());
  run(request, start, [&](JobRunner& runner) {
    if (told) {
      decode.on_action = [&](int64_t sentence, const Draft& draft, Action action) {
        runner.tell([&growing, sentence, step = last_step(draft, action, text_.vocabulary)] {
          growing.take(sentence, step);
        });
      };
    }
    Decoder(sampler, options_.bounds).decode(runner, decode, take_drawn);
  });
}

std::vector<Candidate> Writer::elect(std::vector<Candidate> drawn, int64_t best) const {
  std::vector<Candidate> elected;
  auto group = static_cast<size_t>(options_.mbr.samples);
  for (size_t first = 0; first < drawn.size(); first += group) {
    std::vector<std::string> texts;
    for (size_t i = first; i < first + group; ++i) {
      std::vector<std::string> words = node_texts(drawn[i].tree, text_.vocabulary);
      std::vector<std::string> sentence;
      for (int id : drawn[i].tree.tree.in_order()) {
        sentence.push_back(std::move(words[static_cast<size_t>(id)]));
      }
      texts.push_back(join_words(sentence));
    }
    for (const Vote& vote : rank_by_agreement(texts, options_.mbr.metric)) {
      elected.push_back(std::move(drawn[first + vote.index]));
      elected.back().score = vote.score;
      if (best == 0 || static_cast<int64_t>(elected.size()) == best) break;
    }
  }
  return elected;
}

DecodeRequest Writer::decode_request(const WriteRequest& request) const {
  return {.count = request.count,
          .prompts = request.prompts,
          .batch_size = options_.batch_size,
          .seed = static_cast<uint64_t>(options_.seed),
          .with_scores = request.with_scores,
          .alternatives = request.alternatives,
          .shape = options_.shape,
          .between_steps = request.between_steps};
}

void Writer::run(const WriteRequest& request, std::optional<WordId> start,
                 const std::function<void(JobRunner&)>& work) const {
  if (request.runner != nullptr) {
    work(*request.runner);
    return;
  }
  std::unique_ptr<Stepper> stepper =
      policy_.stepper({.precision = options_.precision, .start = start});
  OwnBatch batch(*stepper, options_.batch_size);
  work(batch);
}

Trace Writer::trace_of(DecodedTree&& decoded) const {
  std::vector<std::string> texts = node_texts(decoded, text_.vocabulary);
  Trace trace{.tree = std::move(decoded.tree),
              .texts = std::move(texts),
              .scores = std::move(decoded.scores),
              .given = std::move(decoded.given),
              .finished = decoded.finished,
              .vocabulary = text_.vocabulary.size()};
  for (StepScore& score : trace.scores) {
    for (Alternative& other : score.alternatives) {
      other.text = text_.vocabulary.word(other.word);
    }
  }
  trace.text = text_.tokenizer.join(trace.sentence());
  return trace;
}

}  // namespace bough
