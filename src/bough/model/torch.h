// The only place that includes LibTorch; precompiled.
#pragma once

#include <torch/torch.h>
