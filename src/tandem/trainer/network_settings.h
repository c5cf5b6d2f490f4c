// Settings of net.* that mean more than their key's own value.
#pragma once

#include <vector>

#include "tandem/io/settings.h"
#include "tandem/nn/architecture.h"

namespace tandem {

/// A setting of an older version's key under the key of today; others as they are. net.layers was
/// a whole number, the layers of mlp, which is net.depth now.
[[nodiscard]] Setting under_todays_key(Setting setting);

/// Of net.arch and net.layers the one that `settings` give last counts; layers that they do not
/// mention go before the name. Makes net.arch "layers" where layers count, and net.layers empty
/// where a name counts: the config then says one network.
void settle_network(NetConfig& net, const std::vector<Setting>& settings);

}  // namespace tandem
