// Settings of net.* that affect more than their own key.
#pragma once

#include <vector>

#include "tandem/io/settings.h"
#include "tandem/nn/architecture.h"

namespace tandem {

/// Gives a setting of an older version its current key; returns other settings unchanged. A whole
/// number in net.layers once was the number of layers of mlp, whose key is now net.depth.
[[nodiscard]] Setting under_todays_key(Setting setting);

/// Adds to the whole config of a run the keys that are younger than the run, with the values that
/// counted then, so that a resumed run does not get those of today's presets.
[[nodiscard]] std::vector<Setting> with_younger_keys(std::vector<Setting> config);

/// Makes net.arch and net.layers describe one network. The one that comes last in `settings` wins;
/// if neither is there, layers of the preset win. If layers win, net.arch becomes "layers"; if a
/// named architecture wins, net.layers becomes empty.
void settle_network(NetConfig& net, const std::vector<Setting>& settings);

}  // namespace tandem
