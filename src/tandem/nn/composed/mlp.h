// Fully connected networks in plain C++: for small networks, where a library's overhead would
// dominate, and for callers that need the gradient of the inputs, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/cpu.h"
#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/dense.h"

namespace tandem {

/// The dense layers of an architecture with a policy head alone, and that head. An Mlp reads its
/// parameters from memory that it does not own, and uses new ones as soon as they change. Inputs
/// are fp32 numbers, flattened to one vector for each sample. Buffers are reused for the next
/// batch. A sample's outputs do not depend on the other samples. Not thread-safe; uses the calling
/// thread only. Spans of wrong sizes throw std::logic_error.
class Mlp {
 public:
  /// `parameters` are those of architecture.parameters() and must outlive this object. Throws
  /// std::logic_error for other layers or heads.
  Mlp(const Architecture& architecture, std::span<const float> parameters, Simd simd = best_simd());

  /// Computes y [batch, outputs] from x [batch, inputs].
  void forward(std::span<const float> x, std::span<float> y);

  /// Like forward(), but keeps these samples' activations for backward(), in place of earlier ones.
  void record(std::span<const float> x, std::span<float> y);

  /// Takes d_y [batch, outputs], the gradient of a scalar with respect to the outputs recorded
  /// last. Overwrites `gradient` and d_x [batch, inputs] with the gradients of the parameters and
  /// of the inputs; computes none for an empty span. The parameters must still be those of
  /// record(). May be called again.
  void backward(std::span<const float> d_y, std::span<float> gradient, std::span<float> d_x = {});

 private:
  struct Dense {
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    std::size_t weights = 0;  // index among the parameters
    std::size_t bias = 0;
    Activation activation = Activation::none;
  };

  /// The inputs of each layer, [samples, inputs].
  struct Tape {
    std::int64_t samples = 0;
    std::vector<std::vector<float>> inputs;
  };

  void run(std::span<const float> x, std::span<float> y, Tape& tape) const;

  std::vector<Dense> layers_;
  std::span<const float> parameters_;
  DenseKernels kernels_;
  Tape passing_;   // of the latest forward()
  Tape recorded_;  // of record()
  std::vector<float> d_output_, d_input_;
};

}  // namespace tandem
