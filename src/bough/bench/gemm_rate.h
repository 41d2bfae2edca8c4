// How fast this machine multiplies matrices, now: what every other speed is measured against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bough {

struct GemmShape {
  std::string name;
  int64_t rows = 2048;
  int64_t depth = 2048;
  int64_t columns = 2048;
};

/// GFLOP/s of single precision.
struct GemmRate {
  double blas = 0.0;    // LibTorch's BLAS, matrices as they are
  double onednn = 0.0;  // weights in oneDNN's own layout

  double best() const { return blas > onednn ? blas : onednn; }
};

/// Measures one product again and again over a run, to be compared with the run: both have the same
/// good and bad moments of a shared machine.
class GemmMeter {
 public:
  explicit GemmMeter(const GemmShape& shape) : shape_(shape) {}

  /// Measures for about `seconds` for each library.
  void measure(double seconds);

  /// Medians over all products measured so far.
  GemmRate rate() const;

 private:
  GemmShape shape_;
  std::vector<double> blas_;  // of each product
  std::vector<double> onednn_;
};

double median(std::vector<double> values);

/// Seconds since some fixed moment.
double now_in_seconds();

}  // namespace bough
