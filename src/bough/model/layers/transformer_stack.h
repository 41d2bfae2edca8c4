// A stack of Transformer layers (Vaswani et al.), on packed rows: what an encoder and a decoder
// have in common.
//
//     layer: attention over the own sentence → (attention over the source) → feed-forward
//
// Each of these sublayers is normalised before or behind it (NormPlace) and added to what it reads.
// Before-style stacks end in one more norm. Units are dropped of what each sublayer gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bough/model/layers/dropout.h"
#include "bough/model/layers/initialiser.h"
#include "bough/model/layers/linear_layer.h"
#include "bough/model/layers/norm_layer.h"
#include "bough/model/layers/row_layout.h"
#include "bough/model/policy_options.h"
#include "bough/model/transformer_options.h"

namespace bough {

/// Linear maps round the attention itself (attention.h).
struct AttentionLayer {
  LinearLayer query;
  LinearLayer key;
  LinearLayer value;
  LinearLayer output;
};

struct TransformerLayer {
  NormLayer self_norm;
  AttentionLayer self;
  std::optional<NormLayer> source_norm;  // none without a source
  std::optional<AttentionLayer> source;
  NormLayer feed_forward_norm;
  LinearLayer inner;  // of the feed-forward sublayer, ReLU between them
  LinearLayer outer;
};

/// Rows and where each sentence's are.
struct LaidOutRows {
  torch::Tensor rows;  // [rows, width]
  const RowLayout& layout;
};

struct TransformerStack {
  /// `causal_`: each row sees its past only; `reads_source`: with attention over a source.
  TransformerStack(const PolicyOptions& policy, const TransformerOptions& options, bool causal_,
                   bool reads_source, Initialiser& initialise);

  /// [rows, width] with gradients; `source` may be null if the layers read none.
  torch::Tensor forward(const LaidOutRows& input, const LaidOutRows* source,
                        Dropout& dropout) const;

  /// Appends all weights, in a fixed order.
  void add_parameters(const std::string& name, NamedTensors& all) const;

  int64_t width() const { return layers.front().self.query.weight.size(1); }

  bool causal;
  int64_t heads;
  NormPlace place;
  std::vector<TransformerLayer> layers;
  std::optional<NormLayer> norm;  // behind all layers; none where each ends in one
};

}  // namespace bough
