#include "tandem/systems/target_network.h"

namespace tandem {

TargetNetwork::TargetNetwork(const TargetParameters& shared, const NetworkFactory& make_network)
    : shared_(shared), parameters_(shared.size()) {
  if (!shared_.exist()) return;
  network_ = make_network(parameters_);
  synchronise();
}

void TargetNetwork::synchronise() {
  if (!shared_.exist() || !shared_.copy_if_newer(version_, parameters_)) return;
  network_->reload();
}

}  // namespace tandem
