#include "tandem/trainer/config_request.h"

#include <algorithm>
#include <iterator>

#include "tandem/trainer/presets.h"

namespace tandem {
namespace {

using Load = decltype(&load_config);

Config load_over(std::vector<Setting> settings, const ConfigRequest& request,
                 const std::vector<Setting>& last, Load load) {
  std::ranges::copy(request.settings, std::back_inserter(settings));
  std::ranges::copy(last, std::back_inserter(settings));
  auto config = load(request.system, settings, published());
  // A learning rate that the user has set is not drawn at random, even if the preset asks for it.
  const auto fields = config.fields();
  if (!request.sets("optimizer.lr", fields) || request.sets("optimizer.lr_choice", fields)) {
    return config;
  }
  settings.push_back({"optimizer.lr_choice", std::string("lr"), "--set optimizer.lr"});
  return load(request.system, settings, published());
}

}  // namespace

Config ConfigRequest::load(const std::vector<Setting>& last) const {
  if (base.empty()) return load_over({}, *this, last, choose_config);
  return load_over(find_config(published()->presets, base), *this, last, load_config);
}

bool ConfigRequest::sets(const std::string& key, const FieldList& fields) const {
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return find_field(published()->in_common_words(setting), fields).key == key;
  });
}

Config load_resumed(const std::filesystem::path& config_file, const ConfigRequest& changes) {
  const auto before = load_config("", read_toml(config_file));
  auto now = load_over(read_toml(config_file), changes, {}, load_config);
  require_same_experiment(now, before);
  return now;
}

}  // namespace tandem
