#include "bough/metrics/meteor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

/// METEOR's list for English; it was made from texts in the style of the Penn Treebank.
bool is_function_word(const std::string& word) {
  static const std::unordered_set<std::string_view> kWords = {
      "the",  ",",     ".",     "to",   "of",    "and",   "a",    "in",     "that",  "for",
      "\"",   "is",    "on",    "'s",   "it",    "with",  "was",  "as",     "said",  "at",
      "he",   "by",    "be",    "from", "have",  "has",   "are",  "his",    "but",   "an",
      "this", "not",   "i",     "will", "’",     "they",  ")",    "-rrb-",  "(",     "-lrb-",
      "who",  "their", "had",   "we",   "which", "were",  "been", "more",   "or",    "s",
      "its",  "would", "about", "new",  "one",   "after", "you",  ":",      "also",  "up",
      "when", "there", "than",  "$",    "all",   "out",   "her",  "people", "she",   "year",
      "two",  "-",     "can",   "if",   "last",  "first", "“",    "over",   "other", "”",
      "into", "some",  "what",  "so",   "--",    "no",    "time", "years",  "could", "?",
      "'t",   "—",     "'"};
  return kWords.contains(lower_case(word));
}

struct Parameters {
  double alpha;
  double beta;
  double gamma;
  double delta;
  std::vector<double> weights;
};

Parameters parameters_of(MeteorTask task) {
  switch (task) {
    case MeteorTask::kAdequacy:
      return {0.75, 1.40, 0.45, 0.70, {1.0, 1.0, 0.6}};
    case MeteorTask::kAnyLanguage:
      return {0.75, 1.40, 0.70, 0.50, {1.0, 0.5, 0.5}};
    case MeteorTask::kRanking:
      break;
  }
  return {0.85, 0.20, 0.60, 0.75, {1.0, 0.6, 0.8}};
}

std::vector<std::string_view> split_at_commas(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

double parse_weight(std::string_view text) {
  double weight = 0.0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  bool good = error == std::errc() && stop == text.data() + text.size();
  if (!good || !(weight >= 0.0 && weight <= 1.0)) {
    throw UsageError("a weight of METEOR's modules is a number from 0 to 1, not '{}'",
                     for_message(text));
  }
  return weight;
}

/// The task's parameters with those that the options set, and a weight for each of `modules`.
Parameters parameters_of(const MeteorOptions& options, size_t modules) {
  Parameters parameters = parameters_of(options.task);
  if (options.alpha >= 0.0) parameters.alpha = options.alpha;
  if (options.beta >= 0.0) parameters.beta = options.beta;
  if (options.gamma >= 0.0) parameters.gamma = options.gamma;
  if (options.delta >= 0.0) parameters.delta = options.delta;
  if (options.weights.empty()) {
    parameters.weights.resize(modules);
    return parameters;
  }
  parameters.weights.clear();
  for (std::string_view weight : split_at_commas(options.weights)) {
    parameters.weights.push_back(parse_weight(weight));
  }
  if (parameters.weights.size() != modules) {
    throw UsageError("{} of METEOR's modules ('{}') need as many weights, not '{}'", modules,
                     options.modules, options.weights);
  }
  return parameters;
}

/// A count of words, of content words and of function words in it.
struct WordCount {
  double content = 0.0;
  double function = 0.0;

  double total() const { return content + function; }
  void add(bool is_function) { (is_function ? function : content) += 1.0; }
};

/// What METEOR sums over sentences, and how it lies in a row (see make_meteor).
class Counts {
 public:
  static size_t size(size_t modules) { return 5 + 4 * modules; }

  explicit Counts(size_t modules) : matched_(modules) {}

  explicit Counts(std::span<const double> row) : Counts((row.size() - 5) / 4) {
    chunks = row[0];
    words = {read(row, 1), read(row, 3)};
    for (size_t i = 0; i < matched_.size(); ++i) {
      matched_[i] = {read(row, 5 + 4 * i), read(row, 7 + 4 * i)};
    }
  }

  void write(std::span<double> row) const {
    row[0] = chunks;
    write(words, row, 1);
    for (size_t i = 0; i < matched_.size(); ++i) write(matched_[i], row, 5 + 4 * i);
  }

  struct Both {
    WordCount hypothesis;
    WordCount reference;
  };

  double chunks = 0.0;
  Both words;

  std::vector<Both>& matched() { return matched_; }
  const std::vector<Both>& matched() const { return matched_; }

  /// Matched words; every match is of one word on either side.
  double matches() const {
    double sum = 0.0;
    for (const Both& module : matched_) sum += module.hypothesis.total();
    return sum;
  }

 private:
  static WordCount read(std::span<const double> row, size_t at) { return {row[at], row[at + 1]}; }

  static void write(const Both& both, std::span<double> row, size_t at) {
    row[at] = both.hypothesis.content;
    row[at + 1] = both.hypothesis.function;
    row[at + 2] = both.reference.content;
    row[at + 3] = both.reference.function;
  }

  std::vector<Both> matched_;
};

std::vector<bool> mark_function_words(std::span<const std::string> words) {
  std::vector<bool> marks;
  for (const std::string& word : words) marks.push_back(is_function_word(word));
  return marks;
}

WordCount count(const std::vector<bool>& function_words) {
  WordCount words;
  for (bool is_function : function_words) words.add(is_function);
  return words;
}

class Meteor : public Metric {
 public:
  Meteor(const MeteorOptions& options, std::vector<MeteorModule> modules, Parameters parameters,
         std::shared_ptr<const SynonymTable> synonyms)
      : task_(options.task),
        normalization_(options.normalization),
        beam_(static_cast<size_t>(options.beam)),
        parameters_(std::move(parameters)),
        aligner_(std::move(modules), beam_, std::move(synonyms)) {}

  std::string name() const override { return "METEOR"; }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    std::vector<std::string_view> modules;
    for (MeteorModule module : aligner_.modules()) modules.push_back(name_of(module));
    const Parameters& p = parameters_;
    return {{"lang", "en"},
            {"task", std::string(name_of(task_))},
            {"params", fmt::format("{}_{}_{}_{}", p.alpha, p.beta, p.gamma, p.delta)},
            {"modules", fmt::format("{}", fmt::join(modules, "_"))},
            {"weights", fmt::format("{}", fmt::join(p.weights, "_"))},
            {"paraphrases", "no"},
            {"norm", norm_setting()},
            {"beam", fmt::format("{}", beam_)}};
  }

  int decimals() const override { return 6; }

  size_t row_size() const override { return Counts::size(aligner_.modules().size()); }

  void measure(const Segment& segment, std::span<double> row) const override {
    auto hypothesis = meteor_words(segment.hypothesis, normalization_);
    auto hypothesis_marks = mark_function_words(hypothesis);
    double best = -1.0;
    for (std::string_view text : segment.references) {
      auto reference = meteor_words(text, normalization_);
      Counts counts = count_alignment(aligner_.align(hypothesis, reference), hypothesis_marks,
                                      mark_function_words(reference));
      double score = scores_of(counts).score;
      if (score <= best) continue;
      best = score;
      counts.write(row);
    }
  }

  double score(std::span<const double> sums) const override {
    return scores_of(Counts(sums)).score;
  }

  std::string details(std::span<const double> sums) const override {
    Counts counts(sums);
    Scores scores = scores_of(counts);
    return fmt::format(
        "(precision = {:.6f} recall = {:.6f} penalty = {:.6f} hyp_len = {:.0f} ref_len = {:.0f} "
        "matches = {:.0f} chunks = {:.0f})",
        scores.precision, scores.recall, scores.penalty, counts.words.hypothesis.total(),
        counts.words.reference.total(), counts.matches(), counts.chunks);
  }

 private:
  struct Scores {
    double precision = 0.0;
    double recall = 0.0;
    double penalty = 0.0;
    double score = 0.0;
  };

  std::string norm_setting() const {
    if (normalization_ == MeteorNormalization::kFull) return "yes";
    if (normalization_ == MeteorNormalization::kNone) return "no";
    return std::string(name_of(normalization_));
  }

  Counts count_alignment(const MeteorAlignment& alignment,
                         const std::vector<bool>& hypothesis_marks,
                         const std::vector<bool>& reference_marks) const {
    Counts counts(aligner_.modules().size());
    counts.words = {count(hypothesis_marks), count(reference_marks)};
    for (const MeteorMatch& match : alignment.matches) {
      auto& matched = counts.matched()[match.module];
      matched.hypothesis.add(hypothesis_marks[match.hypothesis]);
      matched.reference.add(reference_marks[match.reference]);
    }
    bool complete = alignment.matches.size() == hypothesis_marks.size() &&
                    alignment.matches.size() == reference_marks.size();
    counts.chunks = complete && alignment.chunks == 1 ? 0.0 : alignment.chunks;
    return counts;
  }

  double weighted(const WordCount& words) const {
    return parameters_.delta * words.content + (1.0 - parameters_.delta) * words.function;
  }

  Scores scores_of(const Counts& counts) const {
    double hypothesis_matches = 0.0;
    double reference_matches = 0.0;
    for (size_t i = 0; i < counts.matched().size(); ++i) {
      hypothesis_matches += parameters_.weights[i] * weighted(counts.matched()[i].hypothesis);
      reference_matches += parameters_.weights[i] * weighted(counts.matched()[i].reference);
    }
    Scores scores;
    double matches = counts.matches();
    if (matches > 0.0) {
      scores.penalty = parameters_.gamma * std::pow(counts.chunks / matches, parameters_.beta);
    }
    if (hypothesis_matches > 0.0) {
      scores.precision = hypothesis_matches / weighted(counts.words.hypothesis);
    }
    if (reference_matches > 0.0) {
      scores.recall = reference_matches / weighted(counts.words.reference);
    }
    if (hypothesis_matches > 0.0 && reference_matches > 0.0) {
      double alpha = parameters_.alpha;
      double mean = 1.0 / ((1.0 - alpha) / scores.precision + alpha / scores.recall);
      scores.score = std::max(0.0, mean * (1.0 - scores.penalty));
    }
    return scores;
  }

  MeteorTask task_;
  MeteorNormalization normalization_;
  size_t beam_;
  Parameters parameters_;
  MeteorAligner aligner_;
};

}  // namespace

std::vector<MeteorModule> meteor_modules(const MeteorOptions& options) {
  std::vector<MeteorModule> modules;
  for (std::string_view name : split_at_commas(options.modules)) {
    const auto& names = EnumNames<MeteorModule>::kNames;
    auto known = std::ranges::find(names, name, &std::pair<MeteorModule, std::string_view>::second);
    if (known == names.end() || std::ranges::find(modules, known->first) != modules.end()) {
      throw UsageError(
          "METEOR's modules are some of exact, stem and synonym, each once and with commas "
          "between them, not '{}'",
          for_message(options.modules));
    }
    modules.push_back(known->first);
  }
  return modules;
}

std::unique_ptr<Metric> make_meteor(const MeteorOptions& options,
                                    std::shared_ptr<const SynonymTable> synonyms) {
  auto modules = meteor_modules(options);
  bool needs_synonyms = std::ranges::find(modules, MeteorModule::kSynonym) != modules.end();
  if (needs_synonyms && synonyms == nullptr) {
    throw UsageError("METEOR's module synonym needs WordNet's synonyms");
  }
  Parameters parameters = parameters_of(options, modules.size());
  return std::make_unique<Meteor>(options, std::move(modules), std::move(parameters),
                                  std::move(synonyms));
}

}  // namespace bough
