// A Transformer stack without gradients, on packed weights: the twin of TransformerStack::forward
// for steppers. Each row is computed by itself, to the last bit.
#pragma once

#include <vector>

#include "bough/model/layers/key_value_cache.h"
#include "bough/model/layers/row_functions.h"
#include "bough/model/layers/transformer_stack.h"

namespace bough {

/// What the rows attend to in one layer, row by row. A row's own key and value are appended to
/// `self` before any row looks: rows of a sentence that share one see each other.
struct LayerViews {
  std::vector<KeyValueCache*> self;
  std::vector<const KeyValueCache*> source;  // empty where the layers read none
};

class TransformerRunner {
 public:
  TransformerRunner(const TransformerStack& stack, Precision precision)
      : stack_(stack), precision_(precision) {}

  /// Turns `state` [rows, width] into what the stack gives; `views` are by layer.
  void run(std::vector<float>& state, int64_t rows, std::span<const LayerViews> views);

 private:
  /// state = state + sublayer(norm(state)), or the norm behind it; `sublayer` writes to result_.
  template <typename Sublayer>
  void add_sublayer(const NormLayer& norm, std::vector<float>& state, Sublayer sublayer);

  void apply(const LinearLayer& layer, const float* input, std::vector<float>& output) const {
    apply_linear(layer, precision_, input, rows_, output);
  }

  const TransformerStack& stack_;
  Precision precision_;
  int64_t rows_ = 0;
  std::vector<float> normed_, query_, key_, value_, context_, inner_, result_;
};

}  // namespace bough
