#include "bough/model/layers/functions.h"

#include <string_view>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/gemm.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

MatrixView view_of(const Tensor& matrix) {
  TORCH_CHECK(matrix.stride(1) == 1 || matrix.stride(0) == 1, "expected rows or columns in a row");
  bool transposed = matrix.stride(1) != 1;
  return {matrix.data_ptr<float>(), matrix.stride(transposed ? 1 : 0), transposed};
}

thread_local GradientWatch* watch = nullptr;

class GatherRows : public torch::autograd::Function<GatherRows> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& indices) {
    context->save_for_backward({weight, indices});
    return weight.index_select(0, indices);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    tensor_list saved = context->get_saved_variables();
    gradient_of(saved[0]).index_add_(0, saved[1], gradients[0]);
    return {Tensor(), Tensor()};
  }
};

}  // namespace

bool uses_kernels(const torch::Tensor& tensor) {
  static const bool plain = std::string_view(kernel_name()) == "plain";
  return tensor.is_cpu() && !plain;
}

torch::Tensor gather_rows(const torch::Tensor& weight, std::span<const int64_t> indices) {
  Tensor index = torch::empty({static_cast<int64_t>(indices.size())}, torch::kInt64);
  std::copy(indices.begin(), indices.end(), index.data_ptr<int64_t>());
  if (!uses_kernels(weight)) return weight.index_select(0, index.to(weight.device()));
  return GatherRows::apply(weight, index);
}

void multiply_into(const torch::Tensor& result, const torch::Tensor& a, const torch::Tensor& b,
                   float keep) {
  multiply_large(view_of(a), view_of(b), a.size(0), a.size(1), b.size(1), keep,
                 change_numbers(result).data());
}

std::span<const float> numbers_of(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.is_cpu() && tensor.is_contiguous(), "expected a contiguous CPU tensor");
  return {tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

std::span<float> change_numbers(const torch::Tensor& tensor) {
  std::span<const float> numbers = numbers_of(tensor);
  tensor.unsafeGetTensorImpl()->bump_version();
  return {tensor.data_ptr<float>(), numbers.size()};
}

torch::Tensor gradient_of(const torch::Tensor& parameter) {
  if (watch != nullptr) watch->on_gradient(parameter);
  if (!parameter.grad().defined()) parameter.mutable_grad() = torch::zeros_like(parameter);
  return parameter.mutable_grad();
}

GradientWatch::Scope::Scope(GradientWatch* watch_) {
  watch = watch_;
}

GradientWatch::Scope::~Scope() {
  watch = nullptr;
}

}  // namespace bough
