// Fully connected networks in plain C++: for what is too small to be worth a library's overhead,
// and where the gradient of the inputs is wanted, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/cpu.h"
#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/dense.h"

namespace tandem {

/// The dense layers of an architecture with a policy head alone, and that head, over parameters
/// that it does not own and reads where they are: when they have moved it goes on with the new
/// ones. Numbers in are fp32, whatever their shape. Buffers stay for the next batch. A sample's
/// outputs do not depend on the others. Not thread-safe; uses the calling thread only. Spans of
/// other sizes throw std::logic_error.
class Mlp {
 public:
  /// `parameters`: those of architecture.parameters(), which must outlive it. Throws
  /// std::logic_error for other layers or heads.
  Mlp(const Architecture& architecture, std::span<const float> parameters, Simd simd = best_simd());

  /// x [batch, inputs] to y [batch, outputs].
  void forward(std::span<const float> x, std::span<float> y);

  /// As forward, and keeps what backward needs of these samples, in the place of those before.
  void record(std::span<const float> x, std::span<float> y);

  /// From d_y [batch, outputs], the gradient of a scalar with respect to the outputs recorded last,
  /// that of the parameters and that of the inputs, d_x [batch, inputs]; each is overwritten, or
  /// not computed where it is empty. The parameters must still be those of record(). May be called
  /// again.
  void backward(std::span<const float> d_y, std::span<float> gradient, std::span<float> d_x = {});

 private:
  struct Dense {
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    std::size_t weights = 0;  // where they are among the parameters
    std::size_t bias = 0;
    Activation activation = Activation::none;
  };

  /// What each layer takes in, [samples, inputs].
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
