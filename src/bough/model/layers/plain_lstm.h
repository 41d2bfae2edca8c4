// An LSTM layer over packed sentences by LibTorch's operators and autograd alone: for devices
// that our kernels can't reach, and the twin of packed_lstm.h.
#pragma once

#include "bough/model/layers/packed_lstm.h"

namespace bough {

/// Where the rows of a layer are.
struct LstmState {
  /// The first state: zeros, where the layer's weights are.
  static LstmState zero(const LstmLayer& layer, int64_t rows);

  torch::Tensor output;  // [rows, hidden]
  torch::Tensor cell;    // [rows, hidden]
};

/// One step on from `before`; `from_input` [rows, 4·hidden] is the inputs' product with the bias.
LstmState step_plain_lstm(const LstmLayer& layer, const torch::Tensor& from_input,
                          const LstmState& before);

/// As packed_lstm.
torch::Tensor plain_lstm(const torch::Tensor& input, const LstmLayer& layer,
                         const PackedSteps& steps, const GateOffsets& added);

}  // namespace bough
