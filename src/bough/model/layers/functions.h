// Small differentiable functions that LibTorch has no fitting operator for, and the way round them.
//
// Our own kernels read CPU memory. Tensors on another device take the plain path: LibTorch's
// operators and autograd alone. On the CPU, BOUGH_KERNELS=plain sends everything down that path: it
// is slower, and the twin that the fast one is tested against.
#pragma once

#include <span>
#include <vector>

#include "bough/model/torch.h"

namespace bough {

/// Whether what is computed from this tensor goes through our own kernels.
bool uses_kernels(const torch::Tensor& tensor);

/// Rows of `weight` by index. Backward adds to weight.grad in place where that is there, so that no
/// second tensor of the vocabulary's size is made (the plain path makes one).
torch::Tensor gather_rows(const torch::Tensor& weight, std::span<const int64_t> indices);

/// result = a · b + keep · result, without gradients; a and b may be transposed views.
void multiply_into(const torch::Tensor& result, const torch::Tensor& a, const torch::Tensor& b,
                   float keep = 0.0F);

/// A contiguous float tensor's numbers; it has to be on the CPU.
std::span<const float> numbers_of(const torch::Tensor& tensor);

/// The same, to be written to: whoever has packed the tensor learns that it has changed.
std::span<float> change_numbers(const torch::Tensor& tensor);

/// Numbers of words or rows, on the device that they are to index.
template <typename Number>
torch::Tensor indices_on(torch::Device device, std::span<const Number> numbers) {
  std::vector<int64_t> wide(numbers.begin(), numbers.end());
  return torch::tensor(wide, torch::kInt64).to(device);
}

/// A parameter's .grad, made of zeros where there is none, to be added to.
torch::Tensor gradient_of(const torch::Tensor& parameter);

/// Hears of gradients that are about to be added to.
class GradientWatch {
 public:
  virtual ~GradientWatch() = default;
  virtual void on_gradient(const torch::Tensor& parameter) = 0;

  /// As long as this is there, of those of the thread that has made it; null: nobody hears.
  class Scope {
   public:
    explicit Scope(GradientWatch* watch);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };
};

}  // namespace bough
