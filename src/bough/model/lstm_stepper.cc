#include "bough/model/lstm_stepper.h"

#include <algorithm>

#include "bough/model/functions.h"

namespace bough {

namespace {

std::vector<float> copy_of(const torch::Tensor& tensor) {
  std::span<float> numbers = numbers_of(tensor);
  return {numbers.begin(), numbers.end()};
}

void rectify(std::span<float> values) {
  for (float& value : values) value = std::max(value, 0.0F);
}

/// Moves the kept rows of a [rows, width] matrix to its front.
void keep_rows(std::vector<float>& matrix, int64_t width, std::span<const int64_t> rows) {
  for (size_t to = 0; to < rows.size(); ++to) {
    if (rows[to] == static_cast<int64_t>(to)) continue;
    std::copy_n(matrix.begin() + rows[to] * width, width,
                matrix.begin() + static_cast<int64_t>(to) * width);
  }
  matrix.resize(rows.size() * static_cast<size_t>(width));
}

}  // namespace

LstmStepper::Linear LstmStepper::pack(const LinearLayer& layer) {
  Linear linear{PackedMatrix(layer.weight.size(0), layer.weight.size(1)), copy_of(layer.bias)};
  linear.weight.fill(layer.weight.data_ptr<float>(), 0, layer.weight.size(1));
  return linear;
}

LstmStepper::LstmStepper(const LstmPolicy& policy)
    : vocabulary_(policy.embedding().size(0)),
      hidden_(policy.options().hidden_size),
      width_(policy.options().embedding_size),
      start_(policy.start()),
      embedding_(policy.embedding()),
      output_layer_(policy.output()),
      projection_(pack(policy.projection())),
      end_head_(policy.options().end_head) {
  for (const LstmLayer& layer : policy.layers()) {
    Layer& own = layers_.emplace_back();
    own.input = layer.input_weight.size(1);
    own.bias = copy_of(layer.bias);
    own.weight = PackedMatrix(4 * hidden_, own.input + hidden_);
    own.weight.fill(layer.input_weight.data_ptr<float>(), 0, own.input);
    own.weight.fill(layer.recurrent_weight.data_ptr<float>(), own.input, hidden_);
  }
  if (end_head_) {
    end_inner_ = pack(policy.end_inner());
    end_outer_ = pack(policy.end_outer());
  }
}

void LstmStepper::start(int64_t rows) {
  rows_ = rows;
  for (Layer& layer : layers_) {
    layer.joined.assign(static_cast<size_t>(rows * (layer.input + hidden_)), 0.0F);
    layer.cell.assign(static_cast<size_t>(rows * hidden_), 0.0F);
  }
  std::vector<WordId> inputs(static_cast<size_t>(rows), start_);
  read(inputs);
}

void LstmStepper::advance(std::span<const WordId> actions) {
  read(actions);
}

void LstmStepper::read(std::span<const WordId> inputs) {
  auto rows = static_cast<size_t>(rows_);
  gates_.resize(rows * 4 * static_cast<size_t>(hidden_));
  output_.resize(rows * static_cast<size_t>(hidden_));
  features_.resize(rows * static_cast<size_t>(width_));
  const float* embedding = embedding_.data_ptr<float>();
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    int64_t stride = layer.input + hidden_;
    for (int64_t row = 0; row < rows_; ++row) {
      const float* from = i == 0 ? embedding + inputs[static_cast<size_t>(row)] * width_
                                 : output_.data() + row * hidden_;
      std::copy_n(from, layer.input, layer.joined.data() + row * stride);
    }
    layer.weight.multiply(layer.joined.data(), rows_, layer.bias.data(), gates_.data());
    lstm_forward({.rows = rows_,
                  .hidden = hidden_,
                  .gates = gates_.data(),
                  .cell_before = layer.cell.data(),
                  .cell = layer.cell.data(),
                  .output = output_.data()});
    for (int64_t row = 0; row < rows_; ++row) {
      std::copy_n(output_.data() + row * hidden_, hidden_,
                  layer.joined.data() + row * stride + layer.input);
    }
  }
  projection_.weight.multiply(output_.data(), rows_, projection_.bias.data(), features_.data());
  rectify(features_);
  if (end_head_) {
    std::vector<float> inner(features_.size());
    end_inner_.weight.multiply(output_.data(), rows_, end_inner_.bias.data(), inner.data());
    rectify(inner);
    end_logits_.resize(rows);
    end_outer_.weight.multiply(inner.data(), rows_, end_outer_.bias.data(), end_logits_.data());
  }
}

void LstmStepper::keep(std::span<const int64_t> rows) {
  for (Layer& layer : layers_) {
    keep_rows(layer.joined, layer.input + hidden_, rows);
    keep_rows(layer.cell, hidden_, rows);
  }
  keep_rows(features_, width_, rows);
  if (end_head_) keep_rows(end_logits_, 1, rows);
  rows_ = static_cast<int64_t>(rows.size());
}

void LstmStepper::scores(int64_t row, std::span<const WordId> actions,
                         std::span<float> logits) const {
  const float* weight = output_layer_.weight.data_ptr<float>();
  const float* bias = output_layer_.bias.data_ptr<float>();
  auto width = static_cast<size_t>(width_);
  std::span<const float> features(features_.data() + row * width_, width);
  for (size_t i = 0; i < actions.size(); ++i) {
    logits[i] = bias[actions[i]] + dot(features, {weight + actions[i] * width_, width});
  }
}

void LstmStepper::all_scores(std::span<float> logits) const {
  if (packed_output_.columns() == 0) {
    packed_output_ = PackedMatrix(vocabulary_, width_);
    packed_output_.fill(output_layer_.weight.data_ptr<float>(), 0, width_);
  }
  packed_output_.multiply(features_.data(), rows_, output_layer_.bias.data_ptr<float>(),
                          logits.data());
}

}  // namespace bough
