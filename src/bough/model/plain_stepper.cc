#include "bough/model/plain_stepper.h"

#include "bough/model/plain_scores.h"

namespace bough {

namespace {

using torch::Tensor;

Tensor apply_rectified(const LinearLayer& layer, const Tensor& input) {
  return torch::relu(torch::addmm(layer.bias, input, layer.weight.t()));
}

}  // namespace

void PlainStepper::start(std::span<const Source> sources) {
  states_.clear();
  sources_ = Tensor();
  words_.clear();
  for (const LstmLayer& layer : policy_.layers()) states_.push_back(LstmState::zero(layer, 0));
  advance({}, sources);
}

void PlainStepper::advance(std::span<const StepInput> old_inputs, std::span<const Source> sources) {
  torch::NoGradGuard no_gradients;
  auto fresh = static_cast<int64_t>(sources.size());
  std::vector<StepInput> inputs(old_inputs.begin(), old_inputs.end());
  inputs.resize(inputs.size() + sources.size(), StepInput{.action = policy_.start()});
  rows_ = static_cast<int64_t>(inputs.size());
  Tensor added;  // [rows, hidden] to what every layer remembers
  if (policy_.bag_encoder() != nullptr || policy_.source() != nullptr) {
    Tensor old = sources_;
    if (fresh > 0) sources_ = encode(sources);
    if (fresh > 0 && old.defined()) sources_ = torch::cat({old, sources_});
    added = sources_.clone();
    if (!policy_.adds_every_step()) added.narrow(0, 0, rows_ - fresh).zero_();
  }
  Tensor input = policy_.slot_reader().read_all(inputs, policy_.embedding());
  for (size_t i = 0; i < states_.size(); ++i) {
    const LstmLayer& layer = policy_.layers()[i];
    LstmState& state = states_[i];
    if (fresh > 0) {
      LstmState zero = LstmState::zero(layer, fresh);
      state = {torch::cat({state.output, zero.output}), torch::cat({state.cell, zero.cell})};
    }
    Tensor from_input = torch::addmm(layer.bias, input, layer.input_weight.t());
    if (added.defined()) state.output = state.output + added;
    state = step_plain_lstm(layer, from_input, state);
    input = state.output;
  }
  if (policy_.source() != nullptr) input = attend(input);
  features_ = apply_rectified(policy_.projection(), input);
  if (policy_.options().end_head) {
    const LinearLayer& outer = policy_.end_outer();
    end_logits_.resize(inputs.size());
    copy_out(
        torch::addmm(outer.bias, apply_rectified(policy_.end_inner(), input), outer.weight.t()),
        end_logits_);
  }
}

Tensor PlainStepper::encode(std::span<const Source> sources) {
  if (policy_.bag_encoder() != nullptr) return policy_.bag_encoder()->encode(sources);
  SourceWords words(sources);
  BilstmEncoder::Encoded encoded = policy_.source()->encoder.encode(words, {}, 0);
  for (int64_t s = 0; s < words.layout.sentences(); ++s) {
    words_.push_back(
        encoded.words.narrow(0, words.layout.rows_of(s).front(), words.layout.length(s)));
  }
  return policy_.source()->start(encoded.whole);
}

Tensor PlainStepper::attend(const Tensor& states) const {
  std::vector<int64_t> lengths;
  for (const Tensor& words : words_) lengths.push_back(words.size(0));
  std::vector<int64_t> one_each(words_.size(), 1);
  return policy_.source()->attention.attend(states, RowLayout(one_each), torch::cat(words_),
                                            RowLayout(lengths));
}

void PlainStepper::keep(std::span<const int64_t> rows) {
  torch::NoGradGuard no_gradients;
  Tensor kept = indices_on(features_.device(), rows);
  for (LstmState& state : states_) {
    state = {state.output.index_select(0, kept), state.cell.index_select(0, kept)};
  }
  features_ = features_.index_select(0, kept);
  if (sources_.defined()) sources_ = sources_.index_select(0, kept);
  std::vector<Tensor> words;
  for (size_t i = 0; i < rows.size() && !words_.empty(); ++i) {
    words.push_back(words_[static_cast<size_t>(rows[i])]);
  }
  words_ = std::move(words);
  rows_ = static_cast<int64_t>(rows.size());
  if (end_logits_.empty()) return;
  std::vector<float> logits;
  for (int64_t row : rows) logits.push_back(end_logits_[static_cast<size_t>(row)]);
  end_logits_ = std::move(logits);
}

void PlainStepper::scores(int64_t row, std::span<const WordId> actions,
                          std::span<float> logits) const {
  plain_scores(policy_.output(), features_.select(0, row), actions, logits);
}

void PlainStepper::all_scores(std::span<float> logits) const {
  plain_all_scores(policy_.output(), features_, logits);
}

}  // namespace bough
