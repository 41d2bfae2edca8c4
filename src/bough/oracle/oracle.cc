#include "bough/oracle/oracle.h"

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

/// The middle word of a long span, the first of a short one: a few words to hold on to, and left to
/// right between them.
class AnchorOracle : public Oracle {
 public:
  explicit AnchorOracle(int64_t longest) : longest_(longest) {}
  void weigh(const GoldSpan& span, std::span<double> weights) const override {
    int length = span.end - span.begin;
    choose_place(span, length > longest_ ? span.begin + length / 2 : span.begin, weights);
  }

 private:
  int64_t longest_;
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

OracleKind kind_of(AnnealFrom from) {
  switch (from) {
    case AnnealFrom::kUniform:
      return OracleKind::kUniform;
    case AnnealFrom::kLeftRight:
      return OracleKind::kLeftRight;
    case AnnealFrom::kBalanced:
      return OracleKind::kBalanced;
    case AnnealFrom::kAnchors:
      return OracleKind::kAnchors;
  }
  return OracleKind::kUniform;
}

}  // namespace

std::unique_ptr<Oracle> make_oracle(const OracleOptions& options) {
  switch (options.oracle) {
    case OracleKind::kUniform:
    case OracleKind::kCoaching:
      return std::make_unique<UniformOracle>();
    case OracleKind::kAnnealed: {
      if (options.anneal_from == AnnealFrom::kUniform) return std::make_unique<UniformOracle>();
      OracleOptions first = options;
      first.oracle = kind_of(options.anneal_from);
      return std::make_unique<SoftenedOracle>(make_oracle(first), options.uniform_share);
    }
    case OracleKind::kLeftRight:
      return std::make_unique<EndOracle>(true);
    case OracleKind::kRightLeft:
      return std::make_unique<EndOracle>(false);
    case OracleKind::kBalanced:
      return std::make_unique<BalancedOracle>(options.balance);
    case OracleKind::kAnchors:
      return std::make_unique<AnchorOracle>(options.anchor_span);
  }
  return nullptr;
}

}  // namespace bough
