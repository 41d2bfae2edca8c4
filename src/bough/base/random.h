// Random numbers without global state.
//
// A stream is named by (seed, purpose, two indices) and starts from a hash of that name. Nothing
// has to be saved to go on after a restart, and what is drawn for a sentence depends neither on the
// batch it falls in nor on the number of threads. Names are never made by arithmetic: with seed + i
// for the i-th of something, the second at seed 1 would be the first at seed 2.
#pragma once

#include <cstdint>
#include <span>

namespace bough {

/// What a stream is drawn for. The numbers are part of every seed's meaning: append only.
enum class Purpose : uint64_t {
  kInitialise = 1,  // weights at the start
  kShuffle = 2,     // order of sentences; index: pass over the data
  kRollIn = 3,      // an oracle's or policy's draws; indices: pass, sentence
  kDropout = 4,     // masks; index: update (a seed), then layer
  kGenerate = 5,    // sampled sentences; indices: prompt, which of its sentences
  kValidation = 6,  // roll-in on validation data; index: sentence
  kTest = 7,
  kBench = 8,          // synthetic corpora
  kJudging = 9,        // what a model in training writes; index: epoch (a seed)
  kBenchSources = 10,  // what synthetic corpora are translated from (a seed)
  kBenchRun = 11,      // sentences that are generated to be timed; index: run (a seed)
  kWay = 12,           // another way to meet a prompt; index: which (a seed)
  kScore = 13,         // trees that a sentence is scored by; index: sentence
  kBootstrap = 14,     // what intervals are drawn by; index: sentence
  kOrder = 15,         // which of its orders a model learns; index: update
};

/// A bijective 64-bit mix (the finaliser of SplitMix64): every input bit reaches every output bit.
constexpr uint64_t mix_bits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A seed of its own for a part of what is drawn by `seed`, named as a stream is: for whoever takes
/// one seed and names further streams by it. Not above INT64_MAX, as all seeds that options take.
uint64_t seed_for(uint64_t seed, Purpose purpose, uint64_t index = 0);

/// SplitMix64, started from a hash of the stream's name.
class RandomStream {
 public:
  RandomStream(uint64_t seed, Purpose purpose, uint64_t first = 0, uint64_t second = 0);

  uint64_t next() { return mix_bits(state_ += kStep); }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in {0, …, bound-1}; bound > 0.
  uint64_t below(uint64_t bound);

  /// Standard normal (Box-Muller).
  double normal();

  /// An index drawn in proportion to `weights` (not necessarily of sum one; at least one positive).
  int draw(std::span<const double> weights) { return draw_from(weights); }
  int draw(std::span<const float> weights) { return draw_from(weights); }

 private:
  template <typename Number>
  int draw_from(std::span<const Number> weights);

  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  uint64_t state_;
};

}  // namespace bough
