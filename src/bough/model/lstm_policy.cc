#include "bough/model/lstm_policy.h"

#include <fmt/format.h>

#include <cmath>

#include "bough/base/error.h"
#include "bough/model/functions.h"
#include "bough/model/initialiser.h"
#include "bough/model/lstm_stepper.h"
#include "bough/model/packed_linear.h"
#include "bough/model/plain_stepper.h"

namespace bough {

using torch::Tensor;

LstmPolicy::LstmPolicy(const PolicyRequest& request)
    : options_(request.options),
      start_(request.start),
      slot_reader_(options_.slot_context, options_.embedding_size) {
  Initialiser initialise(request.seed, request.device);
  int64_t hidden = options_.hidden_size;
  int64_t width = options_.embedding_size;
  embedding_ = initialise.normal({request.vocabulary, width}, request.embedding_scale);
  for (int64_t i = 0; i < options_.layers; ++i) {
    layers_.push_back(initialise.lstm(i == 0 ? slot_reader_.width() : hidden, hidden));
  }
  projection_ = initialise.linear(hidden, width);
  output_weight_ = options_.output == OutputKind::kTied
                       ? embedding_
                       : initialise.linear(width, request.vocabulary).weight;
  packed_output_.emplace(output_weight_);
  output_bias_ = initialise.zeros({request.vocabulary});
  if (options_.end_head) {
    end_inner_ = initialise.linear(hidden, width);
    end_outer_ = initialise.linear(width, 1);
  }
  if (options_.encoder == EncoderKind::kBag) {
    Tensor vectors = initialise.normal({request.vocabulary, width}, request.embedding_scale);
    bag_encoder_.emplace(vectors, initialise.linear(width, hidden));
  }
  if (request.source) {
    BilstmEncoder encoder;
    encoder.embedding = request.source->shared ? embedding_
                                               : initialise.normal({request.source->size, width},
                                                                   request.embedding_scale);
    for (int64_t i = 0; i < options_.layers; ++i) {
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

PolicyOutput LstmPolicy::forward(const Trajectory& trajectory, const DropoutMasks& masks,
                                 std::vector<LstmMemory>* recorded) const {
  std::optional<SourceWords> words;
  BilstmEncoder::Encoded source;
  Tensor added;  // [sentences, hidden]
  if (bag_encoder_) added = bag_encoder_->encode(trajectory.given);
  if (source_) {
    words.emplace(trajectory.given);
    source = source_->encoder.encode(*words, masks, AttendedSource::kFirstMask);
    added = packed_linear(source_->start, source.whole);
  }
  std::vector<GateOffsets> offsets = gate_offsets(added);
  Tensor state = slot_reader_.read_all(trajectory.input, embedding_);  // [rows, input]
  uint64_t mask = 0;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) state = apply_dropout(state, masks, mask++);
    state = recorded == nullptr
                ? packed_lstm(state, layers_[i], trajectory, offsets[i])
                : packed_lstm(state, layers_[i], trajectory, offsets[i], std::move((*recorded)[i]));
  }
  if (source_) {
    state = source_->attention.attend(state, RowLayout(trajectory), source.words, words->layout);
  }
  PolicyOutput result;  // state is [rows, hidden]
  result.features = apply_dropout(torch::relu((*projection_)(state)), masks, mask++);
  if (options_.end_head) {
    Tensor inner = apply_dropout(torch::relu((*end_inner_)(state)), masks, mask++);
    result.end_logits = (*end_outer_)(inner).squeeze(1);
  }
  return result;
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
  for (LstmLayer& layer : layers_) layer.set_precision(precision);
  projection_->packed.set_precision(precision);
  packed_output_->set_precision(precision);
  if (bag_encoder_) bag_encoder_->linear.packed.set_precision(precision);
  if (source_) {
    for (BilstmLayer& layer : source_->encoder.layers) {
      layer.forwards.set_precision(precision);
      layer.backwards.set_precision(precision);
    }
    source_->start.packed.set_precision(precision);
    source_->attention.source.packed.set_precision(precision);
    source_->attention.state.packed.set_precision(precision);
  }
  // The <end> head is small, and what it decides weighs most: it stays as it is.
}

NamedTensors LstmPolicy::parameters() const {
  NamedTensors all = {{"embedding", embedding_}};
  for (size_t i = 0; i < layers_.size(); ++i) add_lstm(fmt::format("lstm.{}", i), layers_[i], all);
  add_linear("projection", *projection_, all);
  if (options_.output == OutputKind::kUntied) all.emplace_back("output.weight", output_weight_);
  all.emplace_back("output.bias", output_bias_);
  if (options_.end_head) {
    add_linear("end_head.inner", *end_inner_, all);
    add_linear("end_head.outer", *end_outer_, all);
  }
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
