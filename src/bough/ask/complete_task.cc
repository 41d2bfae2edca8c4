// complete: sentences around given words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "bough/ask/writing_task.h"
#include "bough/ask/writing_tasks.h"
#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/generate/template.h"

namespace bough::ask {

namespace {

/// Orders of more phrases than this aren't all tried.
constexpr size_t kMostPhrases = 6;

class CompleteTask : public WritingTask {
 public:
  std::string_view verb() const override { return "complete"; }
  void declare(OptionSet& set) override { options_.declare(set); }
  WritingOptions& writing() override { return options_.writing; }
  bool takes_lines() const override { return options_.must.empty(); }

  LineJob parse(const std::string& line) const override {
    if (!takes_lines()) return must_job();
    if (split_at_white_space(line).empty()) return {};
    return job_of({parse_line(line)});
  }

  WriteRequest request(bool with_scores) const override {
    WriteRequest request = WritingTask::request(with_scores || options_.any_order);
    request.each = options_.count;
    return request;
  }

  std::vector<Written> choose(std::vector<std::vector<Written>>&& found) const override {
    return std::move(*std::max_element(found.begin(), found.end(), &CompleteTask::worse));
  }

  /// Of given words that the vocabulary doesn't have.
  std::string warning() const override {
    if (unknown_.empty()) return "";
    constexpr size_t kMostNamed = 10;
    std::vector<std::string> named;
    bool only_case = true;
    for (const std::string& word : unknown_) {
      if (named.size() < kMostNamed) named.push_back(fmt::format("'{}'", for_message(word)));
      only_case = only_case && model_->text.vocabulary.id(lower_case(word)) != kUnknown;
    }
    return fmt::format(
        "the model does not know {}{}: they stand as they are, but it can't tell what "
        "belongs beside them{}",
        fmt::join(named, ", "), unknown_.size() > kMostNamed ? ", …" : "",
        only_case ? " (it knows them in lower case)" : "");
  }

 protected:
  void check_own(OptionSet& set) const override {
    if (set.find("must")->was_set && split_phrases(options_.must).empty()) {
      throw UsageError("--must names no words: give some, with commas between phrases");
    }
    if (options_.any_order && options_.must.empty()) {
      throw UsageError("--any-order goes with --must");
    }
  }

  void prepare(const OpenModel& open, OptionSet& /*set*/) override {
    model_ = open.model;
    words_.emplace(model_->text.tokenizer, model_->text.vocabulary);
    for (const std::string& phrase : split_phrases(options_.avoid)) {
      avoided_.push_back(words_->split(phrase));
    }
  }

 private:
  LineJob must_job() const {
    try {
      return job_of(demand_must());
    } catch (const UnmetError& error) {
      throw UnmetError("--must: {}", error.what());
    }
  }

  Demands parse_line(const std::string& line) const {
    if (line.find_first_not_of(" \t") != line.find('{')) return parse_template(line, *words_);
    nlohmann::json tree = nlohmann::json::parse(line, nullptr, false);
    if (tree.is_discarded()) throw DataError("not valid JSON");
    return parse_seed_tree(tree, *words_);
  }

  /// The phrases in the order given, or in every order.
  std::vector<Demands> demand_must() const {
    std::vector<std::string> phrases = split_phrases(options_.must);
    if (!options_.any_order) return {demand_phrases(phrases, *words_)};
    if (phrases.size() > kMostPhrases) {
      throw UsageError("--any-order tries every order of up to {} phrases, not of {}", kMostPhrases,
                       phrases.size());
    }
    std::vector<Demands> all;
    std::sort(phrases.begin(), phrases.end());
    do {
      all.push_back(demand_phrases(phrases, *words_));
    } while (std::next_permutation(phrases.begin(), phrases.end()));
    return all;
  }

  LineJob job_of(std::vector<Demands> ways) const {
    LineJob job;
    for (Demands& demands : ways) {
      for (const GivenWord& word : demands.given) {
        if (word.word == kUnknown) unknown_.insert(word.text);
      }
      options_.writing.options.bounds.apply(demands);
      demands.avoid(avoided_);
      demands.check();
      job.ways.push_back(std::make_shared<Demands>(std::move(demands)));
    }
    return job;
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

  CompleteOptions options_;
  std::shared_ptr<const Model> model_;
  std::optional<TemplateWords> words_;
  std::vector<Phrase> avoided_;
  mutable std::set<std::string> unknown_;  // given words
};

}  // namespace

std::unique_ptr<WritingTask> make_complete_task() {
  return std::make_unique<CompleteTask>();
}

}  // namespace bough::ask
