// One step of an LSTM layer, forwards and backwards, on plain arrays.
#pragma once

#include <cstdint>

namespace bough {

/// One step of an LSTM layer on `rows` rows; gates in the order input, forget, cell, output.
struct LstmCell {
  int64_t rows = 0;
  int64_t hidden = 0;
  float* gates = nullptr;  // [rows, 4·hidden] before their activations; after: activated
  const float* cell_before = nullptr;  // [rows, hidden], or null for zeros
  float* cell = nullptr;               // [rows, hidden]
  float* output = nullptr;             // [rows, hidden]
};
void lstm_forward(const LstmCell& cell);

/// The same step backwards.
struct LstmCellGradient {
  int64_t rows = 0;
  int64_t hidden = 0;
  float* gates = nullptr;              // in: activated; out: gradient before the activations
  const float* cell_before = nullptr;  // [rows, hidden], or null for zeros
  const float* cell = nullptr;         // [rows, hidden]
  const float* d_output = nullptr;     // [rows, hidden]
  float* d_cell = nullptr;             // [rows, hidden] in: from the step behind; out: for the one
                                       // before
};
void lstm_backward(const LstmCellGradient& cell);

}  // namespace bough
