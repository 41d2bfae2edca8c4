#include "bough/ask/score_task.h"

#include "bough/base/error.h"
#include "bough/model/policy.h"

namespace bough::ask {

using Json = nlohmann::ordered_json;

void ScoreTask::check(OptionSet& set) const {
  if (set.find("others")->was_set && !options_.by_word) {
    throw UsageError("--others goes with --by-word");
  }
  if (options_.orders.size() > 1) {
    throw UsageError("--order: sentences are scored by one order at a time");
  }
}

void ScoreTask::make_ready(const OpenModel& open, OptionSet& set) {
  check(set);
  model_ = open.model;
  precision_ = open.precision;
  order_ = chosen_orders(*model_, options_.orders).front();
  scorer_.emplace(options_.likelihood, options_.all_trees ? Order{} : order_);
  const Tokenizer& tokenizer = model_->text.tokenizer;
  if (tokenizer.codes() != nullptr) surface_.emplace(tokenizer.options());
}

std::unique_ptr<Stepper> ScoreTask::stepper() const {
  return model_->policy->stepper({.precision = precision_, .start = order_.start});
}

bool ScoreTask::needs_source() const {
  return traits_of(model_->config.task).needs_source_file();
}

void ScoreTask::parse(ScoredLine& line, const std::string& source_name) const {
  std::vector<std::string> words = model_->text.tokenizer.split(line.text);
  if (words.empty()) return;
  if (static_cast<int64_t>(words.size()) > options_.max_words) {
    throw DataError("{} words or pieces of words, more than --max-words {}", words.size(),
                    options_.max_words);
  }
  scorer_->check(static_cast<int64_t>(words.size()));
  const Language& language = model_->source_text();
  if (needs_source()) {
    line.source =
        language.vocabulary.ids(options_.source.split(line.source_text, language.tokenizer));
    if (line.source.empty()) throw DataError("{} that it is translated from is empty", source_name);
  }
  line.words = model_->text.vocabulary.ids(words);
  line.tokens = std::move(words);
  if (traits_of(model_->config.task).source == SourceKind::kOwnWords) line.source = line.words;
  if (surface_) line.surface_words = static_cast<int64_t>(surface_->split(line.text).size());
}

std::vector<ScoredLine> ScoreTask::parse(std::span<const std::string> texts,
                                         std::span<const std::string> sources) const {
  if (!needs_source() && !sources.empty()) {
    throw UsageError("'source' is for models that translate, and this isn't one");
  }
  if (needs_source() && sources.size() != texts.size()) {
    throw UsageError("'source' takes as many texts as 'text' has: {}, not {}", texts.size(),
                     sources.size());
  }
  std::vector<ScoredLine> lines;
  for (const std::string& text : texts) {
    ScoredLine& line = lines.emplace_back();
    line.text = text;
    line.number = static_cast<int64_t>(lines.size()) - 1;
    if (!sources.empty()) line.source_text = sources[lines.size() - 1];
    parse(line);
  }
  return lines;
}

void ScoreTask::score(const std::vector<ScoredLine>& lines, JobRunner& runner,
                      const std::function<void()>& between_steps,
                      const TakeScore& take_line) const {
  std::vector<SentenceToScore> sentences;
  for (const ScoredLine& line : lines) {
    if (line.words.empty()) continue;
    sentences.push_back({.words = line.words, .source = line.source, .number = line.number});
  }
  ScoreRequest request{.sentences = sentences,
                       .batch_rows = options_.batch_size,
                       .seed = static_cast<uint64_t>(options_.seed),
                       .others = options_.by_word ? options_.others : 0,
                       .between_steps = between_steps};
  auto line = lines.begin();
  auto take_unscored = [&] {
    for (; line != lines.end() && line->words.empty(); ++line) take_line(*line, nullptr, {});
  };
  auto take = [&](const Likelihood& found, std::span<const WordCost> costs) {
    take_line(*line, &found, words_of(*line, costs));
    ++line;
    take_unscored();
  };
  take_unscored();
  torch::NoGradGuard no_gradients;
  std::vector<ScoredSentence> scored;  // where words are scored, too
  scorer_->score(runner, request, [&](Likelihood&& found) {
    if (options_.by_word) {
      scored.push_back({sentences[scored.size()], std::move(found)});
    } else {
      take(found, {});
    }
  });
  if (scored.empty()) return;
  bool own_words = traits_of(model_->config.task).source == SourceKind::kOwnWords;
  std::vector<std::vector<WordCost>> costs = word_costs(
      *scorer_, runner, {.sentences = scored, .from_own_words = own_words, .scoring = request});
  for (size_t i = 0; i < scored.size(); ++i) take(scored[i].likelihood, costs[i]);
}

std::vector<ColouredWord> ScoreTask::words_of(const ScoredLine& line,
                                              std::span<const WordCost> costs) const {
  std::vector<ColouredWord> words;
  for (size_t i = 0; i < costs.size(); ++i) {
    ColouredWord& word = words.emplace_back();
    word.text = line.tokens[i];
    word.cost = costs[i].without;
    if (!costs[i].other) continue;
    word.other = model_->text.vocabulary.word(*costs[i].other);
    word.with_other = costs[i].with_other;
  }
  return words;
}

Json ScoreTask::json_of(const ScoredLine& line, const Likelihood& found,
                        std::span<const ColouredWord> words) const {
  double perplexity = perplexity_of(found.logprob, line.size());
  Json json{{"text", line.text},           {"logprob", found.logprob}, {"bound", found.bound},
            {"samples", found.trees},      {"ess", found.effective},   {"low", found.interval.low},
            {"high", found.interval.high}, {"tokens", line.size()},    {"perplexity", perplexity},
            {"exact", found.exact},        {"unknown", line.unknown()}};
  if (line.surface_words > 0) {
    json["words"] = line.surface_words;
    json["word_perplexity"] = perplexity_of(found.logprob, line.surface_words);
  }
  if (!options_.by_word) return json;
  Json& list = json["by_word"] = Json::array();
  for (const ColouredWord& word : words) {
    Json& one = list.emplace_back(Json{{"token", word.text}, {"without", word.cost}});
    if (!word.other) continue;
    one["other"] = *word.other;
    one["with_other"] = word.with_other;
  }
  return json;
}

}  // namespace bough::ask
