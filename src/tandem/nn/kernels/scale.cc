#include "tandem/nn/kernels/scale.h"

namespace tandem {

void scale(float factor, std::span<float> numbers) {
  if (factor == 1) return;
  for (float& number : numbers) number *= factor;
}

void scale(float factor, std::span<Bfloat16> numbers) {
  if (factor == 1) return;
  for (auto& number : numbers) number = to_bfloat16(from_bfloat16(number) * factor);
}

}  // namespace tandem
