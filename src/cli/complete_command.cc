// bough complete: sentences around given words.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"
#include "bough/data/corpus.h"
#include "bough/generate/generator.h"
#include "bough/generate/template.h"
#include "commands.h"
#include "signals.h"
#include "trace_output.h"

namespace bough::cli {

namespace {

/// Orders of more phrases than this aren't all tried.
constexpr size_t kMostPhrases = 6;

/// What is asked for by one line (or by --must): one way to meet it, or several to choose from.
struct Task {
  std::vector<std::shared_ptr<const Demands>> ways;
  std::string error;  // why it can't be met; then there are none
};

class CompleteCommand : public Command {
 public:
  std::string_view name() const override { return "complete"; }
  std::string_view summary() const override { return "Write sentences around given words."; }
  std::string_view usage() const override {
    return "complete --model DIR [-i FILE | --must WORDS] [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Completion");
    set.text("model", model_, "DIR", "the model's folder").required = true;
    set.text("input", input_, "FILE",
             "a template a line: `___ favorite <blank:1-3> food ___ !`, or a seed tree as JSON; -: "
             "standard input")
        .short_name = 'i';
    set.text("must", must_, "WORDS",
             "words and phrases that have to appear, with commas between them, instead of --input");
    set.flag("any-order", any_order_,
             "with --must: in the order that the model likes best, of up to six phrases");
    set.text("avoid", avoid_, "WORDS", "words that may not appear, with commas between them");
    set.choice("seed-shape", request_.shape,
               "which given word of a slot comes first: the one the model likes best, the middle "
               "one, or the first");
    set.integer("count", count_, {1, 1'000'000}, "sentences for each template").short_name = 'n';
    set.integer("nbest", nbest_, {0, 1'000'000},
                "the best distinct ones of -n sentences, or of ten times as many, best first");
    output_.declare(set);
    set.integer("seed", seed_, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", request_.batch_size, {1, 1'000'000},
                "sentences written side by side; changes speed, not output");
    set.choice("precision", precision_, "numbers to compute with");
    request_.sampler.declare(set);
    request_.bounds.declare(set);
    common_.declare(set);
    compute_.declare(set);
  }

  void run(std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (any_order_ && must_.empty()) throw UsageError("--any-order goes with --must");
    if (!must_.empty() && input_ != "-") throw UsageError("give --must or --input, not both");
    compute_.apply();
    spdlog::info("seed {}", seed_);
    Model model = load_model(model_, compute_.device);
    check_task(model, bough::Task::kLm, model_, name());
    model.policy->set_precision(precision_);
    std::vector<Task> tasks = read_tasks(model);
    OutputFile output(output_.file);
    complete(model, tasks, output);
    output.commit();
  }

 private:
  bool json() const { return output_.format == OutputFormat::kJsonl; }
  /// Sentences to draw for a way of a template.
  int64_t draws() const { return nbest_ > 0 ? std::max(count_, 10 * nbest_) : count_; }

  std::vector<Task> read_tasks(const Model& model) const {
    Tokenizer tokenizer(model.config.tokenizer);
    TemplateWords words{tokenizer, model.vocabulary};
    std::vector<WordId> avoided;
    for (const std::string& phrase : split_phrases(avoid_)) {
      for (const GivenWord& word : words.split(phrase)) {
        if (word.word != kUnknown) avoided.push_back(word.word);
      }
    }
    std::vector<Task> tasks;
    if (!must_.empty()) {
      tasks.push_back(task_of("--must", avoided, [&] { return demand_must(words); }));
      return tasks;
    }
    LineReader reader(input_);
    for (std::string line; reader.next(line);) {
      std::string where = fmt::format("{}, line {}", reader.name(), reader.line_number());
      if (find_bad_utf8(line) != std::string::npos) throw DataError("{}: not UTF-8", where);
      if (split_at_white_space(line).empty()) {
        tasks.emplace_back();
        continue;
      }
      tasks.push_back(
          task_of(where, avoided, [&] { return std::vector<Demands>{parse_line(line, words)}; }));
    }
    return tasks;
  }

  static Demands parse_line(const std::string& line, const TemplateWords& words) {
    if (line.find_first_not_of(" \t") != line.find('{')) return parse_template(line, words);
    nlohmann::json tree = nlohmann::json::parse(line, nullptr, false);
    if (tree.is_discarded()) throw DataError("not valid JSON");
    return parse_seed_tree(tree, words);
  }

  /// The phrases in the order given, or in every order.
  std::vector<Demands> demand_must(const TemplateWords& words) const {
    std::vector<std::string> phrases = split_phrases(must_);
    if (phrases.empty()) throw UsageError("--must names no words");
    if (!any_order_) return {demand_phrases(phrases, words)};
    if (phrases.size() > kMostPhrases) {
      throw UsageError("--any-order tries every order of up to {} phrases, not of {}", kMostPhrases,
                       phrases.size());
    }
    std::vector<Demands> all;
    std::sort(phrases.begin(), phrases.end());
    do {
      all.push_back(demand_phrases(phrases, words));
    } while (std::next_permutation(phrases.begin(), phrases.end()));
    return all;
  }

  template <typename Parse>
  Task task_of(const std::string& where, const std::vector<WordId>& avoided, Parse parse) const {
    Task task;
    try {
      for (Demands& demands : parse()) {
        Demands bounds = request_.bounds.demands();
        demands.min_length = bounds.min_length;
        demands.max_length = bounds.max_length;
        demands.avoided = avoided;
        demands.check();
        task.ways.push_back(std::make_shared<Demands>(std::move(demands)));
      }
    } catch (const DataError& error) {
      throw DataError("{}: {}", where, error.what());
    } catch (const UnmetError& error) {
      if (!json()) throw UnmetError("{}: {}", where, error.what());
      task.ways.clear();
      task.error = error.what();
    }
    return task;
  }

  void complete(const Model& model, const std::vector<Task>& tasks, OutputFile& output) {
    std::vector<std::shared_ptr<const Demands>> demands;
    for (const Task& task : tasks) {
      for (const auto& way : task.ways) {
        demands.insert(demands.end(), static_cast<size_t>(draws()), way);
      }
    }
    request_.count = static_cast<int64_t>(demands.size());
    request_.seed = static_cast<uint64_t>(seed_);
    request_.with_scores = json() || nbest_ > 0 || any_order_;
    request_.demands = demands;
    auto task = tasks.begin();
    std::vector<Trace> found;
    auto write_finished = [&] {  // tasks whose sentences are all there
      while (task != tasks.end() &&
             found.size() == task->ways.size() * static_cast<size_t>(draws())) {
        write(*task, found, output);
        found.clear();
        ++task;
      }
    };
    const std::atomic<bool>& stop = stop_requested();
    write_finished();
    generate(*model.policy, model.vocabulary, request_, [&](Trace&& trace) {
      found.push_back(std::move(trace));
      write_finished();
      if (stop) throw Interrupted("interrupted");
    });
  }

  void write(const Task& task, std::vector<Trace>& found, OutputFile& output) const {
    if (!task.error.empty()) {
      output.write_line(nlohmann::ordered_json{{"version", 1}, {"error", task.error}}.dump());
    } else if (found.empty()) {
      output.write_line("");
    }
    if (task.ways.size() > 1) keep_best_way(task, found);
    if (nbest_ > 0) keep_best_distinct(found);
    for (const Trace& trace : found) output.write_line(output_.render(trace));
  }

  /// The sentences of the way whose best sentence is the likeliest.
  void keep_best_way(const Task& task, std::vector<Trace>& found) const {
    auto best = std::max_element(found.begin(), found.end(), [](const Trace& a, const Trace& b) {
      return a.logprob() < b.logprob();
    });
    auto own = static_cast<int64_t>(found.size() / task.ways.size());
    auto begin = found.begin() + (best - found.begin()) / own * own;
    std::rotate(found.begin(), begin, begin + own);
    found.resize(static_cast<size_t>(own));
  }

  void keep_best_distinct(std::vector<Trace>& found) const {
    std::stable_sort(found.begin(), found.end(),
                     [](const Trace& a, const Trace& b) { return a.logprob() > b.logprob(); });
    std::set<std::vector<std::string>> seen;
    std::erase_if(found, [&](const Trace& trace) { return !seen.insert(trace.sentence()).second; });
    if (found.size() > static_cast<size_t>(nbest_)) found.resize(static_cast<size_t>(nbest_));
  }

  std::string model_;
  std::string input_ = "-";
  std::string must_;
  bool any_order_ = false;
  std::string avoid_;
  int64_t count_ = 1;
  int64_t nbest_ = 0;
  TraceOutput output_;
  int64_t seed_ = 1;
  Precision precision_ = Precision::kFloat;
  GenerateRequest request_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace

std::unique_ptr<Command> make_complete_command() {
  return std::make_unique<CompleteCommand>();
}

}  // namespace bough::cli
