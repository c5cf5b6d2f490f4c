#include "tandem/nn/arithmetic.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem {
namespace {

using Shape = std::vector<std::int64_t>;

double numbers(const Shape& shape) {
  double count = 1;
  for (const auto size : shape) count *= static_cast<double>(size);
  return count;
}

/// Multiplications of a convolution that makes `units` numbers at each of `places` of
/// `kernel` x `kernel` x `channels` numbers.
double convolution(double places, std::int64_t units, std::int64_t kernel, std::int64_t channels) {
  return places * static_cast<double>(units * kernel * kernel * channels);
}

/// The multiplications of a layer's first convolution or matrix. Only they need no gradient of
/// their input if the layer is the network's first.
double first_product(const Layer& layer, const Shape& input, const Shape& output) {
  if (layer.kind == Layer::Kind::dense) return numbers(input) * numbers(output);
  if (layer.kind == Layer::Kind::conv) {
    const auto places = static_cast<double>(output[1] * output[2]);
    return convolution(places, layer.units, layer.kernel, input[0]);
  }
  constexpr std::int64_t kKernel = 3;
  return convolution(static_cast<double>(input[1] * input[2]), layer.units, kKernel, input[0]);
}

/// The multiplications of a residual section's blocks, behind its pool.
double blocks(const Layer& layer, const Shape& output) {
  if (layer.kind != Layer::Kind::section) return 0;
  constexpr std::int64_t kKernel = 3;
  const auto places = static_cast<double>(output[1] * output[2]);
  return static_cast<double>(2 * layer.blocks) *
         convolution(places, layer.units, kKernel, layer.units);
}

/// Two operations for each multiplication.
Arithmetic with_two_each(double products, double first) {
  return {.forward = 2 * products, .backward = 2 * (2 * products - first)};
}

}  // namespace

Arithmetic arithmetic_of(const Architecture& architecture) {
  if (architecture.separate) {
    const auto policy = arithmetic_of(architecture.policy_part());
    const auto value = arithmetic_of(architecture.value_part());
    return {.forward = policy.forward + value.forward,
            .backward = policy.backward + value.backward};
  }
  double products = 0;
  double first = 0;
  Shape input = architecture.input_shape;
  const auto shapes = architecture.output_shapes();
  for (std::size_t i = 0; i < architecture.torso.size(); ++i) {
    const auto& layer = architecture.torso[i];
    const double product = first_product(layer, input, shapes[i]);
    if (i == 0) first = product;
    products += product + blocks(layer, shapes[i]);
    input = shapes[i];
  }
  if (architecture.lstm > 0) {
    constexpr double kGates = 4;
    const auto cells = static_cast<double>(architecture.lstm);
    products += kGates * cells * (numbers(input) + cells);
  }
  products += static_cast<double>(architecture.head_inputs() * architecture.outputs());
  return with_two_each(products, first);
}

}  // namespace tandem
