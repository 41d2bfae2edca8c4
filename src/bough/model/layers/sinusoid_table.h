// Positions as vectors, after Vaswani et al.: for each i < width/2 the sine and the cosine of
// position / 10000^(2i / width).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace bough {

class SinusoidTable {
 public:
  explicit SinusoidTable(int64_t width) : width_(width) {}

  /// The position's vector; good until the next call.
  const float* at(int64_t position) {
    while (static_cast<int64_t>(numbers_.size()) <= position * width_) append();
    return numbers_.data() + position * width_;
  }

 private:
  void append() {
    auto position = static_cast<double>(static_cast<int64_t>(numbers_.size()) / width_);
    for (int64_t j = 0; j < width_; ++j) {
      double exponent = static_cast<double>(j - j % 2) / static_cast<double>(width_);
      double angle = position / std::pow(10000.0, exponent);
      numbers_.push_back(static_cast<float>(j % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }

  int64_t width_;
  std::vector<float> numbers_;  // [positions, width]
};

}  // namespace bough
