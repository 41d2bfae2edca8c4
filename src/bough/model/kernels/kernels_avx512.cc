#define BOUGH_KERNEL_NAMESPACE kernels_avx512
#define BOUGH_KERNEL_TABLE kAvx512Kernels
#define BOUGH_KERNEL_NAME "avx512"
#define BOUGH_KERNEL_LANES 16
#define BOUGH_KERNEL_ROWS 12
#include "bough/model/kernels/implementation.h"
