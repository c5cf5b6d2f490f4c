// The gates of LSTM cells, forward and backward.
#pragma once

#include <cstddef>

namespace tandem {

/// One sample's cells: arrays of `units` floats, and gates [4, units] in PyTorch's order: input,
/// forget, candidate, output. Views of the caller's memory; value type.
struct LstmCells {
  std::size_t units = 0;
  float* gates = nullptr;           // in: before their activations; out: after them
  const float* c_before = nullptr;  // memory before this step
  float* c = nullptr;               // memory after it
  float* tanh_c = nullptr;
  float* h = nullptr;  // output
};

/// Gradients of a loss with respect to one sample's cells; views as above.
struct LstmCellGradients {
  const float* h = nullptr;  // of the output
  float* c = nullptr;        // of the memory; in: after this step; out: before it
  float* gates = nullptr;    // out: of the gates before their activations
};

/// Computes one step of the cells by the equations of Hochreiter and Schmidhuber (1997) with the
/// forget gate of Gers et al. (2000): c = f c_before + i g, h = o tanh(c), where i, f and o are
/// sigmoids and g is a tanh of the gates. NaN gives NaN, and infinite gates give these functions'
/// limits, to 1e-37 or better. The bits do not depend on the vector instructions. Stateless; safe
/// to call from many threads.
void lstm_forward(const LstmCells& cells);

/// Backpropagates through lstm_forward().
void lstm_backward(const LstmCells& cells, const LstmCellGradients& gradients);

}  // namespace tandem
