// Everything that `bough train` can be told.
#pragma once

#include <string>

#include "bough/data/corpus.h"
#include "bough/data/dataset.h"
#include "bough/model/model.h"
#include "bough/oracle/oracle_options.h"
#include "bough/train/adam.h"

namespace bough {

struct TrainOptions {
  Task task = Task::kLm;
  std::string train;
  std::string valid;
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
  int64_t seed = 1;

  TokenizerOptions tokenizer;
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  PolicyOptions policy;
  InitialiseOptions initialise;
  OracleOptions oracle;
  BatchOptions batches;
  AdamOptions adam;

  TrainOptions() { policy.slot_context = SlotContext::kNeighbours; }

  /// Sets what follows from the task; UsageError where options contradict it.
  void settle();

  void declare(OptionSet& set) {
    set.group("Training");
    set.choice("task", task, "what the model learns");
    set.text("train", train, "FILE", "training sentences, one a line").required = true;
    set.text("valid", valid, "FILE", "validation sentences; without them the last model is kept");
    set.text("out", out, "DIR", "the model's folder").required = true;
    set.flag("resume", resume, "go on with the run in --out, or begin where there is none");
    set.flag("force", force, "overwrite a model in --out");
    set.integer("epochs", epochs, {1, 1'000'000}, "stop after so many epochs");
    set.integer("updates", updates, {0, 1'000'000'000'000}, "stop after so many updates; 0: off");
    set.number("max-minutes", max_minutes, {0.0, 1e6},
               "stop this run after so many minutes; 0: off");
    set.integer("patience", patience, {0, 1'000'000},
                "stop after so many epochs without a better validation loss; 0: off");
    set.integer("epoch-updates", epoch_updates, {0, 1'000'000'000},
                "call so many updates an epoch; 0: a pass over the training data");
    set.integer("save-every", save_every, {0, 1'000'000'000},
                "save the run's state every so many updates too, not only each epoch");
    set.integer("log-every", log_every, {1, 1'000'000'000},
                "write a line of metrics.jsonl every so many updates");
    set.integer("samples", samples, {0, 1000}, "sentences to sample after each epoch");
    set.integer("valid-limit", valid_limit, {0, 1'000'000'000},
                "validate on the first so many sentences; 0: all");
    set.integer("valid-samples", valid_samples, {0, 1'000'000},
                "judge the model at each validation by so many sentences of its own; below 2: not "
                "at all");
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
    set.group("Data");
    tokenizer.declare(set);
    corpus.declare(set);
    vocabulary.declare(set);
    batches.declare(set);
    policy.declare(set);
    initialise.declare(set);
    oracle.declare(set);
    adam.declare(set);
  }
};

}  // namespace bough
