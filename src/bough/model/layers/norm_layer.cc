#include "bough/model/layers/norm_layer.h"

#include <cmath>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/layers/functions.h"
#include "bough/model/team.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::variable_list;

/// normalised = (x − mean) · factor
struct RowMoments {
  float mean = 0.0F;
  float factor = 0.0F;
};

RowMoments moments_of(const float* row, int64_t width) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < width; ++j) sum += row[j];
  float mean = sum / static_cast<float>(width);
  float squares = 0.0F;
#pragma omp simd reduction(+ : squares)
  for (int64_t j = 0; j < width; ++j) squares += (row[j] - mean) * (row[j] - mean);
  float variance = squares / static_cast<float>(width);
  return {mean, 1.0F / std::sqrt(variance + static_cast<float>(NormLayer::kEpsilon))};
}

/// With n the normalised row and g = d · scale: dx = factor · (g − mean(g) − n · mean(g ∘ n)).
void row_back(const float* row, const float* d, const float* scale, int64_t width, float* result) {
  RowMoments moments = moments_of(row, width);
  float sum = 0.0F;
  float product = 0.0F;
#pragma omp simd reduction(+ : sum, product)
  for (int64_t j = 0; j < width; ++j) {
    sum += d[j] * scale[j];
    product += d[j] * scale[j] * (row[j] - moments.mean);
  }
  float mean = sum / static_cast<float>(width);
  float slope = product * moments.factor * moments.factor / static_cast<float>(width);
#pragma omp simd
  for (int64_t j = 0; j < width; ++j) {
    result[j] = moments.factor * (d[j] * scale[j] - mean - (row[j] - moments.mean) * slope);
  }
}

class NormBackward : public torch::autograd::Node {
 public:
  NormBackward(const NormLayer& layer, const Tensor& input)
      : Node(torch::autograd::collect_next_edges(input)), layer_(layer), input_(input.detach()) {}

  variable_list apply(variable_list&& gradients) override {
    torch::NoGradGuard no_gradients;
    Tensor d_output = gradients[0].contiguous();
    Tensor d_input = torch::empty_like(input_);
    int64_t width = input_.size(1);
    const float* x = input_.data_ptr<float>();
    const float* d = d_output.data_ptr<float>();
    float* result = change_numbers(d_input).data();
    const float* scale = layer_.scale.data_ptr<float>();
    team_for(input_.size(0), input_.numel() > kWorthAThread, Share::kEven, [=](int64_t row) {
      row_back(x + row * width, d + row * width, scale, width, result + row * width);
    });
    add_weight_gradients(x, d);
    release_variables();
    return {d_input};
  }

  void release_variables() override { input_ = Tensor(); }

 private:
  /// Row after row, whatever the number of threads.
  void add_weight_gradients(const float* x, const float* d) const {
    int64_t width = input_.size(1);
    float* d_scale = change_numbers(gradient_of(layer_.scale)).data();
    float* d_shift = change_numbers(gradient_of(layer_.shift)).data();
    for (int64_t row = 0; row < input_.size(0); ++row, x += width, d += width) {
      RowMoments moments = moments_of(x, width);
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) {
        d_scale[j] += d[j] * (x[j] - moments.mean) * moments.factor;
        d_shift[j] += d[j];
      }
    }
  }

  NormLayer layer_;
  Tensor input_;
};

}  // namespace

void NormLayer::run(const float* from, int64_t rows, float* to) const {
  int64_t width = scale.size(0);
  const float* factors = scale.data_ptr<float>();
  const float* shifts = shift.data_ptr<float>();
  team_for(rows, rows * width > kWorthAThread, Share::kEven, [=](int64_t row) {
    const float* x = from + row * width;
    float* y = to + row * width;
    RowMoments moments = moments_of(x, width);
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      y[j] = (x[j] - moments.mean) * moments.factor * factors[j] + shifts[j];
    }
  });
}

Tensor NormLayer::operator()(const Tensor& rows) const {
  if (!uses_kernels(rows)) return torch::layer_norm(rows, {rows.size(1)}, scale, shift, kEpsilon);
  Tensor input = rows.contiguous();
  Tensor output = torch::empty_like(input);
  run(input.data_ptr<float>(), input.size(0), change_numbers(output).data());
  if (torch::GradMode::is_enabled() && input.requires_grad()) {
    auto node = std::make_shared<NormBackward>(*this, input);
    torch::autograd::create_gradient_edge(output, node);
  }
  return output;
}

}  // namespace bough
