#include "tandem/env/env.h"

#include <stdexcept>

namespace tandem {

void Env::save(StateWriter&) const {
  throw std::logic_error("an environment whose spec().saves is true does not save");
}

void Env::load(StateReader&) {
  throw std::logic_error("an environment whose spec().saves is true does not load");
}

}  // namespace tandem
