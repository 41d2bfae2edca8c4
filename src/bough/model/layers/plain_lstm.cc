#include "bough/model/layers/plain_lstm.h"

namespace bough {

using torch::Tensor;

LstmState LstmState::zero(const LstmLayer& layer, int64_t rows) {
  Tensor zeros = torch::zeros({rows, layer.hidden()}, layer.bias.options().requires_grad(false));
  return {zeros, zeros};
}

LstmState step_plain_lstm(const LstmLayer& layer, const torch::Tensor& from_input,
                          const LstmState& before) {
  std::vector<Tensor> gates =
      torch::addmm(from_input, before.output, layer.recurrent_weight.t()).chunk(4, 1);
  Tensor cell =
      torch::sigmoid(gates[1]) * before.cell + torch::sigmoid(gates[0]) * torch::tanh(gates[2]);
  return {torch::sigmoid(gates[3]) * torch::tanh(cell), cell};
}

torch::Tensor plain_lstm(const torch::Tensor& input, const LstmLayer& layer,
                         const PackedSteps& steps, const GateOffsets& added) {
  // Split, not sliced step by step: a slice's gradient is as large as what it was cut from.
  std::vector<Tensor> from_input =
      torch::addmm(layer.bias, input, layer.input_weight.t()).split_with_sizes(steps.rows_at);
  LstmState state = LstmState::zero(layer, steps.rows_at[0]);
  std::vector<Tensor> outputs;
  for (size_t step = 0; step < from_input.size(); ++step) {
    int64_t rows = steps.rows_at[step];  // the first ones of the step before
    Tensor gates = from_input[step];
    if (added.at(step)) gates = gates + added.offsets.narrow(0, 0, rows);
    state = step_plain_lstm(layer, gates,
                            {state.output.narrow(0, 0, rows), state.cell.narrow(0, 0, rows)});
    outputs.push_back(state.output);
  }
  return torch::cat(outputs);
}

}  // namespace bough
