// What is asked of a model that is to say how likely sentences are.
#pragma once

#include <vector>

#include "bough/ask/source_options.h"
#include "bough/generate/likelihood.h"
#include "bough/oracle/oracle_options.h"

namespace bough::ask {

struct ScoreOptions {
  SourceOptions source;
  int64_t max_words = 500;
  LikelihoodOptions likelihood;
  std::vector<OracleKind> orders;
  bool all_trees = false;
  bool by_word = false;
  int64_t others = 5;
  int64_t seed = 1;
  int64_t batch_size = 256;

  void declare(OptionSet& set) {
    source.declare(set);
    set.integer("max-words", max_words, {1, 1'000'000},
                "a sentence of more words (or pieces of words) is refused");
    likelihood.declare(set);
    set.choices(
           "order", orders,
           "for a model that was trained with --orders: by which of them; the first if none is "
           "named")
        .about_the_program();
    set.flag("all-trees", all_trees,
             "sum over all trees even where the model has learned one order, and so has one tree "
             "for a sentence");
    set.flag(
        "by-word", by_word,
        "what each word costs, too: how much likelier the sentence is without it, and with the "
        "best other word in its place");
    set.integer("others", others, {0, 1000},
                "other words that --by-word tries at each place: those that the model likes best");
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", batch_size, {1, 1'000'000},
                "trees side by side; changes speed, not output")
        .about_the_program();
  }
};

}  // namespace bough::ask
