#include "bough/model/lstm_policy.h"

#include <cmath>

#include "bough/base/error.h"
#include "bough/model/functions.h"
#include "bough/model/initialiser.h"
#include "bough/model/lstm_stepper.h"
#include "bough/model/plain_stepper.h"

namespace bough {

using torch::Tensor;

LstmPolicy::LstmPolicy(const PolicyOptions& options, int64_t vocabulary_size, uint64_t seed,
                       double embedding_scale, WordId start, torch::Device device)
    : options_(options), start_(start), slot_reader_(options.slot_context, options.embedding_size) {
  Initialiser initialise(seed, device);
  int64_t hidden = options.hidden_size;
  int64_t width = options.embedding_size;
  embedding_ = initialise.normal({vocabulary_size, width}, embedding_scale);
  double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  for (int64_t i = 0; i < options.layers; ++i) {
    // Braces: the draws are made in this order.
    layers_.push_back(LstmLayer{
        initialise.uniform({4 * hidden, i == 0 ? slot_reader_.width() : hidden}, -bound, bound),
        initialise.uniform({4 * hidden, hidden}, -bound, bound),
        initialise.uniform({4 * hidden}, -bound, bound)});
  }
  projection_ = initialise.linear(hidden, width);
  output_weight_ = options.output == OutputKind::kTied
                       ? embedding_
                       : initialise.linear(width, vocabulary_size).weight;
  packed_output_.emplace(output_weight_);
  output_bias_ = initialise.zeros({vocabulary_size});
  if (options.end_head) {
    end_inner_ = initialise.linear(hidden, width);
    end_outer_ = initialise.linear(width, 1);
  }
  if (options.encoder == EncoderKind::kBag) {
    Tensor vectors = initialise.normal({vocabulary_size, width}, embedding_scale);
    encoder_.emplace(vectors, initialise.linear(width, hidden));
  }
}

PolicyOutput LstmPolicy::forward(const Trajectory& trajectory, const DropoutMasks& masks,
                                 std::vector<LstmMemory>* recorded) const {
  Tensor state = slot_reader_.read_all(trajectory.input, embedding_);  // [rows, input]
  std::vector<GateOffsets> added = gate_offsets(trajectory);
  uint64_t mask = 0;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) state = apply_dropout(state, masks, mask++);
    state = recorded == nullptr
                ? packed_lstm(state, layers_[i], trajectory, added[i])
                : packed_lstm(state, layers_[i], trajectory, added[i], std::move((*recorded)[i]));
  }
  PolicyOutput result;  // state is [rows, hidden]
  result.features = apply_dropout(torch::relu((*projection_)(state)), masks, mask++);
  if (options_.end_head) {
    Tensor inner = apply_dropout(torch::relu((*end_inner_)(state)), masks, mask++);
    result.end_logits = (*end_outer_)(inner).squeeze(1);
  }
  return result;
}

std::vector<GateOffsets> LstmPolicy::gate_offsets(const Trajectory& trajectory) const {
  std::vector<GateOffsets> added(layers_.size());
  if (!encoder_) return added;
  Tensor encoded = encoder_->encode(trajectory.given);  // [sentences, hidden]
  for (size_t i = 0; i < layers_.size(); ++i) {
    added[i] = {.offsets = torch::matmul(encoded, layers_[i].recurrent_weight.t()),
                .every_step = options_.bag_state == BagState::kEveryStep};
  }
  return added;
}

std::unique_ptr<Stepper> LstmPolicy::stepper() const {
  if (!uses_kernels(embedding_)) return std::make_unique<PlainStepper>(*this);
  return std::make_unique<LstmStepper>(*this);
}

std::unique_ptr<Recorder> LstmPolicy::recorder(const Recording& recording) const {
  if (!uses_kernels(embedding_)) return nullptr;
  return std::make_unique<LstmStepper>(*this, recording);
}

void LstmPolicy::set_precision(Precision precision) {
  if (precision == Precision::kInt8 && !uses_kernels(embedding_)) {
    throw UsageError("--precision int8 needs bough's own kernels, which run on the CPU only");
  }
  for (LstmLayer& layer : layers_) {
    layer.packed_input.set_precision(precision);
    layer.packed_recurrent.set_precision(precision);
  }
  projection_->packed.set_precision(precision);
  packed_output_->set_precision(precision);
  if (encoder_) encoder_->linear.packed.set_precision(precision);
  // The <end> head is small, and what it decides weighs most: it stays as it is.
}

NamedTensors LstmPolicy::parameters() const {
  NamedTensors all = {{"embedding", embedding_}};
  for (size_t i = 0; i < layers_.size(); ++i) {
    std::string prefix = "lstm." + std::to_string(i) + ".";
    all.emplace_back(prefix + "input_weight", layers_[i].input_weight);
    all.emplace_back(prefix + "recurrent_weight", layers_[i].recurrent_weight);
    all.emplace_back(prefix + "bias", layers_[i].bias);
  }
  auto add_linear = [&all](const std::string& name, const LinearLayer& layer) {
    all.emplace_back(name + ".weight", layer.weight);
    all.emplace_back(name + ".bias", layer.bias);
  };
  add_linear("projection", *projection_);
  if (options_.output == OutputKind::kUntied) all.emplace_back("output.weight", output_weight_);
  all.emplace_back("output.bias", output_bias_);
  if (options_.end_head) {
    add_linear("end_head.inner", *end_inner_);
    add_linear("end_head.outer", *end_outer_);
  }
  if (encoder_) {
    all.emplace_back("encoder.embedding", encoder_->embedding);
    add_linear("encoder.linear", encoder_->linear);
  }
  return all;
}

std::vector<Tensor> LstmPolicy::word_vectors() const {
  std::vector<Tensor> all = {embedding_};
  if (encoder_) all.push_back(encoder_->embedding);
  return all;
}

}  // namespace bough
