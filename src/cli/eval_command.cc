// bough eval: scores of systems against references.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/base/text_reader.h"
#include "bough/metrics/evaluate.h"
#include "bough/metrics/rows_file.h"
#include "commands.h"
#include "eval_parts.h"
#include "eval_report.h"

namespace bough::cli {

enum class PairedTest { kBoth, kBootstrap, kRandomisation };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::PairedTest> {
  using Test = bough::cli::PairedTest;
  static constexpr auto kNames =
      std::to_array<EnumName<Test>>({{Test::kBoth, "both"},
                                     {Test::kBootstrap, "bootstrap"},
                                     {Test::kRandomisation, "randomisation"}});
};

namespace bough::cli {

namespace {

/// A system's output, and what each metric measured in it.
struct System {
  std::string name;
  std::vector<std::string> lines;
  std::vector<Rows> rows;  // by metric
};

class EvalCommand : public Command {
 public:
  std::string_view name() const override { return "eval"; }
  std::string_view summary() const override { return "Score output against references."; }
  std::string_view usage() const override {
    return "eval REF… -i HYP [-i HYP…] -m METRIC… [--paired HYP…] [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Evaluation");
    set.list("input", inputs_, "HYP",
             "a system's output, a sentence a line as in the references; several are runs of one "
             "recipe, with mean ± standard deviation; -: standard input, which is the default")
        .short_name = 'i';
    set.choices("metrics", kinds_, "what to compute; bleu if none is named").short_name = 'm';
    set.list("paired", paired_, "HYP",
             "another system; each is tested for a real difference from the first");
    set.choice("paired-test", test_, "how --paired tests");
    set.flag("confidence", confidence_, "95 % confidence intervals by bootstrap resampling");
    set.integer("resamples", resamples_, {1, 1'000'000}, "draws of the bootstrap");
    set.integer("trials", trials_, {1, 1'000'000}, "draws of approximate randomisation");
    set.flag("sentence-level", sentence_level_, "the scores of every sentence, one a line");
    parts_.declare(set, "the lines");
    set.choice("format", format_, "JSON, text for people, or a table");
    set.integer("width", width_, {-1, 15}, "decimals; -1: as the reference implementation prints");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    set.integer("seed", seed_, {0, INT64_MAX}, "names all random draws (sacreBLEU's is 12345)");
    options_.declare(set);
    common_.declare(set);
    threads_.declare(set);
  }

  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    if (arguments.empty()) {
      throw UsageError("bough eval needs at least one reference file: bough {}", usage());
    }
    if (kinds_.empty()) kinds_.push_back(MetricKind::kBleu);
    if (inputs_.empty() && parts_.rows_in.empty()) inputs_.emplace_back("-");
    parts_.check(inputs_.size() + paired_.size(), "--input");
    if (sentence_level_ && format_ != TableFormat::kJson && format_ != TableFormat::kText) {
      throw UsageError("--sentence-level goes with --format json or text");
    }
    std::vector<System> systems = read_systems(arguments);
    References references = read_references(arguments, systems);
    std::vector<std::span<const std::string>> texts;
    for (const System& system : systems) texts.emplace_back(system.lines);
    std::vector<std::unique_ptr<Metric>> metrics =
        make_metrics(kinds_, options_, references, texts);
    for (System& system : systems) {
      for (const auto& metric : metrics) {
        system.rows.push_back(measure_text(*metric, system.lines, references,
                                           thread_count(threads_.threads), parts_.shard.parse()));
      }
    }
    if (!parts_.rows_in.empty()) systems.push_back(read_measured(metrics, references));
    if (!parts_.rows_out.empty()) {
      write_rows(parts_.rows_out, head_of(metrics, references.per_line()), systems.front().rows);
    }
    std::vector<MetricLabel> labels;
    for (const auto& metric : metrics) labels.push_back(label_of(*metric, references.per_line()));
    OutputFile output(output_);
    if (sentence_level_) {
      write_sentences(systems, metrics, labels, output);
    } else {
      EvalReport report{.labels = labels,
                        .systems = results_of(systems, metrics),
                        .of_one_recipe = paired_.empty()};
      output.write(to_text(report, format_));
    }
    output.commit();
  }

 private:
  bool draws() const { return confidence_ || !paired_.empty(); }
  bool resamples() const {
    return confidence_ || (!paired_.empty() && test_ != PairedTest::kRandomisation);
  }
  bool randomises() const { return !paired_.empty() && test_ != PairedTest::kBootstrap; }

  static RowsHead head_of(std::span<const std::unique_ptr<Metric>> metrics, size_t references) {
    auto columns = nlohmann::ordered_json::array();
    for (const auto& metric : metrics) {
      columns.push_back({{"metric", metric->name()},
                         {"signature", signature_of(*metric, references)},
                         {"numbers", metric->row_size()}});
    }
    return {.of = "eval", .columns = columns};
  }

  /// A system that was measured in parts.
  System read_measured(std::span<const std::unique_ptr<Metric>> metrics,
                       const References& references) const {
    std::vector<size_t> sizes;
    for (const auto& metric : metrics) sizes.push_back(metric->row_size());
    System system{parts_.rows_in.front(), {}, {}};
    system.rows = read_rows(parts_.rows_in, head_of(metrics, references.per_line()), sizes);
    if (size_t lines = system.rows.front().lines(); lines != references.lines()) {
      throw DataError("the files of --rows-in have {} lines, but the references {}: give all parts",
                      lines, references.lines());
    }
    return system;
  }

  std::vector<System> read_systems(std::span<const std::string> references) const {
    std::vector<std::string> files = inputs_;
    files.insert(files.end(), paired_.begin(), paired_.end());
    std::vector<std::string> all(references.begin(), references.end());
    all.insert(all.end(), files.begin(), files.end());
    if (std::count(all.begin(), all.end(), "-") > 1) {
      throw UsageError("standard input can be read but once: name a file with -i");
    }
    std::vector<System> systems;
    for (const std::string& file : files) systems.push_back({file, read_lines(file), {}});
    return systems;
  }

  /// The references, of as many lines as every system.
  static References read_references(std::span<const std::string> files,
                                    std::span<const System> systems) {
    std::vector<std::vector<std::string>> references;
    for (const std::string& file : files) references.push_back(read_lines(file));
    size_t lines = references.front().size();
    auto check = [&](const std::string& name, size_t count) {
      if (count == lines) return;
      throw DataError(
          "'{}' has {} lines, but the reference '{}' has {}; they are compared line by line and "
          "need as many",
          name, count, files.front(), lines);
    };
    for (size_t i = 1; i < files.size(); ++i) check(files[i], references[i].size());
    for (const System& system : systems) check(system.name, system.lines.size());
    if (lines == 0) throw DataError("'{}' has no lines: there is nothing to score", files.front());
    return References(std::move(references));
  }

  MetricLabel label_of(const Metric& metric, size_t references) const {
    std::string draws;
    if (resamples()) draws += fmt::format("|bs:{}", resamples_);
    if (randomises()) draws += fmt::format("|ar:{}", trials_);
    if (this->draws()) draws += fmt::format("|seed:{}", seed_);
    return {.name = metric.name(),
            .signature = signature_of(metric, references, draws),
            .decimals = width_ < 0 ? metric.decimals() : static_cast<int>(width_)};
  }

  std::vector<SystemResult> results_of(std::span<const System> systems,
                                       std::span<const std::unique_ptr<Metric>> metrics) const {
    if (draws()) spdlog::info("seed {}", seed_);
    std::vector<SystemResult> results;
    for (const System& system : systems) {
      bool tested = !results.empty() && !paired_.empty();
      results.push_back({.name = system.name,
                         .identical = tested && system.lines == systems[0].lines,
                         .metrics = {}});
    }
    for (size_t m = 0; m < metrics.size(); ++m) {
      std::vector<double> first_scores;  // the first system's bootstrap
      for (size_t s = 0; s < systems.size(); ++s) {
        bool tested = s > 0 && !paired_.empty();
        results[s].metrics.push_back(result_of(
            *metrics[m], systems[s].rows[m], tested ? &systems[0].rows[m] : nullptr, first_scores));
      }
    }
    return results;
  }

  /// `first` is the system to compare with, or null; its bootstrap scores are filled in when it is
  /// its own turn.
  MetricResult result_of(const Metric& metric, const Rows& rows, const Rows* first,
                         std::vector<double>& first_scores) const {
    auto seed = static_cast<uint64_t>(seed_);
    size_t threads = thread_count(threads_.threads);
    std::vector<double> sums = rows.sum();
    MetricResult result{.score = metric.score(sums), .details = metric.details(sums)};
    if (resamples()) {
      std::vector<double> scores = bootstrap_scores(metric, rows, resamples_, seed, threads);
      result.interval = confidence_interval(scores);
      if (first_scores.empty()) first_scores = scores;
      if (first != nullptr && test_ != PairedTest::kRandomisation) {
        result.bootstrap_p =
            bootstrap_p_value(first_scores, scores, metric.score(first->sum()) - result.score);
      }
    }
    if (first != nullptr && randomises()) {
      result.randomisation_p = randomisation_p_value(metric, *first, rows, trials_, seed, threads);
    }
    return result;
  }

  void write_sentences(std::span<const System> systems,
                       std::span<const std::unique_ptr<Metric>> metrics,
                       const std::vector<MetricLabel>& labels, OutputFile& output) const {
    bool several = systems.size() > 1;
    bool json = format_ == TableFormat::kJson;
    Shard shard = parts_.shard.parse();
    if (!json && shard.index == 0) output.write_line(sentence_heading(several, labels));
    for (const System& system : systems) {
      auto first = static_cast<size_t>(shard.begin(static_cast<int64_t>(system.lines.size())));
      for (size_t line = 0; line < system.rows.front().lines(); ++line) {
        SentenceScores sentence{
            .system = several ? system.name : "", .line = first + line + 1, .scores = {}};
        for (size_t m = 0; m < metrics.size(); ++m) {
          sentence.scores.push_back(metrics[m]->sentence_score(system.rows[m].of(line)));
        }
        output.write_line(json ? to_json_text(sentence, labels) : to_plain_text(sentence, labels));
      }
    }
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> paired_;
  EvalParts parts_;
  std::vector<MetricKind> kinds_;
  PairedTest test_ = PairedTest::kBoth;
  bool confidence_ = false;
  int64_t resamples_ = 1000;
  int64_t trials_ = 10'000;
  bool sentence_level_ = false;
  TableFormat format_ = TableFormat::kJson;
  int64_t width_ = -1;
  std::string output_ = "-";
  int64_t seed_ = 1;
  EvaluationOptions options_;
  CommonOptions common_;
  ThreadOptions threads_;
};

}  // namespace

std::unique_ptr<Command> make_eval_command() {
  return std::make_unique<EvalCommand>();
}

}  // namespace bough::cli
