// The product itself. A source file of each instruction set defines, inside an anonymous namespace,
// `Sums` (a register of 32-bit sums), kSums (how many it holds), kRowsAtOnce, kMostParts (registers
// of a row's sums, for few rows) and add_products(sums, x, weights), and includes this.

/// kParts registers of columns of a panel times kRows rows. One row alone would wait for each of
/// its sums: it has kChains of them, which are added up at the end.
template <int kRows, int kParts, int kChains>
inline __attribute__((always_inline)) void multiply_part(const uint8_t* x, int64_t depth,
                                                         const int8_t* panel, int32_t* sums) {
  constexpr int64_t kStep = kBytePanel * kByteGroup;
  constexpr int64_t kAhead = 2048;  // weights come from the L2 cache or beyond: ask for them early
  Sums total[kChains][kRows][kParts] = {};
  int64_t groups = depth / kByteGroup;
  auto add_group = [&](int64_t group, int chain) __attribute__((always_inline)) {
    const int8_t* weights = panel + group * kStep;
    Bytes columns[kParts];
    for (int part = 0; part < kParts; ++part) {
      columns[part] = load_bytes(weights + part * kSums * kByteGroup);
      __builtin_prefetch(weights + kAhead + part * kSums * kByteGroup);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      Bytes values = splat_group(x + r * depth + group * kByteGroup);
#pragma GCC unroll 4
      for (int part = 0; part < kParts; ++part) {
        total[chain][r][part] = add_products(total[chain][r][part], values, columns[part]);
      }
    }
  };
  int64_t group = 0;
  for (; group + kChains <= groups; group += kChains) {
#pragma GCC unroll 4
    for (int chain = 0; chain < kChains; ++chain) add_group(group + chain, chain);
  }
  for (; group < groups; ++group) add_group(group, 0);
  for (int r = 0; r < kRows; ++r) {
    for (int part = 0; part < kParts; ++part) {
      Sums all = total[0][r][part];
      for (int chain = 1; chain < kChains; ++chain) all += total[chain][r][part];
      __builtin_memcpy(sums + r * kBytePanel + part * kSums, &all, sizeof all);
    }
  }
}

template <int kRows>
void multiply_rows(const uint8_t* x, int64_t depth, const int8_t* panel, int32_t* sums) {
  constexpr int kAll = kBytePanel / kSums;
  constexpr int kParts = kRows <= 2 && kAll > 2 ? kMostParts : kAll < 2 ? kAll : 2;
  constexpr int kChains = kRows * kParts <= 4 ? 2 : 1;
  for (int64_t first = 0; first < kBytePanel; first += kParts * kSums) {
    multiply_part<kRows, kParts, kChains>(x, depth, panel + first * kByteGroup, sums + first);
  }
}

void multiply_panel(const uint8_t* x, int64_t rows, int64_t depth, const int8_t* panel,
                    int32_t* sums) {
  switch (rows) {
#define BOUGH_ROWS(n)                                                        \
  case n:                                                                    \
    if constexpr (n <= kRowsAtOnce) multiply_rows<n>(x, depth, panel, sums); \
    return;
    BOUGH_ROWS(1)
    BOUGH_ROWS(2)
    BOUGH_ROWS(3)
    BOUGH_ROWS(4)
    BOUGH_ROWS(5)
    BOUGH_ROWS(6)
    BOUGH_ROWS(7)
    BOUGH_ROWS(8)
    BOUGH_ROWS(9)
    BOUGH_ROWS(10)
    BOUGH_ROWS(11)
    BOUGH_ROWS(12)
#undef BOUGH_ROWS
  }
}
