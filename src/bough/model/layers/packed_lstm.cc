#include "bough/model/layers/packed_lstm.h"

#include "bough/model/kernels/lstm_cell.h"
#include "bough/model/kernels/packed_matrix.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/plain_lstm.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::variable_list;

/// The layer backwards; its edges are the input's and, where there are any, the gate offsets'.
class PackedLstmBackward : public torch::autograd::Node {
 public:
  PackedLstmBackward(const Tensor& input, const LstmLayer& layer, const PackedSteps& steps,
                     const GateOffsets& added, LstmMemory memory)
      : Node(torch::autograd::collect_next_edges(input, added.offsets)),
        layer_(layer),
        added_every_step_(added.every_step),
        rows_at_(steps.rows_at),
        offset_at_(steps.offset_at),
        input_(input.detach()),
        memory_(std::move(memory)) {}

  variable_list apply(variable_list&& gradients) override {
    torch::NoGradGuard no_gradients;
    Tensor d_output = gradients[0].clone(torch::MemoryFormat::Contiguous);  // [rows, hidden]
    go_back(d_output);
    Tensor d_gates = memory_.gates;  // what they have become
    Tensor before = output_before(d_output);
    multiply_into(gradient_of(layer_.recurrent_weight), d_gates.t(), before, 1.0F);
    multiply_into(gradient_of(layer_.input_weight), d_gates.t(), input_, 1.0F);
    gradient_of(layer_.bias).add_(d_gates.sum(0));
    Tensor d_input;
    if (task_should_compute_output(0)) {
      d_input = torch::empty_like(input_);
      multiply_into(d_input, d_gates, layer_.input_weight);
    }
    Tensor d_added;
    if (task_should_compute_output(1)) d_added = offsets_gradient(d_gates);
    release_variables();
    return {d_input, d_added};
  }

  void release_variables() override {
    for (Tensor* tensor : {&input_, &memory_.gates, &memory_.cell, &memory_.output}) {
      *tensor = Tensor();
    }
  }

 private:
  /// Turns the gates of all steps into their gradients, the last step first.
  void go_back(const Tensor& d_output) {
    int64_t hidden = layer_.hidden();
    const RowProduct& recurrent = layer_.packed_recurrent_back.get();
    Tensor d_cell = torch::zeros({rows_at_[0], hidden});  // rows that have left are still zero
    auto at = [&](const Tensor& tensor, size_t step, int64_t width) {
      return tensor.data_ptr<float>() + offset_at_[step] * width;
    };
    for (size_t step = rows_at_.size(); step-- > 0;) {
      float* gates = at(memory_.gates, step, 4 * hidden);
      lstm_backward({.rows = rows_at_[step],
                     .hidden = hidden,
                     .gates = gates,
                     .cell_before = step == 0 ? nullptr : at(memory_.cell, step - 1, hidden),
                     .cell = at(memory_.cell, step, hidden),
                     .d_output = at(d_output, step, hidden),
                     .d_cell = d_cell.data_ptr<float>()});
      if (step > 0) {
        recurrent.add_product(gates, rows_at_[step], at(d_output, step - 1, hidden));
      }
    }
  }

  /// The gates' gradients, summed over the steps of each sentence.
  Tensor offsets_gradient(const Tensor& d_gates) const {
    Tensor sum = torch::zeros({rows_at_[0], d_gates.size(1)});
    for (size_t step = 0; step < (added_every_step_ ? rows_at_.size() : 1); ++step) {
      sum.narrow(0, 0, rows_at_[step]).add_(d_gates.narrow(0, offset_at_[step], rows_at_[step]));
    }
    return sum;
  }

  /// The output that each row's step began with, in `buffer`, whose contents are used up.
  Tensor output_before(Tensor buffer) const {
    buffer.narrow(0, 0, rows_at_[0]).zero_();
    for (size_t step = 1; step < rows_at_.size(); ++step) {
      buffer.narrow(0, offset_at_[step], rows_at_[step])
          .copy_(memory_.output.narrow(0, offset_at_[step - 1], rows_at_[step]));
    }
    return buffer;
  }

  const LstmLayer& layer_;
  bool added_every_step_;
  std::vector<int64_t> rows_at_;
  std::vector<int64_t> offset_at_;
  Tensor input_;
  LstmMemory memory_;
};

}  // namespace

void step_lstm(const LstmLayer& layer, LstmMemory& memory, int64_t from, int64_t to, int64_t count,
               Precision precision) {
  int64_t hidden = layer.hidden();
  float* gates = memory.gates.data_ptr<float>() + to * 4 * hidden;
  float* cell = memory.cell.data_ptr<float>();
  float* output = memory.output.data_ptr<float>();
  if (from >= 0) {
    layer.packed_recurrent.get(precision).add_product(output + from * hidden, count, gates);
  }
  lstm_forward({.rows = count,
                .hidden = hidden,
                .gates = gates,
                .cell_before = from >= 0 ? cell + from * hidden : nullptr,
                .cell = cell + to * hidden,
                .output = output + to * hidden});
}

namespace {

/// All steps; the gates already hold the bias and the inputs' product.
void take_steps(const LstmLayer& layer, const PackedSteps& steps, const GateOffsets& added,
                LstmMemory& memory, Precision precision = Precision::kFloat) {
  for (size_t step = 0; step < steps.rows_at.size(); ++step) {
    int64_t rows = steps.rows_at[step];
    int64_t offset = steps.offset_at[step];
    if (added.at(step)) {
      memory.gates.narrow(0, offset, rows).add_(added.offsets.narrow(0, 0, rows));
    }
    step_lstm(layer, memory, step == 0 ? -1 : steps.offset_at[step - 1], offset, rows, precision);
  }
}

}  // namespace

torch::Tensor packed_lstm(const torch::Tensor& input, const LstmLayer& layer,
                          const PackedSteps& steps, const GateOffsets& added) {
  if (!uses_kernels(input)) return plain_lstm(input, layer, steps, added);
  LstmMemory memory(input.size(0), layer.hidden());
  {
    torch::NoGradGuard no_gradients;
    memory.gates.copy_(layer.bias.expand_as(memory.gates));
    multiply_into(memory.gates, input, layer.input_weight.t(), 1.0F);
    take_steps(layer, steps, added, memory);
  }
  return packed_lstm(input, layer, steps, added, std::move(memory));
}

torch::Tensor packed_lstm(const torch::Tensor& input, const LstmLayer& layer,
                          const PackedSteps& steps, const GateOffsets& added, LstmMemory memory) {
  Tensor output = memory.output.detach();
  if (torch::GradMode::is_enabled() && input.requires_grad()) {
    auto node = std::make_shared<PackedLstmBackward>(input, layer, steps, added, std::move(memory));
    torch::autograd::create_gradient_edge(output, node);
  }
  return output;
}

torch::Tensor run_lstm(const torch::Tensor& input, const LstmLayer& layer, const PackedSteps& steps,
                       Precision precision) {
  LstmMemory memory(input.size(0), layer.hidden());
  layer.packed_input.get(precision).multiply(input.data_ptr<float>(), input.size(0),
                                             layer.bias.data_ptr<float>(),
                                             memory.gates.data_ptr<float>());
  take_steps(layer, steps, {}, memory, precision);
  return memory.output;
}

}  // namespace bough
