#include "tandem/systems/catalogue.h"

#include "tandem/systems/a3c/a3c_system.h"
#include "tandem/systems/apex/apex_system.h"
#include "tandem/systems/ga3c/ga3c_system.h"
#include "tandem/systems/hts/hts_system.h"
#include "tandem/systems/impala/impala_system.h"
#include "tandem/systems/paac/paac_system.h"

namespace tandem {

std::vector<std::shared_ptr<const System>> published_systems() {
  return {
      std::make_shared<PaacSystem>(),   std::make_shared<A3cSystem>(),
      std::make_shared<Ga3cSystem>(),   std::make_shared<HtsSystem>(),
      std::make_shared<ImpalaSystem>(), std::make_shared<ApexSystem>(),
  };
}

}  // namespace tandem
