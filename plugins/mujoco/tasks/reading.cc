#include "reading.h"

#include "tolerance.h"

namespace tandem::mujoco {

double small_control(const Physics& physics) {
  double sum = 0;
  for (const double control : physics.control()) {
    sum += tolerance(control, {.margin = 1, .sigmoid = Sigmoid::quadratic, .value_at_margin = 0});
  }
  return sum / static_cast<double>(physics.control().size());
}

}  // namespace tandem::mujoco
