// What `score` makes of its options and of a sentence, without where sentences come from and where
// answers go: what the command line, the server and the library share.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/analysis/word_cost_page.h"
#include "bough/ask/open_model.h"
#include "bough/ask/score_options.h"
#include "bough/generate/word_costs.h"
#include "bough/model/orders.h"

namespace bough {
class Stepper;
}  // namespace bough

namespace bough::ask {

/// A sentence to score.
struct ScoredLine {
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

class ScoreTask {
 public:
  void declare(OptionSet& set) { options_.declare(set); }
  const ScoreOptions& options() const { return options_; }

  /// UsageError for options that contradict each other.
  void check(OptionSet& set) const;
  /// `check`, then: it is this model that scores.
  void make_ready(const OpenModel& open, OptionSet& set);

  /// Where sentences can be scored, if nowhere else.
  std::unique_ptr<Stepper> stepper() const;
  /// Whether a sentence has one tree, and by which order.
  bool has_order() const { return scorer_->has_order(); }
  const Order& order() const { return order_; }
  /// Whether sentences need what they are translated from.
  bool needs_source() const;

  /// Fills in what is scored. DataError or UnmetError, without the line's number, for one that
  /// can't be; `source_name` is what messages call where its source comes from.
  void parse(ScoredLine& line, const std::string& source_name = "the source") const;

  /// Texts as lines; as many sources, or none where none are needed. UsageError where their numbers
  /// differ.
  std::vector<ScoredLine> parse(std::span<const std::string> texts,
                                std::span<const std::string> sources) const;

  /// Told of a line with its likelihood, or with none where there is nothing to score, and with
  /// what its words cost where that is asked for.
  using TakeScore = std::function<void(const ScoredLine& line, const Likelihood* found,
                                       std::vector<ColouredWord>&& words)>;
  void score(const std::vector<ScoredLine>& lines, JobRunner& runner,
             const std::function<void()>& between_steps, const TakeScore& take) const;

  /// An answer as JSON; `words` as they are where their costs were asked for.
  nlohmann::ordered_json json_of(const ScoredLine& line, const Likelihood& found,
                                 std::span<const ColouredWord> words) const;

 private:
  std::vector<ColouredWord> words_of(const ScoredLine& line, std::span<const WordCost> costs) const;

  ScoreOptions options_;
  std::shared_ptr<const Model> model_;
  Precision precision_ = Precision::kFloat;
  std::optional<LikelihoodScorer> scorer_;
  Order order_;
  std::optional<Tokenizer> surface_;  // cuts no words; where the model's own does
};

}  // namespace bough::ask
