// Replaces onednn_*.cc in a build without oneDNN.

#include <stdexcept>

#include "tandem/nn/onednn/onednn_network.h"

namespace tandem {

std::string onednn_version() { return {}; }

std::unique_ptr<Network> make_onednn_network(const Architecture& /*architecture*/,
                                             std::span<const float> /*parameters*/,
                                             Precision /*precision*/) {
  throw std::logic_error("make_onednn_network: this build has no oneDNN");
}

}  // namespace tandem
