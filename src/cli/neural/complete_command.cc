// bough complete: sentences around given words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"
#include "bough/data/corpus.h"
#include "bough/generate/template.h"
#include "complete_verb.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
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

class CompleteCommand : public CompleteVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (set.find("must")->was_set && split_phrases(must_).empty()) {
      throw UsageError("--must names no words: give some, with commas between phrases");
    }
    if (any_order_ && must_.empty()) throw UsageError("--any-order goes with --must");
    if (!must_.empty() && input_ != "-") throw UsageError("give --must or --input, not both");
    Model model = open_model(writing_, bough::Task::kLm, name(), "complete", set);
    std::vector<Task> tasks = read_tasks(model);
    OutputFile output(output_.file);
    complete(model, tasks, output);
    output.commit();
  }

 private:
  bool json() const { return output_.format == OutputFormat::kJsonl; }

  std::vector<Task> read_tasks(const Model& model) const {
    const Tokenizer& tokenizer = model.text.tokenizer;
    TemplateWords words{tokenizer, model.text.vocabulary};
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
        writing_.options.bounds.apply(demands);
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
    std::vector<Prompt> prompts;
    for (const Task& task : tasks) {
      for (const auto& way : task.ways) prompts.push_back({.source = {}, .demands = way});
    }
    auto task = tasks.begin();
    std::vector<std::vector<Written>> found;  // by way of the task under way
    auto write_finished = [&] {
      for (; task != tasks.end() && found.size() == task->ways.size(); ++task) {
        write(*task, found, output);
        found.clear();
      }
    };
    write_finished();
    WriteRequest request{.count = static_cast<int64_t>(prompts.size()),
                         .prompts = prompts,
                         .each = count_,
                         .best = output_.nbest,
                         .with_scores = json() || any_order_,
                         .alternatives = output_.alternatives};
    write_sentences(writing_.options, model, request, [&](std::vector<Written>&& sentences) {
      found.push_back(std::move(sentences));
      write_finished();
    });
  }

  void write(const Task& task, std::span<const std::vector<Written>> found,
             OutputFile& output) const {
    if (!task.error.empty()) {
      output.write_line(nlohmann::ordered_json{{"version", 1}, {"error", task.error}}.dump());
    } else if (found.empty()) {
      output.write_line("");
    } else {
      output_.write(*std::max_element(found.begin(), found.end(), &CompleteCommand::worse), output);
    }
  }

  /// Of two ways, the one whose best sentence is better.
  static bool worse(const std::vector<Written>& a, const std::vector<Written>& b) {
    auto best = [](const std::vector<Written>& way) {
      double highest = -INFINITY;
      for (const Written& written : way) highest = std::max(highest, written.score);
      return highest;
    };
    return best(a) < best(b);
  }
};

}  // namespace

std::unique_ptr<Command> make_complete_command() {
  return std::make_unique<CompleteCommand>();
}

}  // namespace bough::cli
