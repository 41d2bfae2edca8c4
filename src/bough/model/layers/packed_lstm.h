// An LSTM layer over packed sentences, with gradients.
//
// Forward: one product for the inputs of all steps, then step by step the recurrent product of the
// rows that are still there. Backward: the recurrent product again step by step; the gradients of
// both weight matrices and of the inputs are one product each over all steps, and those of the
// weights are added to their .grad in place.
#pragma once

#include "bough/model/layers/packed_weight.h"
#include "bough/model/named_tensors.h"
#include "bough/model/torch.h"
#include "bough/oracle/trajectory.h"

namespace bough {

/// Weights of a layer, gates in the order input, forget, cell, output (PyTorch's).
struct LstmLayer {
  LstmLayer(torch::Tensor input, torch::Tensor recurrent, torch::Tensor bias_)
      : input_weight(input),
        recurrent_weight(recurrent),
        bias(bias_),
        packed_input(input),
        packed_recurrent(recurrent),
        packed_recurrent_back(recurrent, true) {}

  int64_t hidden() const { return recurrent_weight.size(1); }

  torch::Tensor input_weight;      // [4·hidden, input]
  torch::Tensor recurrent_weight;  // [4·hidden, hidden]
  torch::Tensor bias;              // [4·hidden]
  PackedWeight packed_input;
  PackedWeight packed_recurrent;
  PackedWeight packed_recurrent_back;  // for gradients
};

inline void add_lstm(const std::string& name, const LstmLayer& layer, NamedTensors& all) {
  all.emplace_back(name + ".input_weight", layer.input_weight);
  all.emplace_back(name + ".recurrent_weight", layer.recurrent_weight);
  all.emplace_back(name + ".bias", layer.bias);
}

/// What a layer computes, row by row; on the CPU.
struct LstmMemory {
  LstmMemory(int64_t rows, int64_t hidden)
      : gates(torch::empty({rows, 4 * hidden})),
        cell(torch::empty({rows, hidden})),
        output(torch::empty({rows, hidden})) {}

  torch::Tensor gates;   // [rows, 4·hidden] activated
  torch::Tensor cell;    // [rows, hidden]
  torch::Tensor output;  // [rows, hidden]
};

/// What is added to a layer's gates beside its input, sentence by sentence.
struct GateOffsets {
  torch::Tensor offsets;   // [sentences, 4·hidden], or undefined: nothing
  bool every_step = true;  // or at the first only
  bool at(size_t step) const { return offsets.defined() && (every_step || step == 0); }
};

/// Takes the rows [to, to + count) one step on from [from, from + count), or from zero where `from`
/// is negative. Their gates already hold the bias and the inputs' product; to = from is allowed.
void step_lstm(const LstmLayer& layer, LstmMemory& memory, int64_t from, int64_t to, int64_t count,
               Precision precision = Precision::kFloat);

/// `input` is [rows, input], the result [rows, hidden], rows as packed. The first state is zero.
torch::Tensor packed_lstm(const torch::Tensor& input, const LstmLayer& layer,
                          const PackedSteps& steps, const GateOffsets& added);

/// The same where all steps have been taken already.
torch::Tensor packed_lstm(const torch::Tensor& input, const LstmLayer& layer,
                          const PackedSteps& steps, const GateOffsets& added, LstmMemory memory);

/// The same without gradients, each sentence by itself, to the last bit; the rows' order is packed.
torch::Tensor run_lstm(const torch::Tensor& input, const LstmLayer& layer, const PackedSteps& steps,
                       Precision precision);

}  // namespace bough
