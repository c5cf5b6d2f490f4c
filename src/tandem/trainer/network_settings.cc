#include "tandem/trainer/network_settings.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tandem {
namespace {

/// Whether the key is net.`word`. On the command line the last part is enough.
bool means(const Setting& setting, const std::string& word) {
  const bool is_short = setting.origin == Setting::Origin::command_line && setting.key == word;
  return is_short || setting.key == "net." + word;
}

bool whole_number(const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::holds_alternative<std::int64_t>(value);
  return !text->empty() &&
         std::ranges::all_of(*text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

Setting under_todays_key(Setting setting) {
  if (means(setting, "layers") && whole_number(setting.value)) setting.key = "net.depth";
  return setting;
}

std::vector<Setting> with_younger_keys(std::vector<Setting> config) {
  const std::string scale = "net.dueling_gradient_scale";
  if (std::ranges::find(config, scale, &Setting::key) == config.end()) {
    config.push_back({scale, 1.0, "a run older than " + scale, Setting::Origin::file});
  }
  return config;
}

void settle_network(NetConfig& net, const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    if (means(setting, "arch") && setting.value != FieldValue(kGivenLayers)) net.layers.clear();
    if (means(setting, "layers")) net.layers = std::get<std::string>(setting.value);
  }
  if (!net.layers.empty()) net.arch = kGivenLayers;
}

}  // namespace tandem
