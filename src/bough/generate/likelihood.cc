#include "bough/generate/likelihood.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bough/base/error.h"
#include "bough/generate/running_batch.h"
#include "bough/oracle/walk.h"

namespace bough {

namespace {

void add_costs(std::vector<DepthCost>& costs, std::span<const DepthCost> more) {
  costs.resize(std::max(costs.size(), more.size()));
  for (size_t depth = 0; depth < more.size(); ++depth) costs[depth] += more[depth];
}

/// How much of the policy's probability words have, on average over trees.
using WordShares = std::map<WordId, double>;

/// The so many words of the largest shares, the largest first.
std::vector<WordId> largest_of(const WordShares& shares, int64_t count) {
  std::vector<std::pair<double, WordId>> sorted;
  for (const auto& [word, share] : shares) sorted.emplace_back(-share, word);
  std::ranges::sort(sorted);
  std::vector<WordId> words;
  for (const auto& [share, word] : sorted) {
    if (static_cast<int64_t>(words.size()) < count) words.push_back(word);
  }
  return words;
}

/// The trees of a sentence, once they are complete.
struct Summed {
  std::vector<WeightedDraw> trees;
  std::vector<DepthCost> costs;
  std::vector<WordShares> others = {};  // by place
  int64_t steps = 0;

  void add(const Summed& other) {
    trees.insert(trees.end(), other.trees.begin(), other.trees.end());
    add_costs(costs, other.costs);
    others.resize(std::max(others.size(), other.others.size()));
    for (size_t place = 0; place < other.others.size(); ++place) {
      for (const auto& [word, share] : other.others[place]) others[place][word] += share;
    }
    steps += other.steps;
  }
};

/// A tree under way, which some draws share.
struct Row {
  Walk walk;
  int64_t draws = 1;
  double share = 1.0;  // of all draws, or its probability of being drawn
  double log_weight = 0.0;
  size_t branch = 0;  // the place it took last, among those it could
};

/// How many of `draws` go each way: in all, their expectations are draws · share.
std::vector<int64_t> deal(int64_t draws, std::span<const double> shares, TreeDraws how,
                          RandomStream& random) {
  std::vector<int64_t> counts(shares.size());
  if (how == TreeDraws::kIndependent) {
    for (int64_t i = 0; i < draws; ++i) ++counts[static_cast<size_t>(random.draw(shares))];
    return counts;
  }
  // Points at equal distances over the shares laid end to end.
  double point = random.uniform();
  double end = 0.0;
  int64_t dealt = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    end += shares[i] * static_cast<double>(draws);
    for (; dealt < draws && point < end; ++dealt, point += 1.0) ++counts[i];
  }
  size_t largest = static_cast<size_t>(std::ranges::max_element(shares) - shares.begin());
  counts[largest] += draws - dealt;  // what rounding has left over
  return counts;
}

/// Draws trees of a sentence, or walks all of them.
class TreesJob : public Job {
 public:
  struct Request {
    const SentenceToScore& sentence;
    const Oracle& oracle;
    Shape shape = Shape::kEnd;
    int64_t samples = 0;           // 0: all trees
    std::optional<size_t> root{};  // of all trees those that begin with this place
    TreeDraws draws = TreeDraws::kStratified;
    double coaching = 1.0;
    int64_t others = 0;  // words to note for each place
    uint64_t seed = 1;
    std::function<void(Summed&&)> on_end;
  };

  explicit TreesJob(Request request)
      : request_(std::move(request)),
        random_(request_.seed, Purpose::kScore, static_cast<uint64_t>(request_.sentence.number)) {
    rows_.push_back({.walk = Walk(request_.sentence.words, request_.oracle, Duplicates::kUniform,
                                  request_.shape),
                     .draws = std::max<int64_t>(1, request_.samples)});
  }

  SourceIds source() const override { return request_.sentence.source; }

  int64_t most_rows() const override {
    auto words = static_cast<int64_t>(request_.sentence.words.size());
    if (request_.samples > 0) {
      return static_cast<int64_t>(
          std::min(static_cast<double>(request_.samples), tree_count(words)));
    }
    // Trees whose root is at an end are the most.
    return request_.root ? static_cast<int64_t>(tree_count(words - 1)) : 1;
  }

  void choose(std::span<ActionDistribution> slots) override {
    std::vector<Row> next;
    parents_.clear();
    steps_ += static_cast<int64_t>(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
      grow(rows_[i], slots[i], next);
      parents_.resize(next.size(), static_cast<int64_t>(i));
    }
    rows_.swap(next);
  }

  NextRows take() override {
    if (!rows_.front().walk.done()) {
      NextRows next{.parents = parents_, .inputs = {}};
      for (const Row& row : rows_) next.inputs.push_back(row.walk.input());
      return next;
    }
    Summed summed{
        .trees = {}, .costs = std::move(costs_), .others = std::move(others_), .steps = steps_};
    for (const Row& row : rows_) summed.trees.push_back({row.log_weight, row.draws});
    request_.on_end(std::move(summed));
    return {};
  }

 private:
  /// Adds the rows that follow from one. All have taken as many steps, so all are done at once.
  void grow(Row& row, ActionDistribution& slot, std::vector<Row>& next) {
    auto depth = static_cast<size_t>(row.walk.tree().front_slot().depth);
    costs_.resize(std::max(costs_.size(), depth + 1));
    std::span<const float> logits = slot.joint();
    double log_sum = slot.log_sum();
    double log_end = static_cast<double>(logits[kEnd]) - log_sum;
    std::span<const Place> places = row.walk.right_places();
    if (places.empty()) {
      costs_[depth] += {.shape = -row.share * log_end, .slots = row.share};
      row.log_weight += log_end;
      row.walk.take_place(0);
      next.push_back(std::move(row));
      return;
    }
    std::vector<Branch> branches;
    double log_word = std::log(std::max(1e-12, -std::expm1(log_end)));  // that it is no <end>
    for (const Place& place : places) {
      double log_probability =
          static_cast<double>(logits[static_cast<size_t>(place.word)]) - log_sum;
      double log_shape = log_word;
      if (slot.has_sides()) {
        Sides open = row.walk.action_of(place).open;
        log_shape = static_cast<double>(slot.side_logprobs(place.word)[index_of(open)]);
        log_probability += log_shape;
      }
      branches.push_back({.log_probability = log_probability, .log_shape = log_shape});
    }
    propose(branches);
    size_t first = next.size();
    if (request_.samples > 0) {
      draw(row, branches, next);
    } else {
      walk_all(row, branches, next);
    }
    for (size_t i = first; i < next.size(); ++i) {
      const Branch& own = branches[next[i].branch];
      costs_[depth] += {.words = next[i].share * (own.log_shape - own.log_weight()),
                        .shape = -next[i].share * own.log_shape,
                        .slots = next[i].share};
    }
    if (request_.others > 0) note_others(slot, places, std::span(next).subspan(first));
  }

  /// Notes the words that the policy likes best at a slot, for the places that were taken there: a
  /// slot of n places says an n-th of it about each.
  void note_others(ActionDistribution& slot, std::span<const Place> places,
                   std::span<const Row> taken) {
    others_.resize(request_.sentence.words.size());
    StepScore score = slot.score({kEnd}, request_.others + kSpecials + 1);
    for (const Row& row : taken) {
      const Place& place = places[row.branch];
      for (const Alternative& other : score.alternatives) {
        if (other.word < kSpecials || other.word == place.word) continue;
        others_[static_cast<size_t>(place.position)][other.word] +=
            row.share * std::exp(other.logprob) / static_cast<double>(places.size());
      }
    }
  }

  /// A place that a slot can take.
  struct Branch {
    double log_probability = 0.0;  // by the policy
    double log_shape = 0.0;        // the part of it that is the tree's shape
    double log_share = 0.0;        // by which it is drawn

    double log_weight() const { return log_probability - log_share; }
  };

  void propose(std::vector<Branch>& branches) const {
    std::vector<double> logs;
    for (const Branch& branch : branches) {
      logs.push_back(request_.coaching * branch.log_probability);
    }
    double log_all = log_sum_of(logs);
    for (size_t i = 0; i < logs.size(); ++i) branches[i].log_share = logs[i] - log_all;
  }

  /// A row for each place that some draws take.
  void draw(const Row& row, std::span<const Branch> branches, std::vector<Row>& next) {
    std::vector<double> shares;
    for (const Branch& branch : branches) shares.push_back(std::exp(branch.log_share));
    std::vector<int64_t> counts = deal(row.draws, shares, request_.draws, random_);
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      Row& child = next.emplace_back(row);
      child.draws = counts[i];
      child.share = static_cast<double>(counts[i]) / static_cast<double>(request_.samples);
      child.log_weight += branches[i].log_weight();
      child.branch = i;
      child.walk.take_place(i);
    }
  }

  /// A row for each place.
  void walk_all(const Row& row, std::span<const Branch> branches, std::vector<Row>& next) const {
    bool at_root = row.walk.tree().steps() == 0 && request_.root.has_value();
    for (size_t i = 0; i < branches.size(); ++i) {
      if (at_root && i != *request_.root) continue;
      Row& child = next.emplace_back(row);
      child.share *= std::exp(branches[i].log_share);
      child.log_weight += branches[i].log_probability;
      child.branch = i;
      child.walk.take_place(i);
    }
  }

  Request request_;
  RandomStream random_;
  std::vector<Row> rows_;
  std::vector<int64_t> parents_;  // of the rows, among those before
  std::vector<DepthCost> costs_;
  std::vector<WordShares> others_;  // by place
  int64_t steps_ = 0;
};

Likelihood sum_of(const Summed& summed) {
  std::vector<double> logs;
  for (const WeightedDraw& tree : summed.trees) logs.push_back(tree.log_weight);
  double logprob = log_sum_of(logs);
  return {.logprob = logprob,
          .trees = static_cast<int64_t>(logs.size()),
          .effective = static_cast<double>(logs.size()),
          .interval = {logprob, logprob},
          .exact = true,
          .costs = summed.costs};
}

Likelihood estimate_of(const Summed& summed, int64_t samples, RandomStream random) {
  WeightedEstimate found = estimate(summed.trees, random);
  return {.logprob = found.log_mean,
          .trees = samples,
          .effective = found.effective,
          .variance = found.variance,
          .interval = found.interval,
          .costs = summed.costs};
}

}  // namespace

double tree_count(int64_t words) {
  double count = 1.0;  // Catalan's numbers
  for (int64_t n = 0; n < words; ++n) {
    count *= 2.0 * (2.0 * static_cast<double>(n) + 1.0) / (static_cast<double>(n) + 2.0);
  }
  return std::round(count);
}

double perplexity_of(double logprob, int64_t words) {
  return std::exp(-logprob / static_cast<double>(std::max<int64_t>(1, words)));
}

void LikelihoodTotals::add(const Likelihood& sentence, int64_t its_words) {
  ++sentences;
  words += its_words;
  logprob += sentence.logprob;
  bound += sentence.bound;
  effective += sentence.effective;
  variance += sentence.variance;
  exact = exact && sentence.exact;
  add_costs(costs, sentence.costs);
}

LogInterval LikelihoodTotals::interval() const {
  double error = 1.96 * std::sqrt(variance);
  return {logprob - error, logprob + error + 0.5 * variance};
}

LikelihoodScorer::LikelihoodScorer(const LikelihoodOptions& options, const Order& order)
    : options_(options),
      has_order_(order.only != nullptr),
      oracle_(has_order_ ? order.only : make_oracle({.oracle = OracleKind::kUniform})) {
  // Measured: docs/likelihood.md.
  bool uniform = order.oracle == OracleKind::kUniform;
  if (options_.coaching < 0.0) options_.coaching = uniform ? 0.0 : 0.75;
}

void LikelihoodScorer::check(int64_t words) const {
  if (!options_.exact || has_order_ || words <= kMostExactWords) return;
  throw UnmetError(
      "{} words have {:.{}g} trees: --exact sums over those of up to {} words ({}); leave it out "
      "for an estimate",
      words, tree_count(words), words <= 30 ? 17 : 3, kMostExactWords, tree_count(kMostExactWords));
}

std::vector<LikelihoodScorer::Part> LikelihoodScorer::parts_of(
    std::span<const SentenceToScore> sentences) const {
  std::vector<Part> parts;
  for (const SentenceToScore& sentence : sentences) {
    // A job for each root: fewer rows at a time.
    size_t roots = walks_all() && !has_order_ ? sentence.words.size() : 0;
    for (size_t root = 0; root < roots; ++root)
      parts.push_back({&sentence, root, root + 1 == roots});
    if (roots == 0) parts.push_back({.sentence = &sentence});
  }
  return parts;
}

void LikelihoodScorer::score(JobRunner& runner, const ScoreRequest& request,
                             const std::function<void(Likelihood&&)>& take) const {
  std::vector<Part> parts = parts_of(request.sentences);
  Summed summed;  // of the sentence under way
  size_t taken = 0;
  auto take_part = [&](Summed&& part) {
    summed.add(part);
    const Part& own = parts[taken++];
    if (!own.last) return;
    RandomStream random(request.seed, Purpose::kBootstrap,
                        static_cast<uint64_t>(own.sentence->number));
    Likelihood result =
        walks_all() ? sum_of(summed) : estimate_of(summed, options_.samples, random);
    result.steps = summed.steps;
    for (const WordShares& shares : summed.others) {
      result.others.push_back(largest_of(shares, request.others));
    }
    for (const DepthCost& cost : result.costs) result.bound -= cost.words + cost.shape;
    summed = {};
    take(std::move(result));
  };
  InOrder<Summed>{.count = static_cast<int64_t>(parts.size()),
                  .make =
                      [&](int64_t index, auto done) {
                        const Part& part = parts[static_cast<size_t>(index)];
                        return std::make_unique<TreesJob>(
                            TreesJob::Request{.sentence = *part.sentence,
                                              .oracle = *oracle_,
                                              .shape = runner.shape(),
                                              .samples = walks_all() ? 0 : options_.samples,
                                              .root = part.root,
                                              .draws = options_.draws,
                                              .coaching = options_.coaching,
                                              .others = request.others,
                                              .seed = request.seed,
                                              .on_end = std::move(done)});
                      },
                  .take = take_part,
                  .between_steps = request.between_steps}
      .run(runner);
}

}  // namespace bough
