#include "bough/base/random.h"

#include <cmath>
#include <numbers>

namespace bough {

RandomStream::RandomStream(uint64_t seed, Purpose purpose, uint64_t first, uint64_t second)
    : state_(0) {
  for (uint64_t part : {seed, static_cast<uint64_t>(purpose), first, second}) {
    state_ = mix_bits(state_ + kStep + part * 0xd1342543de82ef95ULL);
  }
}

uint64_t seed_for(uint64_t seed, Purpose purpose, uint64_t index) {
  return RandomStream(seed, purpose, index).next() >> 1;
}

uint64_t RandomStream::below(uint64_t bound) {
  // Multiply-shift; for the bounds used here (sentences, words) its bias is below 2^-32.
  return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
}

double RandomStream::normal() {
  double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

template <typename Number>
int RandomStream::draw_from(std::span<const Number> weights) {
  double total = 0.0;
  for (Number weight : weights) total += weight;
  double left = uniform() * total;
  int last_positive = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= Number{0}) continue;
    last_positive = static_cast<int>(i);
    left -= weights[i];
    if (left < 0.0) break;
  }
  return last_positive;
}

template int RandomStream::draw_from(std::span<const double> weights);
template int RandomStream::draw_from(std::span<const float> weights);

}  // namespace bough
