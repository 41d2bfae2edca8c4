#include "bough/model/layers/transformer_stack.h"

#include "bough/model/layers/attention.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/packed_linear.h"

namespace bough {

namespace {

using torch::Tensor;

NormLayer make_norm(int64_t width, Initialiser& initialise) {
  return {initialise.constant({width}, 1.0), initialise.constant({width}, 0.0)};
}

AttentionLayer make_attention(int64_t width, Initialiser& initialise) {
  // Braces: the draws are made in this order.
  return {initialise.linear(width, width), initialise.linear(width, width),
          initialise.linear(width, width), initialise.linear(width, width)};
}

void add_norm(const std::string& name, const NormLayer& layer, NamedTensors& all) {
  all.emplace_back(name + ".scale", layer.scale);
  all.emplace_back(name + ".shift", layer.shift);
}

void add_attention(const std::string& name, const AttentionLayer& layer, NamedTensors& all) {
  add_linear(name + ".query", layer.query, all);
  add_linear(name + ".key", layer.key, all);
  add_linear(name + ".value", layer.value, all);
  add_linear(name + ".output", layer.output, all);
}

}  // namespace

TransformerStack::TransformerStack(const PolicyOptions& policy, const TransformerOptions& options,
                                   bool causal_, bool reads_source, Initialiser& initialise)
    : causal(causal_), heads(options.heads), place(options.norm) {
  int64_t width = policy.hidden_size;
  for (int64_t i = 0; i < policy.layers; ++i) {
    NormLayer self_norm = make_norm(width, initialise);
    AttentionLayer self = make_attention(width, initialise);
    std::optional<NormLayer> source_norm;
    std::optional<AttentionLayer> source;
    if (reads_source) {
      source_norm = make_norm(width, initialise);
      source = make_attention(width, initialise);
    }
    layers.push_back(TransformerLayer{self_norm, self, source_norm, source,
                                      make_norm(width, initialise),
                                      initialise.linear(width, options.feed_forward),
                                      initialise.linear(options.feed_forward, width)});
  }
  if (place == NormPlace::kPre) norm = make_norm(width, initialise);
}

Tensor TransformerStack::forward(const LaidOutRows& input, const LaidOutRows* source,
                                 Dropout& dropout) const {
  Tensor state = input.rows;  // [rows, width]
  auto add_sublayer = [&](const NormLayer& norm_layer, auto&& sublayer) {
    if (place == NormPlace::kPre) {
      state = state + dropout(sublayer(norm_layer(state)));
    } else {
      state = norm_layer(state + dropout(sublayer(state)));
    }
  };
  for (const TransformerLayer& layer : layers) {
    auto look = [&](const AttentionLayer& attention, const Tensor& rows, const LaidOutRows& seen,
                    bool past_only) {
      return packed_linear(attention.output,
                           attend({.query = packed_linear(attention.query, rows),
                                   .key = packed_linear(attention.key, seen.rows),
                                   .value = packed_linear(attention.value, seen.rows),
                                   .query_rows = input.layout,
                                   .key_rows = seen.layout,
                                   .heads = heads,
                                   .causal = past_only}));
    };
    add_sublayer(layer.self_norm, [&](const Tensor& rows) {
      return look(layer.self, rows, {rows, input.layout}, causal);
    });
    if (layer.source) {
      add_sublayer(*layer.source_norm,
                   [&](const Tensor& rows) { return look(*layer.source, rows, *source, false); });
    }
    add_sublayer(layer.feed_forward_norm, [&](const Tensor& rows) {
      return packed_linear(layer.outer, packed_linear(layer.inner, rows, Activation::kRelu));
    });
  }
  return norm ? (*norm)(state) : state;
}

void TransformerStack::add_parameters(const std::string& name, NamedTensors& all) const {
  for (size_t i = 0; i < layers.size(); ++i) {
    const TransformerLayer& layer = layers[i];
    std::string prefix = name + "." + std::to_string(i) + ".";
    add_norm(prefix + "self_norm", layer.self_norm, all);
    add_attention(prefix + "self", layer.self, all);
    if (layer.source) {
      add_norm(prefix + "source_norm", *layer.source_norm, all);
      add_attention(prefix + "source", *layer.source, all);
    }
    add_norm(prefix + "feed_forward_norm", layer.feed_forward_norm, all);
    add_linear(prefix + "feed_forward.inner", layer.inner, all);
    add_linear(prefix + "feed_forward.outer", layer.outer, all);
  }
  if (norm) add_norm(name + ".norm", *norm, all);
}

}  // namespace bough
