#include "bough/model/lstm/lstm_policy.h"

#include <fmt/format.h>

#include <cmath>

#include "bough/model/layers/functions.h"
#include "bough/model/layers/initialiser.h"
#include "bough/model/layers/packed_linear.h"
#include "bough/model/lstm/lstm_stepper.h"

namespace bough {

using torch::Tensor;

LstmPolicy::LstmPolicy(const PolicyRequest& request)
    : Policy(request.options, request.start), slot_reader_(options()) {
  Initialiser initialise(request.seed, request.device, request.drawn);
  int64_t hidden = options().hidden_size;
  int64_t width = options().embedding_size;
  embedding_ = initialise.normal({request.vocabulary, width}, request.embedding_scale);
  for (int64_t i = 0; i < options().layers; ++i) {
    layers_.push_back(initialise.lstm(i == 0 ? slot_reader_.width() : hidden, hidden));
  }
  heads_.emplace(options(), hidden, Activation::kRelu, embedding_, initialise);
  if (options().encoder == EncoderKind::kBag) {
    Tensor vectors = initialise.normal({request.vocabulary, width}, request.embedding_scale);
    bag_encoder_.emplace(vectors, initialise.linear(width, hidden));
  }
  if (request.source) {
    BilstmEncoder encoder;
    encoder.embedding = request.source->shared ? embedding_
                                               : initialise.normal({request.source->size, width},
                                                                   request.embedding_scale);
    for (int64_t i = 0; i < options().layers; ++i) {
      int64_t input = i == 0 ? width : 2 * hidden;
      // Braces: the draws are made in this order.
      encoder.layers.push_back(
          BilstmLayer{initialise.lstm(input, hidden), initialise.lstm(input, hidden)});
    }
    double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
    source_ = AttendedSource{std::move(encoder), initialise.linear(2 * hidden, hidden),
                             ConcatAttention{initialise.linear_without_bias(2 * hidden, 2 * hidden),
                                             initialise.linear_without_bias(hidden, 2 * hidden),
                                             initialise.uniform({hidden}, -bound, bound)}};
  }
}

PolicyOutput LstmPolicy::forward(const PolicyInput& input,
                                 std::vector<LstmMemory>* recorded) const {
  std::optional<SourceWords> words;
  BilstmEncoder::Encoded source;
  Tensor added;  // [sentences, hidden]
  if (bag_encoder_) added = bag_encoder_->encode(input.sources);
  if (source_) {
    words.emplace(input.sources);
    source = source_->encoder.encode(*words, input.masks);
    added = packed_linear(source_->start, source.whole);
  }
  std::vector<GateOffsets> offsets = gate_offsets(added);
  Tensor state = slot_reader_.read_all(input.inputs, embedding_);  // [rows, input]
  Dropout dropout(input.masks, input.steps);
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) state = dropout(state);
    state = recorded == nullptr ? packed_lstm(state, layers_[i], input.steps, offsets[i])
                                : packed_lstm(state, layers_[i], input.steps, offsets[i],
                                              std::move((*recorded)[i]));
  }
  if (source_) {
    state = source_->attention.attend(state, RowLayout(input.steps), source.words, words->layout);
  }
  return heads_->forward(state, dropout, input.right);
}

std::vector<GateOffsets> LstmPolicy::gate_offsets(const Tensor& added) const {
  std::vector<GateOffsets> offsets(layers_.size());
  if (!added.defined()) return offsets;
  for (size_t i = 0; i < layers_.size(); ++i) {
    offsets[i] = {.offsets = torch::matmul(added, layers_[i].recurrent_weight.t()),
                  .every_step = adds_every_step()};
  }
  return offsets;
}

std::unique_ptr<Stepper> LstmPolicy::stepper(const StepperOptions& options) const {
  if (!uses_kernels(embedding_)) return Policy::stepper(options);
  return std::make_unique<LstmStepper>(*this, options);
}

std::unique_ptr<Recorder> LstmPolicy::recorder(const Recording& recording) const {
  if (!uses_kernels(embedding_)) return nullptr;
  return std::make_unique<LstmStepper>(*this, recording);
}

NamedTensors LstmPolicy::parameters() const {
  NamedTensors all = {{"embedding", embedding_}};
  for (size_t i = 0; i < layers_.size(); ++i) add_lstm(fmt::format("lstm.{}", i), layers_[i], all);
  heads_->add_parameters(all);
  if (bag_encoder_) {
    all.emplace_back("encoder.embedding", bag_encoder_->embedding);
    add_linear("encoder.linear", bag_encoder_->linear, all);
  }
  if (!source_) return all;
  const BilstmEncoder& encoder = source_->encoder;
  if (!encoder.embedding.is_same(embedding_)) {
    all.emplace_back("encoder.embedding", encoder.embedding);
  }
  for (size_t i = 0; i < encoder.layers.size(); ++i) {
    add_lstm(fmt::format("encoder.{}.forwards", i), encoder.layers[i].forwards, all);
    add_lstm(fmt::format("encoder.{}.backwards", i), encoder.layers[i].backwards, all);
  }
  add_linear("encoder.start", source_->start, all);
  add_linear("attention.source", source_->attention.source, all);
  add_linear("attention.state", source_->attention.state, all);
  all.emplace_back("attention.score", source_->attention.score);
  return all;
}

std::vector<Tensor> LstmPolicy::word_vectors() const {
  std::vector<Tensor> all = {embedding_};
  if (bag_encoder_) all.push_back(bag_encoder_->embedding);
  return all;
}

}  // namespace bough
