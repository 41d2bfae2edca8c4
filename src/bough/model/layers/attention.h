// Attention with several heads over packed rows: for each head
//
//     context = softmax(query · keyᵀ / √(head's width)) · value
//
// over the keys of the query's own sentence; if causal, over those up to the query's own place.
// Sentences are taken one by one, so nothing is padded and no pair of rows of two sentences is ever
// multiplied.
#pragma once

#include "bough/model/layers/row_layout.h"
#include "bough/model/torch.h"

namespace bough {

struct AttentionRequest {
  torch::Tensor query;  // [queries, width]
  torch::Tensor key;    // [keys, width]
  torch::Tensor value;  // [keys, width]
  const RowLayout& query_rows;
  const RowLayout& key_rows;  // of the same sentences, none of them empty
  int64_t heads = 1;
  bool causal = false;
};

/// [queries, width] with gradients.
torch::Tensor attend(const AttentionRequest& request);

/// The same by LibTorch's operators alone, on padded rows.
torch::Tensor plain_attend(const AttentionRequest& request);

}  // namespace bough
