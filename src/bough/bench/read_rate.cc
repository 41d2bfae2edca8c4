#include "bough/bench/read_rate.h"

#include <algorithm>
#include <cstdint>

#include "bough/bench/gemm_rate.h"
#include "bough/model/kernels/aligned.h"
#include "bough/model/kernels/arrays.h"

namespace bough {

double read_rate() {
  constexpr size_t kNumbers = size_t{1} << 26;
  constexpr int kReadings = 7;
  AlignedVector<float> numbers(kNumbers, 1.0F);
  std::vector<double> rates;
  double total = 0.0;
  for (int i = 0; i < kReadings; ++i) {
    double start = now_in_seconds();
    total += sum_of_squares(numbers);
    rates.push_back(1e-9 * static_cast<double>(sizeof(float) * kNumbers) /
                    (now_in_seconds() - start));
  }
  // The sum is asked for, so that nobody leaves the reading out.
  return total > 0.0 ? median(std::move(rates)) : 0.0;
}

}  // namespace bough
