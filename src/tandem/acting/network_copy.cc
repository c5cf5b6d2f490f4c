#include "tandem/acting/network_copy.h"

#include <utility>

namespace tandem {

NetworkCopy::NetworkCopy(std::size_t size, CopyIfNewer copy_if_newer,
                         const NetworkFactory& make_network)
    : copy_if_newer_(std::move(copy_if_newer)), parameters_(size) {
  if (size == 0) return;
  network_ = make_network(parameters_);
  synchronise();
}

void NetworkCopy::synchronise() {
  if (network_ != nullptr && copy_if_newer_(version_, parameters_)) network_->reload();
}

}  // namespace tandem
