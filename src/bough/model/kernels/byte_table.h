// The kernels of byte_kernel.h, as dispatch.cc chooses from them.
#pragma once

#include "bough/model/kernels/byte_kernel.h"

namespace bough {

extern const ByteKernel kBaseBytes;
extern const ByteKernel kAvx2Bytes;
extern const ByteKernel kAvx512Bytes;
extern const ByteKernel kAvx512VnniBytes;

}  // namespace bough
