#define BOUGH_KERNEL_NAMESPACE kernels_avx2
#define BOUGH_KERNEL_TABLE kAvx2Kernels
#define BOUGH_KERNEL_NAME "avx2"
#define BOUGH_KERNEL_LANES 8
#define BOUGH_KERNEL_ROWS 6
#include "bough/model/kernels/implementation.h"
