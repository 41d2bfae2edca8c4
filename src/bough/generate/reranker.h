// Choosing among sentences by how likely they are: not the tree that was found, but the sentence,
// over all its trees (likelihood.h), by the model that wrote it or by another of the same task.
//
// What is compared is text. Each model reads it, and what it was written from, by its own tokenizer
// and vocabulary: so models whose words differ can judge each other's. All sentences for a prompt
// are judged by the same random draws, named by the prompt, as `bough score` does for a line.
//
// A model that writes in several orders says it by all of them. Its likelihood is that of an order
// drawn by chance, to which one order that finds a sentence likely is enough. Agreement is the mean
// of what the orders say, so each of them has to find it likely: errors that one order overlooks,
// another sees.
//
// A search, a vote or samples say which sentences there are to choose among. That is also how a
// vote and the likelihood go together: the likeliest of those that the vote likes best is taken.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bough/generate/candidates.h"
#include "bough/generate/likelihood.h"
#include "bough/generate/writer_options.h"

namespace bough {

struct Model;

enum class RerankBy { kNothing, kLikelihood, kAgreement };
template <>
struct EnumNames<RerankBy> {
  static constexpr auto kNames =
      std::to_array<EnumName<RerankBy>>({{RerankBy::kNothing, "nothing"},
                                         {RerankBy::kLikelihood, "likelihood"},
                                         {RerankBy::kAgreement, "agreement"}});
};

struct RerankOptions {
  RerankBy by = RerankBy::kNothing;
  std::string model;
  int64_t samples = 16;
  int64_t among = 10;

  void declare(OptionSet& set) {
    set.group("Choosing by likelihood");
    set.choice("rerank", by,
               "likelihood: the best sentences of a search (--beam-size), a vote (--mbr) or of "
               "samples are ranked by how likely they are, over all their trees; agreement: of a "
               "model with several orders, by the mean of what each of these says");
    set.text("rerank-model", model, "DIR",
             "the model that says how likely, of the same task; without it the one that writes")
        .names_model()
        .about_the_program();
    set.integer("rerank-samples", samples, {1, 1'000'000},
                "trees drawn of a sentence to say how likely it is; models with an order need one");
    set.integer("rerank-among", among, {1, 1'000'000},
                "how many of the best to choose among; --nbest, where that is more");
  }
};

/// What was written for a prompt.
struct WrittenList {
  std::vector<Written> sentences;
  std::string_view source_text;  // what they were written from; must outlive the ranking
  int64_t number = 0;            // names the draws
};

class Reranker {
 public:
  /// By `model`.
  Reranker(std::shared_ptr<const Model> model, const RerankOptions& options,
           const WriterOptions& writing);

  /// Scores in a batch of the same model that is shared; it must outlive this.
  void run_in(JobRunner& runner) { runner_ = &runner; }

  /// How many sentences a list should have.
  int64_t among() const { return among_; }

  /// Sorts each list by likelihood (or by agreement) over the number of words to `length-power`,
  /// the highest first, and says it.
  void rank(std::span<WrittenList> lists, const std::function<void()>& between_steps) const;

 private:
  std::shared_ptr<const Model> model_;
  struct OrderScorer {
    WordId start = kStart;
    LikelihoodScorer scorer;
  };
  std::vector<OrderScorer> scorers_;  // by order
  RerankBy by_;
  int64_t among_;
  double length_power_;
  uint64_t seed_;
  Precision precision_;
  int64_t batch_rows_;
  JobRunner* runner_ = nullptr;  // null: a batch of its own
};

}  // namespace bough
