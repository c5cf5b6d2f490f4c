#include "tandem/nn/kernels/lstm_cell.h"

#include "tandem/base/vectorise.h"
#include "tandem/nn/kernels/branchless.h"

namespace tandem {
namespace {

using branchless::hyperbolic_tangent;
using branchless::sigmoid;

// No two arrays overlap, so iterations are independent (ivdep) and can run side by side. Clang
// finds that out by itself and does not know the pragma.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void forward(const LstmCells& cells) {
  const auto units = cells.units;
  float* const input = cells.gates;
  float* const forget = input + units;
  float* const candidate = forget + units;
  float* const output = candidate + units;
  const float* const c_before = cells.c_before;
  float* const c_after = cells.c;
  float* const tanh_after = cells.tanh_c;
  float* const h = cells.h;
#pragma GCC ivdep
  for (std::size_t k = 0; k < units; ++k) {
    const float i = sigmoid(input[k]);
    const float f = sigmoid(forget[k]);
    const float g = hyperbolic_tangent(candidate[k]);
    const float o = sigmoid(output[k]);
    const float c = f * c_before[k] + i * g;
    const float tanh_c = hyperbolic_tangent(c);
    input[k] = i;
    forget[k] = f;
    candidate[k] = g;
    output[k] = o;
    c_after[k] = c;
    tanh_after[k] = tanh_c;
    h[k] = o * tanh_c;
  }
}

void backward(const LstmCells& cells, const LstmCellGradients& gradients) {
  const auto units = cells.units;
  const float* const input = cells.gates;
  const float* const forget = input + units;
  const float* const candidate = forget + units;
  const float* const output = candidate + units;
  const float* const c_before = cells.c_before;
  const float* const tanh_after = cells.tanh_c;
  const float* const d_output = gradients.h;
  float* const d_memory = gradients.c;
  float* const d_gates = gradients.gates;
#pragma GCC ivdep
  for (std::size_t k = 0; k < units; ++k) {
    const float i = input[k];
    const float f = forget[k];
    const float g = candidate[k];
    const float o = output[k];
    const float tanh_c = tanh_after[k];
    const float d_h = d_output[k];
    const float d_c = d_memory[k] + d_h * o * (1.0f - tanh_c * tanh_c);
    d_gates[k] = d_c * g * i * (1.0f - i);
    d_gates[units + k] = d_c * c_before[k] * f * (1.0f - f);
    d_gates[2 * units + k] = d_c * i * (1.0f - g * g);
    d_gates[3 * units + k] = d_h * tanh_c * o * (1.0f - o);
    d_memory[k] = d_c * f;
  }
}

}  // namespace

void lstm_forward(const LstmCells& cells) {
  vectorise([&] { forward(cells); });
}

void lstm_backward(const LstmCells& cells, const LstmCellGradients& gradients) {
  vectorise([&] { backward(cells, gradients); });
}

}  // namespace tandem
