// Sums of products of bytes, by each instruction set: the inner loop of int8_matrix.h.
//
// Weights are signed bytes in panels of kBytePanel columns, each of them [depth / 4, kBytePanel,
// 4]: four bytes of a row meet four of each column in one instruction. The sums are exact integers,
// so they are the same in any order, on any machine.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

constexpr int64_t kBytePanel = 32;
constexpr int64_t kByteGroup = 4;
constexpr int64_t kMostByteRows = 12;

struct ByteKernel {
  const char* name;
  int64_t rows_at_once;  // at most kMostByteRows
  /// Weights must not be larger. Where the processor adds two products in 16 bits that is 63: 2 ·
  /// 63 · 255 is below 2¹⁵.
  int largest_weight;
  /// sums [rows, kBytePanel] = x · panel for at most rows_at_once rows of `depth` bytes (a multiple
  /// of kByteGroup), which follow each other.
  void (*multiply_panel)(const uint8_t* x, int64_t rows, int64_t depth, const int8_t* panel,
                         int32_t* sums);
};

/// The best for this processor, or a lesser one where BOUGH_KERNELS asks for that. `avx512` stands
/// for a processor without VNNI: one that has it uses it where nothing is asked for.
const ByteKernel& byte_kernel();

/// All that this processor has, the best first.
std::vector<const ByteKernel*> byte_kernels();

}  // namespace bough
