// How fast this machine multiplies matrices, now: what every other speed is measured against.
#pragma once

#include <cstdint>
#include <string>

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

/// The best of several runs within about `seconds` for each library.
GemmRate measure_gemm(const GemmShape& shape, double seconds);

}  // namespace bough
