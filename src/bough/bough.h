// bough as a library: load a model, and have it write sentences, complete them, put words in order,
// translate, or say how likely a sentence is.
//
//     bough::LoadedModel model = bough::load("english");
//     for (const bough::Sentence& sentence : model.generate({.count = 5, .seed = 1})) {
//       std::cout << sentence.text << '\n';
//     }
//
// This header, and what it includes of bough, is what is public (docs/library.md); LibTorch doesn't
// show in it. Options have the command line's names and mean what they mean there, so that the same
// options give the same sentences. Errors are bough::Error with the command line's words; nothing
// is printed. A loaded model doesn't change: threads may share it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/named_options.h"
#include "bough/base/version.h"
#include "bough/metrics/evaluate.h"
#include "bough/tree/insertion.h"

namespace bough {

// ---- Writing ------------------------------------------------------------------------------------

/// How sentences are written. What isn't set is as on the command line: as `bough tune` chose for
/// the model, or the default. An option that a verb doesn't have is a UsageError.
struct WritingOptions {
  std::optional<int64_t> count = {};       // sentences (generate), or for each template (complete)
  std::optional<int64_t> seed = {};        // names all random draws; default 1
  std::optional<std::string> decode = {};  // sample or greedy
  std::optional<double> temperature = {};
  std::optional<int64_t> top_k = {};
  std::optional<double> top_p = {};
  std::optional<int64_t> beam_size = {};
  std::optional<int64_t> mbr = {};     // of so many samples, the one most like the others
  std::optional<int64_t> nbest = {};   // the best so many different ones, best first
  std::optional<int64_t> length = {};  // words
  std::optional<int64_t> min_length = {};
  std::optional<int64_t> max_length = {};
  std::vector<std::string> must = {};        // complete: words and phrases that have to appear
  std::vector<std::string> avoid = {};       // complete: … and that may not
  std::optional<bool> exact = {};            // reorder: a permutation of the bag
  std::optional<int64_t> alternatives = {};  // likeliest actions at each step of a trace
  NamedOptions others = {};                  // any other option of the verb
};

struct Sentence {
  std::string text;                 // as people read it
  std::vector<std::string> tokens;  // the model's words, or pieces of words, in order
  double logprob = 0.0;  // of its tree under the policy, before temperature or truncation
  double score = 0.0;    // what lists of the best are ranked by
  std::optional<double> likelihood = {};  // of the sentence, where it was ranked by that
  Trace trace;                            // the tree, with what the policy thought at each step
};

/// Whoever waits for sentences.
struct Listener {
  /// Told of each word as it is written, where sentences are written each by itself; those of a
  /// search, a vote or a list of the best are chosen when they are all there.
  std::function<void(const Insertion&)> on_word = {};
  /// Called after every step; ends the work by throwing.
  std::function<void()> check = {};
};

// ---- Scoring ------------------------------------------------------------------------------------

/// As `bough score` has them.
struct ScoreOptions {
  std::optional<int64_t> samples = {};  // trees a sentence
  std::optional<int64_t> seed = {};
  std::optional<bool> by_word = {};       // what each word costs, too
  std::vector<std::string> sources = {};  // what texts are translated from, one for each
  NamedOptions others = {};
};

/// What a word costs: how much likelier the sentence is without it, or with another in its place.
struct WordScore {
  std::string token;
  double without = 0.0;
  std::optional<std::string> other = {};
  double with_other = 0.0;
};

/// How likely a sentence is; docs/likelihood.md says what the numbers are.
struct Score {
  std::string text;
  double logprob = 0.0;  // nats
  double bound = 0.0;    // a lower one, in expectation
  int64_t samples = 0;   // trees
  double ess = 0.0;      // … worth so many
  double low = 0.0;      // 95 % interval of logprob
  double high = 0.0;
  int64_t tokens = 0;  // 0: the text was empty, and nothing else is set
  double perplexity = 0.0;
  bool exact = false;
  int64_t unknown = 0;  // tokens that the model doesn't know
  std::vector<WordScore> by_word = {};
};

// ---- Models -------------------------------------------------------------------------------------

struct LoadOptions {
  std::string device = "cpu";
  std::string precision = {};  // float, bfloat16 or int8; empty: what the model is kept in
  int64_t threads = 0;         // to compute with, in the whole process; 0: all cores
};

using SentenceList = std::vector<Sentence>;

class LoadedModel {
 public:
  explicit LoadedModel(const std::string& name, const LoadOptions& options = {});
  LoadedModel(LoadedModel&&) noexcept;
  LoadedModel& operator=(LoadedModel&&) noexcept;
  ~LoadedModel();

  const std::string& folder() const;
  std::string_view task() const;  // lm, reorder or translate
  int64_t vocabulary_size() const;
  int64_t parameter_count() const;
  /// How it was made: config.json.
  std::string config() const;

  SentenceList generate(const WritingOptions& options = {}, const Listener& listener = {}) const;

  /// For each template (`___ favorite <blank:1-3> food ___ !`, or a seed tree as JSON) its
  /// sentences.
  std::vector<SentenceList> complete(std::span<const std::string> templates,
                                     const WritingOptions& options = {},
                                     const Listener& listener = {}) const;
  /// SentenceList with the words of `options.must`.
  SentenceList complete(const WritingOptions& options, const Listener& listener = {}) const;

  /// For each bag, words with spaces between them, its sentence, or the best of them.
  std::vector<SentenceList> reorder(std::span<const std::string> bags,
                                    const WritingOptions& options = {},
                                    const Listener& listener = {}) const;

  std::vector<SentenceList> translate(std::span<const std::string> sources,
                                      const WritingOptions& options = {},
                                      const Listener& listener = {}) const;

  std::vector<Score> score(std::span<const std::string> texts, const ScoreOptions& options = {},
                           const Listener& listener = {}) const;

  std::vector<std::string> tokenize(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A model's folder, or the name of one that comes with bough. DataError where it can't be read.
LoadedModel load(const std::string& name, const LoadOptions& options = {});

/// The names of the models that come with bough.
std::vector<std::string> shipped_model_names();

// ---- Metrics: evaluate() and evaluate_sentences(), metrics/evaluate.h
// ----------------------------

// ---- Training -----------------------------------------------------------------------------------

/// How far a run is after an epoch.
struct EpochFigures {
  int64_t epoch = 0;  // counted from 1
  int64_t update = 0;
  double loss = 0.0;
  std::optional<double> valid_loss = {};
  std::map<std::string, double> quality = {};  // what the model was judged by: bleu, …
  bool best = false;                           // whether this model is kept
  double beta = 1.0;
  double learning_rate = 0.0;
  double seconds = 0.0;  // trained, in all
  std::vector<std::string> samples = {};
};

struct TrainingListener {
  std::function<void(const EpochFigures&)> on_epoch = {};
  std::function<void(const std::string& message)> on_note = {};  // warnings, too
  /// Asked after every update: true stops the run, which is saved; Interrupted is thrown then.
  std::function<bool()> should_stop = {};
};

/// Trains by the options of `bough train`, "out" and "train" at least; the model is in the folder
/// afterwards.
void train(const NamedOptions& options, const TrainingListener& listener = {},
           const LoadOptions& compute = {});

}  // namespace bough
