#include "bough/model/kernels/gemm.h"

#include <dnnl.h>

#include <new>
#include <stdexcept>

namespace bough {

void multiply_large(const MatrixView& a, const MatrixView& b, int64_t rows, int64_t depth,
                    int64_t columns, float keep, float* c) {
  dnnl_status_t status =
      dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', rows, columns, depth, 1.0F,
                 a.data, a.stride, b.data, b.stride, keep, c, columns);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success) throw std::logic_error("oneDNN refused a matrix product");
}

}  // namespace bough
