// bough score: a sentence a line → how likely it is.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bough/analysis/word_cost_page.h"
#include "bough/ask/score_task.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "line_input.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "neural/signals.h"
#include "score_verb.h"

namespace bough::cli {

namespace {

using ask::ScoredLine;
using Json = nlohmann::ordered_json;

/// Lines that are scored word by word at a time: each is many sentences.
constexpr size_t kMostLinesByWord = 64;
/// Sentences on the page that --report writes.
constexpr size_t kMostShown = 1000;

/// The sources of a model that translates: as many lines as there are sentences.
class SourceLines {
 public:
  explicit SourceLines(const std::string& path) : path_(path), reader_(path) {}

  std::string next() {
    std::string line;
    if (!reader_.next(line)) {
      throw DataError("'{}' has {} lines, but there are more sentences to score", reader_.name(),
                      reader_.line_number());
    }
    return line;
  }

  /// The first lines belong to others, where there are so many sentences in all.
  void begin_at(int64_t first, std::optional<int64_t> total) {
    if (!total) return;
    if (int64_t own = count_lines(path_); own != *total) {
      throw DataError("'{}' has {} lines, but there are {} sentences to score", path_, own, *total);
    }
    pass_over_lines(reader_, first);
    partly_ = true;
  }

  void check_end() {
    if (partly_) return;
    std::string line;
    if (reader_.next(line)) {
      throw DataError("'{}' has more lines than there are sentences to score", reader_.name());
    }
  }

 private:
  std::string path_;
  TextReader reader_;
  bool partly_ = false;  // lines of others follow
};

class ScoreCommand : public ScoreVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    check(set);
    set_up(compute_);
    spdlog::info("seed {}", task_.options().seed);
    ask::OpenModel open = ask::open_model(model_, compute_.device, precision_said(precision_, set));
    task_.make_ready(open, set);
    check_source(traits_of(open.model->config.task));
    std::optional<SourceLines> sources;
    if (!source_file_.empty()) sources.emplace(source_file_);
    if (task_.has_order()) {
      spdlog::info("'{}' was trained {}: a sentence has one tree, and its likelihood is exact",
                   model_, name_of(task_.order().oracle));
    }
    OutputFile output(output_);
    std::optional<OutputFile> page;
    if (!report_.empty()) page.emplace(report_);
    LineInput input(lines_);
    if (sources) sources->begin_at(input.first(), input.total());
    std::unique_ptr<Stepper> stepper = task_.stepper();
    OwnBatch batch(*stepper, task_.options().batch_size);
    bool more = true;
    while (more) {
      std::vector<ScoredLine> lines;
      do {
        ScoredLine line;
        more = read_line(input, sources, line);
        if (more) lines.push_back(std::move(line));
      } while (more && lines.size() < (by_word() ? kMostLinesByWord : kMostLines) &&
               input.is_ready());
      task_.score(
          lines, batch, stop_where_asked,
          [&](const ScoredLine& line, const Likelihood* found, std::vector<ColouredWord>&& words) {
            if (found == nullptr) {
              print_without_score(line, output);
            } else {
              totals_.add(*found, line.size());
              surface_words_ += line.surface_words;
              unknown_ += line.unknown();
              if (!summary_) print(line, *found, std::move(words), output);
            }
          });
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

 protected:
  void declare_task(OptionSet& set) override { task_.declare(set); }

 private:
  bool by_word() const { return task_.options().by_word; }

  void check(OptionSet& set) const {
    task_.check(set);
    if (!report_.empty() && !by_word()) throw UsageError("--report goes with --by-word");
    if (by_word() && summary_) {
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
    if (source_file_ == "-" && !lines_.shard.parse().is_whole()) {
      throw UsageError("--shard needs --source FILE, not standard input");
    }
  }

  /// The next line, with its source, or what is wrong with it. False at the end.
  bool read_line(LineInput& input, std::optional<SourceLines>& sources, ScoredLine& line) const {
    bool has_source = false;
    auto take_source = [&] {
      if (sources && !std::exchange(has_source, true)) line.source_text = sources->next();
    };
    bool more = input.next([&](const std::string& text) {
      line.text = text;
      take_source();
      task_.parse(line, fmt::format("the line of '{}'", source_file_));
    });
    if (more) take_source();  // a line that is no text has one, too
    line.number = input.number();
    line.error = input.error();
    return more;
  }

  void print_without_score(const ScoredLine& line, OutputFile& output) const {
    if (summary_) return;
    bool say_why = !line.error.empty() && format_ == ScoreFormat::kJsonl;
    output.write_line(say_why ? Json{{"text", line.text}, {"error", line.error}}.dump() : "");
  }

  void print(const ScoredLine& line, const Likelihood& found, std::vector<ColouredWord>&& words,
             OutputFile& output) {
    double perplexity = perplexity_of(found.logprob, line.size());
    if (format_ == ScoreFormat::kText) {
      output.write_line(fmt::format("{:.2f}\t{:.3f}\t{}{}", perplexity, found.logprob, line.text,
                                    text_of(words)));
    } else {
      output.write_line(task_.json_of(line, found, words).dump());
    }
    if (!report_.empty() && shown_.size() < kMostShown) {
      shown_.push_back({std::move(words), perplexity});
    }
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
    if (!totals_.exact) json["samples"] = task_.options().likelihood.samples;
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

  ask::ScoreTask task_;
  LikelihoodTotals totals_;
  std::vector<ColouredSentence> shown_;  // in the report
  int64_t surface_words_ = 0;
  int64_t unknown_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_score_command() {
  return std::make_unique<ScoreCommand>();
}

}  // namespace bough::cli
