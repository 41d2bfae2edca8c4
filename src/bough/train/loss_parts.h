// What sentences cost a policy, in parts.
//
// What is learned from is a mean over steps, so that long sentences count no more than short ones.
// Heads for the tree's shape (<end>, or the words' sides) are told apart from the words.
// With an <end> head it is the sum of two means over different numbers of steps: of N words, the
// word loss has N steps and the end loss 2N + 1. What a sentence costs in all can't be worked out
// from their sum; it is added up step by step.
#pragma once

#include <cstdint>

namespace bough {

/// Means over sentences.
struct LossParts {
  double loss = 0.0;       // what is learned from: word_loss + end_loss
  double word_loss = 0.0;  // KL a step: of words, or without a head for the shape of all actions
  double end_loss = 0.0;   // cross-entropy a step of the head for the shape; 0 without
  /// KL and the head's cross-entropy, summed over a sentence's steps: without label smoothing, each
  /// step once.
  double nats = 0.0;
};

/// The mean over the sentences of several batches.
struct LossSum {
  LossParts total;
  int64_t sentences = 0;

  void add(const LossParts& mean, int64_t count) {
    auto weight = static_cast<double>(count);
    total.loss += mean.loss * weight;
    total.word_loss += mean.word_loss * weight;
    total.end_loss += mean.end_loss * weight;
    total.nats += mean.nats * weight;
    sentences += count;
  }

  LossParts mean() const {
    auto count = static_cast<double>(sentences);
    return {.loss = total.loss / count,
            .word_loss = total.word_loss / count,
            .end_loss = total.end_loss / count,
            .nats = total.nats / count};
  }
};

}  // namespace bough
