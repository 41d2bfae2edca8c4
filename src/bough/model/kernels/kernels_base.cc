#define BOUGH_KERNEL_NAMESPACE kernels_base
#define BOUGH_KERNEL_TABLE kBaseKernels
#define BOUGH_KERNEL_NAME "base"
#define BOUGH_KERNEL_LANES 4
#define BOUGH_KERNEL_ROWS 6
#include "bough/model/kernels/implementation.h"
