// The only place that includes LibTorch; precompiled. Tensors and autograd are all that bough uses
// of it: the whole of <torch/torch.h> takes every source three times as long to compile.
#pragma once

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>
