// A system's measured speed as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/study/system_speed.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// All that was measured, by keys that name the unit where there is one.
[[nodiscard]] nlohmann::ordered_json speed_json(const Config& config, const SystemSpeed& speed);

/// Prints all that was measured of one system.
void print_speed(const Config& config, const SystemSpeed& speed);

/// A table's row with the rate, its share of the limit, the costs and the shares of time.
[[nodiscard]] std::vector<std::string> speed_row(const std::string& name, const SystemSpeed& speed);
/// The head of such a table.
[[nodiscard]] std::vector<std::string> speed_head(const std::string& name);

/// A table's row with a network's arithmetic beside the core's peak.
[[nodiscard]] std::vector<std::string> arithmetic_row(const std::string& system,
                                                      const std::string& network,
                                                      const SystemSpeed& speed);
/// The head of such a table.
[[nodiscard]] std::vector<std::string> arithmetic_head();

}  // namespace tandem
