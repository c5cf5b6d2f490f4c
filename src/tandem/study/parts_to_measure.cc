#include "tandem/study/parts_to_measure.h"

#include "tandem/base/error.h"
#include "tandem/sync/crew.h"
#include "tandem/trainer/measured.h"

namespace tandem {

Assembly parts_to_measure(const Config& config, const StopRequested& stop_requested) {
  try {
    return Assembly(without_scale(config), stop_requested);
  } catch (const Stopped&) {
    throw Interrupted();
  }
}

EnvConfig env_to_measure(const EnvConfig& env, std::uint64_t seed,
                         const StopRequested& stop_requested) {
  try {
    return measured(without_scale(env), seed, stop_requested);
  } catch (const Stopped&) {
    throw Interrupted();
  }
}

}  // namespace tandem
