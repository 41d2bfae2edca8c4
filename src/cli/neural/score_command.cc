// bough score: a sentence a line → how likely it is.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bough/analysis/word_cost_page.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/generate/word_costs.h"
#include "bough/model/model.h"
#include "bough/model/orders.h"
#include "bough/model/policy.h"
#include "line_input.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "neural/score_task.h"
#include "neural/signals.h"
#include "score_verb.h"

namespace bough::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Lines that are scored word by word at a time: each is many sentences.
constexpr size_t kMostLinesByWord = 64;
/// Sentences on the page that --report writes.
constexpr size_t kMostShown = 1000;

struct Line {
  std::string text;
  std::string source_text;
  std::string error;  // why there is nothing to score
  std::vector<std::string> tokens;
  std::vector<WordId> words;   // none of an empty line
  std::vector<WordId> source;  // what it is written from
  int64_t surface_words = 0;   // before they were cut into pieces
  int64_t number = 0;

  int64_t size() const { return static_cast<int64_t>(words.size()); }
  int64_t unknown() const { return std::ranges::count(words, kUnknown); }
};

/// The sources of a model that translates: as many lines as there are sentences.
class SourceLines {
 public:
  explicit SourceLines(const std::string& path) : reader_(path) {}

  std::string next() {
    std::string line;
    if (!reader_.next(line)) {
      throw DataError("'{}' has {} lines, but there are more sentences to score", reader_.name(),
                      reader_.line_number());
    }
    return line;
  }

  void check_end() {
    std::string line;
    if (reader_.next(line)) {
      throw DataError("'{}' has more lines than there are sentences to score", reader_.name());
    }
  }

 private:
  TextReader reader_;
};

class ScoreCommand : public ScoreVerb, public ScoreTask {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    check_by_word(set);
    if (orders_.size() > 1)
      throw UsageError("--order: sentences are scored by one order at a time");
    set_up(compute_);
    spdlog::info("seed {}", seed_);
    std::shared_ptr<const Model> loaded = load_model(model_, compute_.device, precision_);
    std::optional<SourceLines> sources;
    check_source(traits_of(loaded->config.task));
    if (!source_file_.empty()) sources.emplace(source_file_);
    prepare(loaded, set);
    if (scorer_->has_order()) {
      spdlog::info("'{}' was trained {}: a sentence has one tree, and its likelihood is exact",
                   model_, name_of(order_.oracle));
    }
    OutputFile output(output_);
    std::optional<OutputFile> page;
    if (!report_.empty()) page.emplace(report_);
    LineInput input(lines_.input, lines_.on_error);
    std::unique_ptr<Stepper> stepper = loaded->policy->stepper(
        {.precision = precision_for(*loaded, precision_, set), .start = order_.start});
    OwnBatch batch(*stepper, batch_size_);
    auto stop = [] {
      if (stop_requested()) throw Interrupted("interrupted");
    };
    bool more = true;
    while (more) {
      std::vector<Line> lines;
      do {
        Line line;
        more = read_line(input, sources, line, [&] { parse(line); });
        if (more) lines.push_back(std::move(line));
      } while (more && lines.size() < (by_word_ ? kMostLinesByWord : kMostLines) &&
               input.is_ready());
      auto take = [&](const Line& line, const Likelihood* found, std::span<const WordCost> costs) {
        if (found == nullptr) {
          print_without_score(line, output);
        } else {
          totals_.add(*found, line.size());
          surface_words_ += line.surface_words;
          unknown_ += line.unknown();
          if (!summary_) print(line, *found, words_of(line, costs), output);
        }
      };
      score(lines, batch, stop, take);
    }
    if (sources) sources->check_end();
    input.warn_of_skipped();
    if (summary_)
      output.write_line(format_ == ScoreFormat::kJsonl ? totals().dump() : text_of(totals()));
    output.commit();
    if (page) {
      page->write(write_word_cost_page("What each word costs", shown_));
      page->commit();
    }
    report();
  }

  Command& verb() override { return *this; }

  void prepare(std::shared_ptr<const Model> model, OptionSet& set) override {
    check_by_word(set);
    loaded_ = std::move(model);
    order_ = chosen_orders(loaded_->config, orders_).front();
    scorer_.emplace(likelihood_, all_trees_ ? OracleKind::kUniform : order_.oracle);
    const Tokenizer& tokenizer = loaded_->text.tokenizer;
    if (tokenizer.codes() != nullptr) surface_.emplace(tokenizer.options());
  }

  std::vector<Json> answer(const Request& request) override {
    std::vector<Line> lines;
    for (size_t i = 0; i < request.texts.size(); ++i) {
      Line& line = lines.emplace_back();
      line.text = request.texts[i];
      if (!request.sources.empty()) line.source_text = request.sources[i];
      line.number = static_cast<int64_t>(i);
      parse(line);
    }
    std::vector<Json> answers;
    score(lines, request.runner, request.between_steps,
          [&](const Line& line, const Likelihood* found, std::span<const WordCost> costs) {
            Json& one = answers.emplace_back(found == nullptr ? Json() : json_of(line, *found));
            if (found != nullptr && by_word_) one["by_word"] = json_of(words_of(line, costs));
          });
    return answers;
  }

 private:
  void check_by_word(OptionSet& set) const {
    for (const char* option : {"others", "report"}) {
      if (set.find(option)->was_set && !by_word_) {
        throw UsageError("--{} goes with --by-word", option);
      }
    }
    if (by_word_ && summary_) {
      throw UsageError("--by-word is about each sentence, --summary about all: give one of them");
    }
  }

  void check_source(const TaskTraits& task) const {
    if (task.needs_source_file() == source_file_.empty()) {
      throw UsageError(
          "--source is for models that translate, and they need it: '{}' is one for "
          "--task {}",
          model_, name_of(task.task));
    }
    if (source_file_ == "-" && lines_.input == "-") {
      throw UsageError("--source and --input can't both be standard input");
    }
  }

  /// The next line, with its source, or what is wrong with it. False at the end.
  template <typename Parse>
  static bool read_line(LineInput& input, std::optional<SourceLines>& sources, Line& line,
                        const Parse& parse) {
    bool has_source = false;
    auto take_source = [&] {
      if (sources && !std::exchange(has_source, true)) line.source_text = sources->next();
    };
    bool more = input.next([&](const std::string& text) {
      line.text = text;
      take_source();
      parse();
    });
    if (more) take_source();  // a line that is no text has one, too
    line.number = input.number();
    line.error = input.error();
    return more;
  }

  /// DataError or UnmetError, without the line's number, for one that can't be scored.
  void parse(Line& line) const {
    const Model& model = *loaded_;
    std::vector<std::string> words = model.text.tokenizer.split(line.text);
    if (words.empty()) return;
    if (static_cast<int64_t>(words.size()) > max_words_) {
      throw DataError("{} words or pieces of words, more than --max-words {}", words.size(),
                      max_words_);
    }
    scorer_->check(static_cast<int64_t>(words.size()));
    const Language& language = model.source_text();
    bool translates = traits_of(model.config.task).needs_source_file();
    if (translates) {
      line.source = language.vocabulary.ids(source_.split(line.source_text, language.tokenizer));
    }
    if (translates && line.source.empty()) {
      throw DataError(
          "{} that it is translated from is empty",
          source_file_.empty() ? "the source" : fmt::format("the line of '{}'", source_file_));
    }
    line.words = model.text.vocabulary.ids(words);
    line.tokens = std::move(words);
    if (traits_of(model.config.task).source == SourceKind::kOwnWords) line.source = line.words;
    if (surface_) line.surface_words = static_cast<int64_t>(surface_->split(line.text).size());
  }

  /// Told of a line with its likelihood, or with none where there is nothing to score, and with
  /// what its words cost where that is asked for.
  using TakeScore =
      std::function<void(const Line&, const Likelihood* found, std::span<const WordCost> costs)>;

  void score(const std::vector<Line>& lines, JobRunner& runner,
             const std::function<void()>& between_steps, const TakeScore& take_line) {
    std::vector<SentenceToScore> sentences;
    for (const Line& line : lines) {
      if (line.words.empty()) continue;
      sentences.push_back({.words = line.words, .source = line.source, .number = line.number});
    }
    ScoreRequest request{.sentences = sentences,
                         .batch_rows = batch_size_,
                         .seed = static_cast<uint64_t>(seed_),
                         .others = by_word_ ? others_ : 0,
                         .between_steps = between_steps};
    auto line = lines.begin();
    auto take_unscored = [&] {
      for (; line != lines.end() && line->words.empty(); ++line) take_line(*line, nullptr, {});
    };
    auto take = [&](const Likelihood& found, std::span<const WordCost> costs) {
      take_line(*line++, &found, costs);
      take_unscored();
    };
    take_unscored();
    torch::NoGradGuard no_gradients;
    std::vector<ScoredSentence> scored;  // where words are scored, too
    scorer_->score(runner, request, [&](Likelihood&& found) {
      if (by_word_) {
        scored.push_back({sentences[scored.size()], std::move(found)});
      } else {
        take(found, {});
      }
    });
    if (scored.empty()) return;
    bool own_words = traits_of(loaded_->config.task).source == SourceKind::kOwnWords;
    std::vector<std::vector<WordCost>> costs = word_costs(
        *scorer_, runner, {.sentences = scored, .from_own_words = own_words, .scoring = request});
    for (size_t i = 0; i < scored.size(); ++i) take(scored[i].likelihood, costs[i]);
  }

  /// A line's words with what they cost; none where nobody has asked for that.
  std::vector<ColouredWord> words_of(const Line& line, std::span<const WordCost> costs) const {
    std::vector<ColouredWord> words;
    for (size_t i = 0; i < costs.size(); ++i) {
      ColouredWord& word = words.emplace_back();
      word.text = line.tokens[i];
      word.cost = costs[i].without;
      if (!costs[i].other) continue;
      word.other = loaded_->text.vocabulary.word(*costs[i].other);
      word.with_other = costs[i].with_other;
    }
    return words;
  }

  void print_without_score(const Line& line, OutputFile& output) const {
    if (summary_) return;
    bool say_why = !line.error.empty() && format_ == ScoreFormat::kJsonl;
    output.write_line(say_why ? Json{{"text", line.text}, {"error", line.error}}.dump() : "");
  }

  void print(const Line& line, const Likelihood& found, std::vector<ColouredWord>&& words,
             OutputFile& output) {
    double perplexity = perplexity_of(found.logprob, line.size());
    if (format_ == ScoreFormat::kText) {
      output.write_line(fmt::format("{:.2f}\t{:.3f}\t{}{}", perplexity, found.logprob, line.text,
                                    text_of(words)));
    } else {
      Json json = json_of(line, found);
      if (by_word_) json["by_word"] = json_of(words);
      output.write_line(json.dump());
    }
    if (!report_.empty() && shown_.size() < kMostShown) {
      shown_.push_back({std::move(words), perplexity});
    }
  }

  static Json json_of(const Line& line, const Likelihood& found) {
    double perplexity = perplexity_of(found.logprob, line.size());
    Json json{
        {"text", line.text},           {"logprob", found.logprob}, {"bound", found.bound},
        {"samples", found.trees},      {"ess", found.effective},   {"low", found.interval.low},
        {"high", found.interval.high}, {"tokens", line.size()},    {"perplexity", perplexity},
        {"exact", found.exact},        {"unknown", line.unknown()}};
    if (line.surface_words > 0) {
      json["words"] = line.surface_words;
      json["word_perplexity"] = perplexity_of(found.logprob, line.surface_words);
    }
    return json;
  }

  static Json json_of(std::span<const ColouredWord> words) {
    Json list = Json::array();
    for (const ColouredWord& word : words) {
      Json& one = list.emplace_back(Json{{"token", word.text}, {"without", word.cost}});
      if (!word.other) continue;
      one["other"] = *word.other;
      one["with_other"] = word.with_other;
    }
    return list;
  }

  /// A tab, and each word with what it costs and, in brackets, the best other one.
  static std::string text_of(std::span<const ColouredWord> words) {
    std::string text;
    for (const ColouredWord& word : words) {
      text += fmt::format("{}{} {:+.2f}", text.empty() ? "\t" : ", ", word.text, word.cost);
      if (word.other) text += fmt::format(" ({} {:+.2f})", *word.other, word.with_other);
    }
    return text;
  }

  /// Of all lines together.
  Json totals() const {
    LogInterval interval = totals_.interval();
    auto count = static_cast<double>(std::max<int64_t>(1, totals_.sentences));
    Json json{{"sentences", totals_.sentences},
              {"tokens", totals_.words},
              {"unknown", unknown_},
              {"logprob", totals_.logprob},
              {"bound", totals_.bound},
              {"low", interval.low},
              {"high", interval.high},
              {"perplexity", perplexity_of(totals_.logprob, totals_.words)},
              {"perplexity_low", perplexity_of(interval.high, totals_.words)},
              {"perplexity_high", perplexity_of(interval.low, totals_.words)},
              {"ess", totals_.effective / count},
              {"exact", totals_.exact}};
    if (!totals_.exact) json["samples"] = likelihood_.samples;
    if (surface_words_ > 0) {
      json["words"] = surface_words_;
      json["word_perplexity"] = perplexity_of(totals_.logprob, surface_words_);
    }
    json["costs"] = Json::array();
    for (size_t depth = 0; depth < totals_.costs.size(); ++depth) {
      const DepthCost& cost = totals_.costs[depth];
      json["costs"].push_back(
          {{"depth", depth}, {"slots", cost.slots}, {"words", cost.words}, {"shape", cost.shape}});
    }
    return json;
  }

  static std::string text_of(const Json& totals) {
    return fmt::format(
        "perplexity {:.2f} ({:.2f} … {:.2f}), {:.1f} nats, {} sentences, {} words",
        totals.at("perplexity").get<double>(), totals.at("perplexity_low").get<double>(),
        totals.at("perplexity_high").get<double>(), totals.at("logprob").get<double>(),
        totals.at("sentences").get<int64_t>(), totals.at("tokens").get<int64_t>());
  }

  /// For people.
  void report() const {
    spdlog::info("{}", text_of(totals()));
    if (unknown_ == 0) return;
    spdlog::warn("{} of {} words are outside the vocabulary and were scored as {}", unknown_,
                 totals_.words, kSpecialNames[kUnknown]);
  }

  std::shared_ptr<const Model> loaded_;
  std::optional<LikelihoodScorer> scorer_;
  Order order_;
  std::optional<Tokenizer> surface_;  // cuts no words; where the model's own does
  LikelihoodTotals totals_;
  std::vector<ColouredSentence> shown_;  // in the report
  int64_t surface_words_ = 0;
  int64_t unknown_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_score_command() {
  return std::make_unique<ScoreCommand>();
}

std::unique_ptr<ScoreTask> make_score_task() {
  return std::make_unique<ScoreCommand>();
}

}  // namespace bough::cli
