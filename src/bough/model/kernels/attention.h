// Attention of one query over the keys and values of a sentence, on plain arrays: the inner loops.
// Every number is summed in one fixed order.
#pragma once

#include <cstdint>
#include <span>

namespace bough {

// Scores by products (key_value_cache.h). Keys are kept in blocks of kKeyBlock, each of them
// [width, kKeyBlock], so that a block's scores are summed up side by side; values are kept one
// after the other.

constexpr int64_t kKeyBlock = 16;

/// scores[i] = Σ_c query[c] · key_i[c] for a block of keys: its columns from the query's first one
/// on, [columns, kKeyBlock].
void score_block(const float* query, const float* keys, int64_t columns, float* scores);

/// context = Σ_i weights[i] · values[i]; values are `stride` numbers apart.
void mix_values(const float* weights, int64_t count, const float* values, int64_t stride,
                int64_t columns, float* context);

// Scores by a layer (concat_attention.h).

/// Σ_c score[c] · tanh(query[c] + key[c])
float tanh_score(std::span<const float> query, const float* key, const float* score);

/// Adds the gradients of `gradient` times that.
struct TanhScoreGradient {
  int64_t size = 0;
  float gradient = 0.0F;
  const float* query = nullptr;
  const float* key = nullptr;
  const float* score = nullptr;
  float* d_query = nullptr;
  float* d_key = nullptr;
  float* d_score = nullptr;
};
void tanh_score_backward(const TanhScoreGradient& gradient);

}  // namespace bough
