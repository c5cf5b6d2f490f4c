// Settings of net.* that affect more than their own key.
#pragma once

#include <vector>

#include "tandem/io/settings.h"
#include "tandem/nn/architecture.h"

namespace tandem {

/// Renames a setting of an older version to the key of today; returns others as they are.
/// net.layers was once a whole number, the layers of mlp; its key is net.depth now.
[[nodiscard]] Setting under_todays_key(Setting setting);

/// The last of net.arch and net.layers in `settings` wins; layers that the settings do not mention
/// win over the name. Makes net.arch "layers" if layers win, and net.layers empty if a name wins,
/// so that the config describes one network.
void settle_network(NetConfig& net, const std::vector<Setting>& settings);

}  // namespace tandem
