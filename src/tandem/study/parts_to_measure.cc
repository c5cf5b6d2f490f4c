#include "tandem/study/parts_to_measure.h"

#include "tandem/base/error.h"
#include "tandem/sync/crew.h"
#include "tandem/trainer/measured.h"

namespace tandem {

Assembly parts_to_measure(const Config& config, const StopRequested& stop_requested) {
  try {
    return Assembly(without_scale(config), stop_requested);
  } catch (const Stopped&) {
    throw Error("interrupted; there is no result");
  }
}

}  // namespace tandem
