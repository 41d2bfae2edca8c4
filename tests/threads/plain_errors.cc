// What model/runtime.cc does with LibTorch's errors, where there is no LibTorch.
#include "bough/model/runtime.h"

namespace bough {

void rethrow_plainly() {
  throw;
}

}  // namespace bough
