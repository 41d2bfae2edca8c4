// An LSTM layer over a packed trajectory, with gradients.
//
// Forward: one product for the inputs of all steps, then step by step the recurrent product of the
// rows that are still there. Backward: the recurrent product again step by step; the gradients of
// both weight matrices and of the inputs are one product each over all steps.
#pragma once

#include <span>

#include "bough/model/torch.h"
#include "bough/oracle/trajectory.h"

namespace bough {

/// Weights of a layer, gates in the order input, forget, cell, output (PyTorch's).
struct LstmLayer {
  torch::Tensor input_weight;      // [4·hidden, input]
  torch::Tensor recurrent_weight;  // [4·hidden, hidden]
  torch::Tensor bias;              // [4·hidden]
};

/// `input` is [rows, input], the result [rows, hidden], rows as in the trajectory. The first state
/// is zero.
torch::Tensor packed_lstm(const torch::Tensor& input, const LstmLayer& layer,
                          const Trajectory& trajectory);

}  // namespace bough
