#include "tandem/nn/backend.h"
#include "tandem/nn/torch/torch_network.h"

namespace tandem {

std::unique_ptr<Network> make_torch_network(const Architecture& architecture,
                                            std::span<const float> parameters,
                                            const std::string& device, Precision precision) {
  return load_backend("torch").make_network(architecture, parameters, device, precision);
}

}  // namespace tandem
