// The gates of LSTM cells, forward and backward.
#pragma once

#include <cstddef>

namespace tandem {

/// One sample's cells: arrays of `units` numbers; gates [4, units] in PyTorch's order: input,
/// forget, candidate, output. Views of the caller's memory; value type.
struct LstmCells {
  std::size_t units = 0;
  float* gates = nullptr;           // before their activations, then after them
  const float* c_before = nullptr;  // memory
  float* c = nullptr;
  float* tanh_c = nullptr;
  float* h = nullptr;  // output
};

/// Gradients of a loss with respect to one sample's cells; views as above.
struct LstmCellGradients {
  const float* h = nullptr;  // of the output
  float* c = nullptr;        // of the memory: in, after this step; out, before it
  float* gates = nullptr;    // to be filled: before the activations
};

/// Equations of Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al. (2000): c = f
/// c_before + i g, h = o tanh(c), where i, f and o are sigmoids and g is a tanh of the gates. NaN
/// gives NaN, infinite gates give the limits. The numbers do not depend on the vector instructions.
/// Pure; safe from many threads.
void lstm_forward(const LstmCells& cells);

/// Goes back through lstm_forward().
void lstm_backward(const LstmCells& cells, const LstmCellGradients& gradients);

}  // namespace tandem
