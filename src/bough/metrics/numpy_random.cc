#include "bough/metrics/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace bough {

namespace {

/// NumPy's SeedSequence: stirs a seed into a pool of four words and draws any number from it.
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t seed) {
    uint32_t constant = 0x43b0d7e5;
    auto hash = [&constant](uint32_t value) {
      value ^= constant;
      constant *= 0x931e8875;
      return folded(value * constant);
    };
    std::array<uint32_t, 4> entropy{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    for (size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(entropy[i]);
    for (size_t from = 0; from < pool_.size(); ++from) {
      for (size_t to = 0; to < pool_.size(); ++to) {
        if (from == to) continue;
        pool_[to] = folded(0xca01f9dd * pool_[to] - 0x4973f715 * hash(pool_[from]));
      }
    }
  }

  uint64_t next_64() {
    uint64_t low = next_32();
    return low | uint64_t{next_32()} << 32;
  }

 private:
  static uint32_t folded(uint32_t value) { return value ^ value >> 16; }

  uint32_t next_32() {
    uint32_t value = pool_[at_++ % pool_.size()] ^ constant_;
    constant_ *= 0x58f38ded;
    return folded(value * constant_);
  }

  std::array<uint32_t, 4> pool_{};
  uint32_t constant_ = 0x8b51f9dd;
  size_t at_ = 0;
};

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  SeedSequence sequence(seed);
  std::array<uint64_t, 4> words{};
  for (uint64_t& word : words) word = sequence.next_64();
  increment_ = (Wide{words[2]} << 64 | words[3]) << 1 | 1;
  next_64();
  state_ += Wide{words[0]} << 64 | words[1];
  next_64();
}

uint64_t NumpyRandom::next_64() {
  constexpr Wide kMultiplier = Wide{0x2360ed051fc65da4} << 64 | 0x4385df649fccf645;
  state_ = state_ * kMultiplier + increment_;
  auto high = static_cast<uint64_t>(state_ >> 64);
  return std::rotr(high ^ static_cast<uint64_t>(state_), static_cast<int>(high >> 58));
}

uint32_t NumpyRandom::next_32() {
  has_upper_half_ = !has_upper_half_;
  if (!has_upper_half_) return upper_half_;
  uint64_t word = next_64();
  upper_half_ = static_cast<uint32_t>(word >> 32);
  return static_cast<uint32_t>(word);
}

uint32_t NumpyRandom::below(uint32_t bound) {
  uint64_t product = uint64_t{next_32()} * bound;
  if (static_cast<uint32_t>(product) < bound) {
    uint32_t threshold =
        -bound % bound;  // 2³² mod bound: below it, some results come once too often
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next_32()} * bound;
  }
  return static_cast<uint32_t>(product >> 32);
}

bool NumpyRandom::coin() {
  if (coins_left_ == 0) {
    coins_ = next_32();
    coins_left_ = 32;
  }
  bool coin = (coins_ & 1) != 0;
  coins_ >>= 1;
  --coins_left_;
  return coin;
}

}  // namespace bough
