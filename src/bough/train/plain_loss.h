// The loss of loss.h by LibTorch's operators and autograd alone: for devices that our kernels can't
// reach, and the twin of the fused one. It goes in blocks of rows too, and the targets stay as
// short as the lists of right answers.
#pragma once

#include "bough/train/loss.h"

namespace bough {

/// The KL part: word_loss, nats and, where asked for, d_features, d_side_logprobs and the output
/// layer's .grad. `weights` say what each row counts for; what was `said` has no graph behind it.
LossResult plain_word_loss(const Trajectory& trajectory, const PolicyOutput& said,
                           const OutputLayer& layer, const LossRequest& request,
                           std::span<const double> weights);

/// Adds the <end> head's binary cross-entropy to the result; fills its gradient where that isn't
/// null.
void add_plain_end_loss(const Trajectory& trajectory, const torch::Tensor& end_logits,
                        std::span<const double> weights, LossResult& result,
                        torch::Tensor* gradient);

}  // namespace bough
