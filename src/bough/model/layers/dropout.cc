#include "bough/model/layers/dropout.h"

#include "bough/base/random.h"
#include "bough/model/kernels/arrays.h"
#include "bough/model/layers/functions.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class HashedDropout : public torch::autograd::Function<HashedDropout> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, double keep, int64_t key) {
    context->saved_data["keep"] = keep;
    context->saved_data["key"] = key;
    Tensor contiguous = input.contiguous();
    Tensor result = torch::empty_like(contiguous);
    dropout(numbers_of(contiguous), change_numbers(result), keep, static_cast<uint64_t>(key));
    return result;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    Tensor gradient = gradients[0].contiguous();
    Tensor result = torch::empty_like(gradient);
    dropout(numbers_of(gradient), change_numbers(result), context->saved_data["keep"].toDouble(),
            static_cast<uint64_t>(context->saved_data["key"].toInt()));
    return {result, Tensor(), Tensor()};
  }
};

Tensor plain_dropout(const Tensor& input, double keep, uint64_t key) {
  Tensor mask = torch::ones(input.sizes());  // on the CPU: the hash is the kernel's
  dropout(numbers_of(mask), change_numbers(mask), keep, key);
  return input * mask.to(input.device());
}

}  // namespace

uint64_t Dropout::key_of(uint64_t place) const {
  return RandomStream(masks_.key, Purpose::kDropout, place).next();
}

Tensor Dropout::operator()(const Tensor& rows) {
  uint64_t place = next_++;
  if (!drops()) return rows;
  uint64_t key = key_of(place);
  if (!uses_kernels(rows)) return plain_dropout(rows, masks_.keep, key);
  return HashedDropout::apply(rows, masks_.keep, static_cast<int64_t>(key));
}

void Dropout::operator()(const Rows& rows) {
  uint64_t place = next_++;
  if (!drops()) return;
  auto size = static_cast<size_t>(rows.count * rows.width);
  dropout({rows.from, size}, {rows.to, size}, masks_.keep, key_of(place), rows.first * rows.width);
}

}  // namespace bough
