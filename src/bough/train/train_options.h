// Everything that `bough train` can be told.
#pragma once

#include <string>

#include "bough/data/corpus.h"
#include "bough/data/dataset.h"
#include "bough/model/policy_options.h"
#include "bough/model/task.h"
#include "bough/oracle/oracle_options.h"
#include "bough/text/tokenizer.h"
#include "bough/text/vocabulary.h"
#include "bough/train/adam_options.h"
#include "bough/train/gradient_numbers.h"

namespace bough {

enum class SourceSharing { kShared, kOwn };
template <>
struct EnumNames<SourceSharing> {
  static constexpr auto kNames = std::to_array<EnumName<SourceSharing>>(
      {{SourceSharing::kShared, "shared"}, {SourceSharing::kOwn, "own"}});
};

struct TrainOptions {
  TaskKind task = TaskKind::kLm;
  std::string train;
  std::string valid;
  std::string source_train;
  std::string source_valid;
  int64_t source_column = 1;
  std::string out;
  bool resume = false;
  bool force = false;
  int64_t epochs = 50;
  int64_t updates = 0;
  double max_minutes = 0.0;
  int64_t patience = 0;
  int64_t epoch_updates = 0;
  int64_t save_every = 0;
  int64_t log_every = 50;
  int64_t samples = 3;
  int64_t valid_limit = 0;
  int64_t valid_samples = 300;
  int64_t valid_likelihood = 0;
  int64_t seed = 1;

  TokenizerOptions tokenizer;
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  SourceSharing source_sharing = SourceSharing::kShared;
  int64_t bpe_merges = 0;
  int64_t max_words = 0;
  double label_smoothing = 0.0;
  double end_weight = 0.0;
  double average = 0.0;
  GradientNumbers gradient_numbers = GradientNumbers::kFloat;
  PolicyOptions policy;
  InitialiseOptions initialise;
  OracleOptions oracle;
  BatchOptions batches;
  AdamOptions adam;

  TrainOptions() { policy.slot_context = SlotContext::kNeighbours; }

  void declare(OptionSet& set) {
    set.group("Training");
    set.choice("task", task, "what the model learns");
    set.text("train", train, "FILE",
             "training sentences, one a line; with --resume, those of the run")
        .may_change_on_resume();
    set.text("valid", valid, "FILE", "validation sentences; without them the last model is kept")
        .may_change_on_resume();
    set.text("source-train", source_train, "FILE",
             "translation: the sentences that --train translates, line by line; none: --train is a "
             "TSV file with both")
        .may_change_on_resume();
    set.text("source-valid", source_valid, "FILE", "translation: the same for --valid")
        .may_change_on_resume();
    set.text("out", out, "DIR", "the model's folder").of_this_call().required = true;
    set.flag(
           "resume", resume,
           "go on with the run in --out, with its own options where none are given, or begin where "
           "there is none")
        .of_this_call();
    set.flag("force", force, "overwrite a model in --out").of_this_call();
    set.integer("epochs", epochs, {1, 1'000'000}, "stop after so many epochs")
        .may_change_on_resume();
    set.integer("updates", updates, {0, 1'000'000'000'000}, "stop after so many updates; 0: off")
        .may_change_on_resume();
    set.number("max-minutes", max_minutes, {0.0, 1e6},
               "stop this run after so many minutes; with --seeds, each seed after so many in all; "
               "0: off")
        .may_change_on_resume();
    set.integer("patience", patience, {0, 1'000'000},
                "stop after so many epochs without a better validation loss; 0: off")
        .may_change_on_resume();
    set.integer("epoch-updates", epoch_updates, {0, 1'000'000'000},
                "call so many updates an epoch; 0: a pass over the training data");
    set.integer("save-every", save_every, {0, 1'000'000'000},
                "save the run's state every so many updates too, not only each epoch")
        .may_change_on_resume();
    set.integer("log-every", log_every, {1, 1'000'000'000},
                "write a line of metrics.jsonl every so many updates")
        .may_change_on_resume();
    set.integer("samples", samples, {0, 1000}, "sentences to sample after each epoch")
        .may_change_on_resume();
    set.integer("valid-limit", valid_limit, {0, 1'000'000'000},
                "validate on the first so many sentences; 0: all");
    set.integer("valid-samples", valid_samples, {0, 1'000'000},
                "judge the model at each validation by so many sentences of its own; below 2: not "
                "at all")
        .may_change_on_resume();
    set.integer("valid-likelihood", valid_likelihood, {0, 1'000'000},
                "estimate the validation sentences' perplexity by so many trees of each (one is "
                "exact for left-right and right-left); where the task has no goal of its own, the "
                "model with the lowest is kept; 0: off");
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
    set.group("Data");
    tokenizer.declare(set);
    corpus.declare(set);
    set.integer("source-column", source_column, {1, 1000},
                "translation: the column of a TSV file that holds the source");
    set.integer("max-words", max_words, {0, 100'000},
                "leave out training sentences of more words, and pairs with such a one; 0: none");
    set.integer(
        "bpe-merges", bpe_merges, {0, 100'000'000},
        "cut words into pieces by so many byte-pair merges, learned from the training data; "
        "0: words stay whole");
    set.choice("source-vocabulary", source_sharing,
               "translation: whether both languages share merges, vocabulary and word vectors, or "
               "each has its own");
    vocabulary.declare(set);
    batches.declare(set);
    policy.declare(set);
    initialise.declare(set);
    oracle.declare(set);
    set.number("label-smoothing", label_smoothing, {0.0, 0.99},
               "how much of the target goes to all words alike");
    set.number(
        "end-weight", end_weight, {0.0, 4.0},
        "with an <end> head: a step at which n words are due counts n to this power times in "
        "its loss, since <end> would lose them all; 0: once");
    adam.declare(set);
    set.choice("gradient-exchange", gradient_numbers,
               "where several processes train: numbers that gradients are sent as; bfloat16 halves "
               "the bytes");
    set.number("average", average, {0.0, 0.999999},
               "keep an exponential average of the weights that decays by this at each update, and "
               "judge and save that; 0: none");
  }
};

/// With what follows from the task; UsageError where options contradict it, or something is
/// missing. The trainer asks for it itself: nothing has to be done before.
TrainOptions settled(TrainOptions options);

}  // namespace bough
