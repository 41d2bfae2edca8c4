// Attention of one query over the keys and values of a cache, on plain arrays.
//
// Keys are kept in blocks of kKeyBlock, each of them [width, kKeyBlock], so that a block's scores
// are summed up side by side; values are kept one after the other. Every number is summed in one
// fixed order.
#pragma once

#include <cstdint>

namespace bough {

constexpr int64_t kKeyBlock = 16;

/// scores[i] = Σ_c query[c] · key_i[c] for a block of keys: its columns from the query's first one
/// on, [columns, kKeyBlock].
void score_block(const float* query, const float* keys, int64_t columns, float* scores);

/// context = Σ_i weights[i] · values[i]; values are `stride` numbers apart.
void mix_values(const float* weights, int64_t count, const float* values, int64_t stride,
                int64_t columns, float* context);

}  // namespace bough
