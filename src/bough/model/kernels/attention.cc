#include "bough/model/kernels/attention.h"

#include "bough/model/kernels/table.h"

namespace bough {

void score_block(const float* query, const float* keys, int64_t columns, float* scores) {
  kernels().score_block(query, keys, columns, scores);
}

void mix_values(const float* weights, int64_t count, const float* values, int64_t stride,
                int64_t columns, float* context) {
  kernels().mix_values(weights, count, values, stride, columns, context);
}

float tanh_score(std::span<const float> query, const float* key, const float* score) {
  return kernels().tanh_score(query.data(), key, score, static_cast<int64_t>(query.size()));
}

void tanh_score_backward(const TanhScoreGradient& gradient) {
  kernels().tanh_score_backward(gradient);
}

}  // namespace bough
