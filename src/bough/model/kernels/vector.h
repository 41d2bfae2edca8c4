// A register full of floats, with the compiler's vector types. Included by implementation.h inside
// a namespace of its instruction set; BOUGH_KERNEL_LANES says how many floats a register has.

constexpr int64_t kLanes = BOUGH_KERNEL_LANES;
typedef float Vector __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
typedef int32_t IntVector __attribute__((vector_size(4 * kLanes)));

#define BOUGH_INLINE static inline __attribute__((always_inline))

BOUGH_INLINE Vector splat(float x) {
  return x - Vector{};
}

BOUGH_INLINE Vector load(const float* from) {
  return *reinterpret_cast<const Vector*>(from);
}
BOUGH_INLINE void store(float* to, Vector x) {
  *reinterpret_cast<Vector*>(to) = x;
}

/// The first `count` numbers; the rest are `rest`.
BOUGH_INLINE Vector load_part(const float* from, int64_t count, float rest) {
  Vector x = splat(rest);
  for (int64_t i = 0; i < count; ++i) x[i] = from[i];
  return x;
}

BOUGH_INLINE void store_part(float* to, Vector x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = x[i];
}

BOUGH_INLINE float sum(Vector x) {
  float total = 0.0F;
  for (int64_t i = 0; i < kLanes; ++i) total += x[i];
  return total;
}

/// e^x to about one unit in the last place, for x clamped to [-87, 88].
BOUGH_INLINE Vector exp(Vector x) {
  x = x < splat(-87.0F) ? splat(-87.0F) : x;
  x = x > splat(88.0F) ? splat(88.0F) : x;
  // x = n·ln 2 + r with |r| <= ln 2 / 2; adding 1.5·2^23 rounds to the nearest integer.
  const Vector round = splat(12582912.0F);
  Vector n = x * splat(1.44269504F) + round - round;
  Vector r = x - n * splat(0.693359375F);
  r = r + n * splat(2.12194440e-4F);
  Vector p = splat(1.9875691500e-4F);
  p = p * r + splat(1.3981999507e-3F);
  p = p * r + splat(8.3334519073e-3F);
  p = p * r + splat(4.1665795894e-2F);
  p = p * r + splat(1.6666665459e-1F);
  p = p * r + splat(5.0000001201e-1F);
  p = p * r * r + r + splat(1.0F);
  IntVector exponent = __builtin_convertvector(n, IntVector);
  IntVector bits = (exponent + 127) << 23;
  return p * reinterpret_cast<Vector&>(bits);
}

BOUGH_INLINE Vector sigmoid(Vector x) {
  return splat(1.0F) / (splat(1.0F) + exp(-x));
}
BOUGH_INLINE Vector tanh(Vector x) {
  return splat(1.0F) - splat(2.0F) / (splat(1.0F) + exp(x + x));
}
