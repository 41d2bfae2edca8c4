#include "bough/model/plain_stepper.h"

#include <algorithm>

#include "bough/model/functions.h"

namespace bough {

namespace {

using torch::Tensor;

/// Numbers of words or rows, on the device that they are to index.
template <typename Number>
Tensor indices_on(torch::Device device, std::span<const Number> numbers) {
  std::vector<int64_t> wide(numbers.begin(), numbers.end());
  return torch::tensor(wide, torch::kInt64).to(device);
}

Tensor apply_rectified(const LinearLayer& layer, const Tensor& input) {
  return torch::relu(torch::addmm(layer.bias, input, layer.weight.t()));
}

void copy_out(const Tensor& from, std::span<float> to) {
  Tensor here = from.cpu().contiguous();
  std::ranges::copy(numbers_of(here), to.begin());
}

}  // namespace

void PlainStepper::start(int64_t rows) {
  states_.clear();
  for (const LstmLayer& layer : policy_.layers()) states_.push_back(LstmState::zero(layer, 0));
  advance({}, rows);
}

void PlainStepper::advance(std::span<const WordId> actions, int64_t fresh) {
  torch::NoGradGuard no_gradients;
  std::vector<WordId> inputs(actions.begin(), actions.end());
  inputs.resize(inputs.size() + static_cast<size_t>(fresh), policy_.start());
  rows_ = static_cast<int64_t>(inputs.size());
  Tensor input =
      policy_.embedding().index_select(0, indices_on<WordId>(policy_.embedding().device(), inputs));
  for (size_t i = 0; i < states_.size(); ++i) {
    const LstmLayer& layer = policy_.layers()[i];
    LstmState& state = states_[i];
    if (fresh > 0) {
      LstmState zero = LstmState::zero(layer, fresh);
      state = {torch::cat({state.output, zero.output}), torch::cat({state.cell, zero.cell})};
    }
    Tensor from_input = torch::addmm(layer.bias, input, layer.input_weight.t());
    state = step_plain_lstm(layer, from_input, state);
    input = state.output;
  }
  features_ = apply_rectified(policy_.projection(), input);
  if (policy_.options().end_head) {
    const LinearLayer& outer = policy_.end_outer();
    end_logits_.resize(inputs.size());
    copy_out(
        torch::addmm(outer.bias, apply_rectified(policy_.end_inner(), input), outer.weight.t()),
        end_logits_);
  }
}

void PlainStepper::keep(std::span<const int64_t> rows) {
  torch::NoGradGuard no_gradients;
  Tensor kept = indices_on(features_.device(), rows);
  for (LstmState& state : states_) {
    state = {state.output.index_select(0, kept), state.cell.index_select(0, kept)};
  }
  features_ = features_.index_select(0, kept);
  rows_ = static_cast<int64_t>(rows.size());
  if (end_logits_.empty()) return;
  for (size_t to = 0; to < rows.size(); ++to) {
    end_logits_[to] = end_logits_[static_cast<size_t>(rows[to])];
  }
  end_logits_.resize(rows.size());
}

void PlainStepper::scores(int64_t row, std::span<const WordId> actions,
                          std::span<float> logits) const {
  torch::NoGradGuard no_gradients;
  OutputLayer layer = policy_.output();
  Tensor index = indices_on(features_.device(), actions);
  copy_out(torch::addmv(layer.bias.index_select(0, index), layer.weight.index_select(0, index),
                        features_.select(0, row)),
           logits);
}

void PlainStepper::all_scores(std::span<float> logits) const {
  torch::NoGradGuard no_gradients;
  OutputLayer layer = policy_.output();
  copy_out(torch::addmm(layer.bias, features_, layer.weight.t()), logits);
}

}  // namespace bough
