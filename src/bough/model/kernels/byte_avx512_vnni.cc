// The same source, compiled for processors that have VNNI.
#include "bough/model/kernels/byte_avx512.cc"
