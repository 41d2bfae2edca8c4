#include "bough/model/packed_lstm.h"

#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

using torch::Tensor;

class PackedLstm : public torch::autograd::Function<PackedLstm> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& input,
                        const Tensor& input_weight, const Tensor& recurrent_weight,
                        const Tensor& bias, const std::vector<int64_t>& rows_at,
                        const std::vector<int64_t>& offset_at) {
    int64_t rows = input.size(0);
    int64_t hidden = recurrent_weight.size(1);
    Tensor gates = torch::addmm(bias, input, input_weight.t());  // [rows, 4·hidden]
    Tensor cell = torch::empty({rows, hidden});
    Tensor output = torch::empty({rows, hidden});
    Tensor output_before = torch::empty({rows, hidden});  // what each row's step starts from
    for (size_t step = 0; step < rows_at.size(); ++step) {
      int64_t count = rows_at[step];
      Tensor own_gates = gates.narrow(0, offset_at[step], count);
      const float* cell_before = nullptr;
      if (step == 0) {
        output_before.narrow(0, 0, count).zero_();
      } else {
        Tensor before = output.narrow(0, offset_at[step - 1], count);
        output_before.narrow(0, offset_at[step], count).copy_(before);
        own_gates.addmm_(before, recurrent_weight.t());
        cell_before = cell.data_ptr<float>() + offset_at[step - 1] * hidden;
      }
      lstm_forward({.rows = count,
                    .hidden = hidden,
                    .gates = own_gates.data_ptr<float>(),
                    .cell_before = cell_before,
                    .cell = cell.data_ptr<float>() + offset_at[step] * hidden,
                    .output = output.data_ptr<float>() + offset_at[step] * hidden});
    }
    context->save_for_backward({input, input_weight, recurrent_weight, gates, cell, output_before});
    context->saved_data["rows_at"] = rows_at;
    context->saved_data["offset_at"] = offset_at;
    return output;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    torch::autograd::tensor_list saved = context->get_saved_variables();
    const Tensor& input = saved[0];
    const Tensor& input_weight = saved[1];
    const Tensor& recurrent_weight = saved[2];
    Tensor gates = saved[3];  // becomes their gradient, step by step
    const Tensor& cell = saved[4];
    const Tensor& output_before = saved[5];
    std::vector<int64_t> rows_at = context->saved_data["rows_at"].toIntVector();
    std::vector<int64_t> offset_at = context->saved_data["offset_at"].toIntVector();
    int64_t hidden = recurrent_weight.size(1);

    Tensor d_output = gradients[0].clone(torch::MemoryFormat::Contiguous);  // [rows, hidden]
    Tensor d_cell = torch::zeros({rows_at[0], hidden});  // rows that have left are still zero
    for (size_t step = rows_at.size(); step-- > 0;) {
      int64_t count = rows_at[step];
      const float* cell_before =
          step == 0 ? nullptr : cell.data_ptr<float>() + offset_at[step - 1] * hidden;
      Tensor own_gates = gates.narrow(0, offset_at[step], count);
      lstm_backward({.rows = count,
                     .hidden = hidden,
                     .gates = own_gates.data_ptr<float>(),
                     .cell_before = cell_before,
                     .cell = cell.data_ptr<float>() + offset_at[step] * hidden,
                     .d_output = d_output.data_ptr<float>() + offset_at[step] * hidden,
                     .d_cell = d_cell.data_ptr<float>()});
      if (step > 0) {
        d_output.narrow(0, offset_at[step - 1], count).addmm_(own_gates, recurrent_weight);
      }
    }
    Tensor d_input = context->needs_input_grad(0) ? gates.mm(input_weight) : Tensor();
    return {d_input, gates.t().mm(input), gates.t().mm(output_before), gates.sum(0), Tensor(),
            Tensor()};
  }
};

}  // namespace

torch::Tensor packed_lstm(const torch::Tensor& input, const LstmLayer& layer,
                          const Trajectory& trajectory) {
  return PackedLstm::apply(input, layer.input_weight, layer.recurrent_weight, layer.bias,
                           trajectory.rows_at, trajectory.offset_at);
}

}  // namespace bough
