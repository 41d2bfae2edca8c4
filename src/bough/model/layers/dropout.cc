#include "bough/model/layers/dropout.h"

#include "bough/base/random.h"
#include "bough/model/kernels/arrays.h"
#include "bough/model/layers/functions.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Of a sentence's row at a position.
uint64_t row_name(const DropoutMasks& masks, int64_t sentence, int64_t position) {
  auto number = static_cast<size_t>(sentence);
  uint64_t name = masks.sentences.empty() ? number : masks.sentences[number];
  return RandomStream(name, Purpose::kDropout, static_cast<uint64_t>(position)).next();
}

/// What is kept of a matrix; its rows' names as a tensor.
Tensor mask(const Tensor& matrix, double keep, int64_t key, const Tensor& rows) {
  Tensor contiguous = matrix.contiguous();
  Tensor result = torch::empty_like(contiguous);
  std::span<const uint64_t> names(reinterpret_cast<const uint64_t*>(rows.data_ptr<int64_t>()),
                                  static_cast<size_t>(rows.numel()));
  dropout(numbers_of(contiguous), change_numbers(result), keep, static_cast<uint64_t>(key), names);
  return result;
}

class HashedDropout : public torch::autograd::Function<HashedDropout> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, double keep, int64_t key,
                        const Tensor& rows) {
    context->saved_data["keep"] = keep;
    context->saved_data["key"] = key;
    context->saved_data["rows"] = rows;
    return mask(input, keep, key, rows);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    auto& saved = context->saved_data;
    return {mask(gradients[0], saved["keep"].toDouble(), saved["key"].toInt(),
                 saved["rows"].toTensor()),
            Tensor(), Tensor(), Tensor()};
  }
};

Tensor plain_dropout(const Tensor& input, double keep, int64_t key, const Tensor& rows) {
  Tensor ones = torch::ones(input.sizes());  // on the CPU: the hash is the kernel's
  return input * mask(ones, keep, key, rows).to(input.device());
}

}  // namespace

Dropout::Dropout(const DropoutMasks& masks, const PackedSteps& steps) : Dropout(masks) {
  if (!drops()) return;
  for (int64_t step = 0; step < steps.steps(); ++step) {
    for (int64_t s = 0; s < steps.rows_at[static_cast<size_t>(step)]; ++s) {
      rows_.push_back(row_name(masks, s, step));
    }
  }
}

Dropout::Dropout(const DropoutMasks& masks, const RowLayout& layout, Part part)
    : Dropout(masks, part) {
  if (!drops()) return;
  rows_.resize(static_cast<size_t>(layout.rows()));
  for (int64_t s = 0; s < layout.sentences(); ++s) {
    int64_t position = 0;
    for (int64_t row : layout.rows_of(s)) {
      rows_[static_cast<size_t>(row)] = row_name(masks, s, position++);
    }
  }
}

Dropout::Dropout(const DropoutMasks& masks, int64_t sentences, int64_t step) : Dropout(masks) {
  if (!drops()) return;
  for (int64_t s = 0; s < sentences; ++s) rows_.push_back(row_name(masks, s, step));
}

uint64_t Dropout::key_of(uint64_t place) const {
  return RandomStream(key_, Purpose::kDropout, place).next();
}

Tensor Dropout::operator()(const Tensor& matrix) {
  uint64_t place = next_++;
  if (!drops()) return matrix;
  auto key = static_cast<int64_t>(key_of(place));
  Tensor rows = torch::empty({static_cast<int64_t>(rows_.size())}, torch::kInt64);
  std::copy(rows_.begin(), rows_.end(), reinterpret_cast<uint64_t*>(rows.data_ptr<int64_t>()));
  if (!uses_kernels(matrix)) return plain_dropout(matrix, keep_, key, rows);
  return HashedDropout::apply(matrix, keep_, key, rows);
}

void Dropout::operator()(const float* from, float* to, int64_t width) {
  uint64_t place = next_++;
  if (!drops()) return;
  auto size = rows_.size() * static_cast<size_t>(width);
  dropout({from, size}, {to, size}, keep_, key_of(place), rows_);
}

}  // namespace bough
