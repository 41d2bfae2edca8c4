#include "bough/model/kernels/lstm_cell.h"

#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/table.h"

namespace bough {

void lstm_forward(const LstmCell& cell) {
  const KernelTable& chosen = kernels();
#pragma omp parallel for schedule(static) if (cell.rows * cell.hidden > kWorthAThread)
  for (int64_t row = 0; row < cell.rows; ++row) chosen.lstm_forward(cell, row);
}

void lstm_backward(const LstmCellGradient& cell) {
  const KernelTable& chosen = kernels();
#pragma omp parallel for schedule(static) if (cell.rows * cell.hidden > kWorthAThread)
  for (int64_t row = 0; row < cell.rows; ++row) chosen.lstm_backward(cell, row);
}

}  // namespace bough
