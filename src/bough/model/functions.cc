#include "bough/model/functions.h"

#include "bough/base/random.h"
#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class GatherRows : public torch::autograd::Function<GatherRows> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& indices) {
    context->save_for_backward({weight, indices});
    return weight.index_select(0, indices);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    tensor_list saved = context->get_saved_variables();
    Tensor gradient = saved[0].grad();
    if (gradient.defined()) {
      gradient.index_add_(0, saved[1], gradients[0]);
      return {Tensor(), Tensor()};
    }
    Tensor fresh = torch::zeros_like(saved[0]);
    return {fresh.index_add_(0, saved[1], gradients[0]), Tensor()};
  }
};

class HashedDropout : public torch::autograd::Function<HashedDropout> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, double keep, int64_t key) {
    context->saved_data["keep"] = keep;
    context->saved_data["key"] = key;
    Tensor contiguous = input.contiguous();
    Tensor result = torch::empty_like(contiguous);
    dropout(numbers_of(contiguous), numbers_of(result), keep, static_cast<uint64_t>(key));
    return result;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    Tensor gradient = gradients[0].contiguous();
    Tensor result = torch::empty_like(gradient);
    dropout(numbers_of(gradient), numbers_of(result), context->saved_data["keep"].toDouble(),
            static_cast<uint64_t>(context->saved_data["key"].toInt()));
    return {result, Tensor(), Tensor()};
  }
};

}  // namespace

torch::Tensor gather_rows(const torch::Tensor& weight, std::span<const int64_t> indices) {
  Tensor index = torch::empty({static_cast<int64_t>(indices.size())}, torch::kInt64);
  std::copy(indices.begin(), indices.end(), index.data_ptr<int64_t>());
  return GatherRows::apply(weight, index);
}

torch::Tensor apply_dropout(const torch::Tensor& input, const DropoutMasks& masks, uint64_t layer) {
  if (masks.keep >= 1.0) return input;
  auto key = static_cast<int64_t>(RandomStream(masks.key, Purpose::kDropout, layer).next());
  return HashedDropout::apply(input, masks.keep, key);
}

std::span<float> numbers_of(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.is_contiguous(), "expected a contiguous tensor");
  return {tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

}  // namespace bough
