// In the place of onednn_*.cc where oneDNN is not there.

#include <stdexcept>

#include "tandem/nn/network.h"

namespace tandem {

bool onednn_supports(const Architecture& /*architecture*/) { return false; }

std::unique_ptr<Network> make_onednn_network(const Architecture& /*architecture*/,
                                             std::span<const float> /*parameters*/,
                                             Precision /*precision*/) {
  throw std::logic_error("make_onednn_network: this build has no oneDNN");
}

}  // namespace tandem
