// Oracles: which words are right here, and how right is each?
//
// The slot being filled owns a span of the gold sentence, and any word of that span is a right
// answer. An oracle gives each place of the span a weight; a word's weight is the sum over its
// places. What depends on the policy (coaching, annealed coaching) needs no oracle of its own: the
// target is
//
//     β · (this oracle's weights) + (1 − β) · (the policy, renormalised over the span's words)
//
// with β = 1 for the fixed oracles, 0 for coaching, and a schedule in between for annealed.
#pragma once

#include <memory>
#include <span>

#include "bough/oracle/oracle_options.h"
#include "bough/text/vocabulary.h"

namespace bough {

/// One place of a span: a word, and where it stands in the gold sentence.
struct Place {
  WordId word = 0;
  int position = 0;
};

/// A stretch [begin, end) of the gold sentence with its places sorted by word, then position, so
/// that equal words are neighbours. Never empty: an empty span's only answer is <end>.
struct GoldSpan {
  int begin = 0;
  int end = 0;
  std::span<const Place> places;
  std::span<const WordId> sentence = {};  // all of it
};

class Oracle {
 public:
  virtual ~Oracle() = default;

  /// Writes the weight of each of the span's places; they are not negative and sum to one. A place
  /// of weight zero is a wrong answer.
  virtual void weigh(const GoldSpan& span, std::span<double> weights) const = 0;
};

/// The fixed part of an oracle: uniform for coaching, and for annealed coaching unless it begins
/// with another one. `unfinished` are the pieces that end within a word, where words are cut
/// (text/bpe.h).
std::unique_ptr<Oracle> make_oracle(const OracleOptions& options,
                                    std::span<const WordId> unfinished = {});

}  // namespace bough
