#include "bough/bench/arithmetic.h"

namespace bough {

namespace {

double lstm_step(const PolicyOptions& policy) {
  auto hidden = static_cast<double>(policy.hidden_size);
  auto width = static_cast<double>(policy.embedding_size);
  double flops = 2.0 * hidden * width;
  for (int64_t layer = 0; layer < policy.layers; ++layer) {
    flops += 2.0 * 4.0 * hidden * ((layer == 0 ? width : hidden) + hidden);
  }
  return flops;
}

/// All layers at one position that looks at so many others: four maps and the feed-forward part.
double transformer_position(const PolicyOptions& policy, double seen) {
  auto width = static_cast<double>(policy.hidden_size);
  auto inner = static_cast<double>(policy.transformer.feed_forward);
  double maps = 4.0 * 2.0 * width * width + 2.0 * 2.0 * width * inner;
  double attention = 2.0 * 2.0 * width * seen;  // scores, and the mean of the values
  return static_cast<double>(policy.layers) * (maps + attention);
}

/// What a layer of the decoder adds that looks at a source: maps of queries and results.
double maps_to_source(const PolicyOptions& policy) {
  if (policy.encoder != EncoderKind::kTransformer) return 0.0;
  auto width = static_cast<double>(policy.hidden_size);
  return 2.0 * 2.0 * width * width;
}

double output_layer(const PolicyOptions& policy, int64_t vocabulary) {
  return 2.0 * static_cast<double>(policy.embedding_size) * static_cast<double>(vocabulary);
}

double transformer_sentence(const PolicyOptions& policy, double steps, double source_words) {
  double flops = steps * transformer_position(policy, (steps + 1.0) / 2.0);
  if (policy.encoder != EncoderKind::kTransformer) return flops;
  double read = source_words + 1.0;  // </s> stands behind it
  auto width = static_cast<double>(policy.hidden_size);
  double maps = maps_to_source(policy);  // as many for keys and values
  double across = steps * (maps + 2.0 * 2.0 * width * read) + read * maps;
  return flops + static_cast<double>(policy.layers) * across +
         read * transformer_position(policy, read);
}

}  // namespace

double sentence_flops(const PolicyOptions& policy, int64_t vocabulary, double steps,
                      double source_words) {
  double network = policy.policy == PolicyKind::kTransformer
                       ? transformer_sentence(policy, steps, source_words)
                       : steps * lstm_step(policy);
  return steps * output_layer(policy, vocabulary) + network;
}

double step_weights(const PolicyOptions& policy, int64_t vocabulary) {
  double network = policy.policy == PolicyKind::kTransformer
                       ? transformer_position(policy, 0.0) +
                             static_cast<double>(policy.layers) * maps_to_source(policy)
                       : lstm_step(policy);
  return 0.5 * (network + output_layer(policy, vocabulary));  // two operations for each
}

}  // namespace bough
