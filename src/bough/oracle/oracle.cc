#include "bough/oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bough {

namespace {

/// 1/n on each of the n distinct words, shared evenly by the places of a word.
class UniformOracle : public Oracle {
 public:
  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    size_t size = span.places.size();
    int distinct = 0;
    for (size_t first = 0, last; first < size; first = last) {
      for (last = first; last < size && span.places[last].word == span.places[first].word;) ++last;
      for (size_t i = first; i < last; ++i) weights[i] = 1.0 / static_cast<double>(last - first);
      ++distinct;
    }
    for (double& weight : weights) weight /= distinct;
  }
};

/// All on one place.
void choose_place(const GoldSpan& span, int chosen, std::span<double> weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = span.places[i].position == chosen ? 1.0 : 0.0;
  }
}

/// All on one end of the span: plain left-to-right (or right-to-left) generation.
class EndOracle : public Oracle {
 public:
  explicit EndOracle(bool left) : left_(left) {}
  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    choose_place(span, left_ ? span.begin : span.end - 1, weights);
  }

 private:
  bool left_;
};

/// Weight exp(−|i − middle| / τ) on place i: shallow trees.
class BalancedOracle : public Oracle {
 public:
  explicit BalancedOracle(double temperature) : temperature_(temperature) {}
  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    double middle = 0.5 * (span.begin + span.end - 1);
    // The nearest place is at most half a word off; subtracting that keeps the sum above zero.
    double nearest = (span.end - span.begin) % 2 == 1 ? 0.0 : 0.5;
    double total = 0.0;
    for (size_t i = 0; i < weights.size(); ++i) {
      double distance = std::abs(span.places[i].position - middle) - nearest;
      weights[i] = std::exp(-distance / temperature_);
      if (weights[i] < 1e-36) weights[i] = 0.0;  // no float of its own: a wrong answer
      total += weights[i];
    }
    for (double& weight : weights) weight /= total;
  }

 private:
  double temperature_;
};

/// The first word that isn't a frequent one, so that these come last, each between its neighbours;
/// left to right where all are. Frequent words have the lowest numbers (Vocabulary::build).
class ContentFirstOracle : public Oracle {
 public:
  explicit ContentFirstOracle(int64_t frequent) : frequent_(frequent) {}
  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    int first = span.end;
    for (const Place& place : span.places) {
      if (place.word >= kSpecials + frequent_) first = std::min(first, place.position);
    }
    choose_place(span, first == span.end ? span.begin : first, weights);
  }

 private:
  int64_t frequent_;
};

/// Another oracle with a share of the uniform one, so that every word of a span is right.
class SoftenedOracle : public Oracle {
 public:
  SoftenedOracle(std::unique_ptr<Oracle> oracle, double share)
      : oracle_(std::move(oracle)), share_(share) {}
  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    std::vector<double> even(weights.size());
    uniform_.weigh(span, even);
    oracle_->weigh(span, weights);
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i] = (1.0 - share_) * weights[i] + share_ * even[i];
    }
  }

 private:
  std::unique_ptr<Oracle> oracle_;
  UniformOracle uniform_;
  double share_;
};

/// Another oracle whose trees are of whole words: the weight of each piece of a word is its first
/// piece's, and behind one that ends within its word only the next is right.
class WholeWordOracle : public Oracle {
 public:
  WholeWordOracle(std::unique_ptr<Oracle> oracle, std::span<const WordId> unfinished)
      : oracle_(std::move(oracle)) {
    for (WordId piece : unfinished) {
      if (piece >= std::ssize(unfinished_)) unfinished_.resize(static_cast<size_t>(piece) + 1);
      unfinished_[static_cast<size_t>(piece)] = true;
    }
  }

  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    if (within_word(span.sentence, span.begin)) return choose_place(span, span.begin, weights);
    oracle_->weigh(span, weights);
    std::vector<size_t> place_at(weights.size());  // by position in the span
    for (size_t i = 0; i < weights.size(); ++i) {
      place_at[static_cast<size_t>(span.places[i].position - span.begin)] = i;
    }
    for (int position = span.end - 1; position > span.begin; --position) {
      if (!within_word(span.sentence, position)) continue;
      double& own = weights[place_at[static_cast<size_t>(position - span.begin)]];
      weights[place_at[static_cast<size_t>(position - span.begin) - 1]] += own;
      own = 0.0;
    }
  }

 private:
  /// Does the piece before this position end within a word?
  bool within_word(std::span<const WordId> sentence, int position) const {
    if (position == 0) return false;
    auto before = static_cast<size_t>(sentence[static_cast<size_t>(position) - 1]);
    return before < unfinished_.size() && unfinished_[before];
  }

  std::unique_ptr<Oracle> oracle_;
  std::vector<bool> unfinished_;  // by word
};

OracleKind kind_of(AnnealFrom from) {
  switch (from) {
    case AnnealFrom::kUniform:
      return OracleKind::kUniform;
    case AnnealFrom::kLeftRight:
      return OracleKind::kLeftRight;
    case AnnealFrom::kBalanced:
      return OracleKind::kBalanced;
  }
  return OracleKind::kUniform;
}

std::unique_ptr<Oracle> oracle_of_tokens(const OracleOptions& options) {
  switch (options.oracle) {
    case OracleKind::kUniform:
    case OracleKind::kCoaching:
      return std::make_unique<UniformOracle>();
    case OracleKind::kAnnealed: {
      if (options.anneal_from == AnnealFrom::kUniform) return std::make_unique<UniformOracle>();
      OracleOptions first = options;
      first.oracle = kind_of(options.anneal_from);
      return std::make_unique<SoftenedOracle>(oracle_of_tokens(first), options.uniform_share);
    }
    case OracleKind::kLeftRight:
      return std::make_unique<EndOracle>(true);
    case OracleKind::kRightLeft:
      return std::make_unique<EndOracle>(false);
    case OracleKind::kBalanced:
      return std::make_unique<BalancedOracle>(options.balance);
    case OracleKind::kContentFirst:
      return std::make_unique<ContentFirstOracle>(options.frequent_words);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Oracle> make_oracle(const OracleOptions& options,
                                    std::span<const WordId> unfinished) {
  std::unique_ptr<Oracle> oracle = oracle_of_tokens(options);
  if (!options.whole_words || unfinished.empty()) return oracle;
  return std::make_unique<WholeWordOracle>(std::move(oracle), unfinished);
}

}  // namespace bough
