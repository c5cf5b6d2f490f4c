// The family "torcs", which tandem_torcs.so exports.

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/base/places.h"
#include "tandem/env/family.h"
#include "torcs_env.h"

namespace tandem::torcs {
namespace {

class TorcsFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& setting : settings()) names.emplace_back(setting.name);
    std::ranges::sort(names);
    return names;
  }

  [[nodiscard]] FieldList fields() override;

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    const auto found =
        std::ranges::find_if(settings(), [&](const auto& each) { return name == each.name; });
    if (found == settings().end()) {
      throw Error(fmt::format("torcs: there is no '{}'{}; `tandem envs` lists them all", name,
                              did_you_mean(name, names())));
    }
    return std::make_unique<TorcsEnv>(
        data_folder(folder_, "TANDEM_TORCS_DIR", "torcs", TANDEM_DEFAULT_TORCS_DIR), *found,
        options_);
  }

 private:
  TorcsOptions options_;
  std::string folder_;
};

FieldList TorcsFamily::fields() {
  return {
      {.key = "track",
       .target = &options_.track,
       .meaning = "torcs: the track, of those in TORCS, such as aalborg, e-track-3 or forza"},
      {.key = "car",
       .target = &options_.car,
       .meaning = "torcs: the car of all drivers; empty: p406 is slow, car1-ow1 is fast"},
      {.key = "opponents",
       .target = &options_.opponents,
       .meaning = "torcs: cars of TORCS's robot bt that start ahead; -1: as the id says",
       .least = -1,
       .most = 9},
      {.key = "start",
       .target = &options_.start,
       .meaning = "torcs: random: anywhere on the track; grid: where the track has its own start",
       .choices = {"random", "grid"}},
      {.key = "driver",
       .target = &options_.driver,
       .meaning = "torcs: robot: TORCS's robot bt drives the agent's car, for comparison",
       .choices = {"agent", "robot"}},
      {.key = "repeat",
       .target = &options_.repeat,
       .meaning = "torcs: turns of 20 ms in a step, whose rewards are added",
       .least = 1,
       .most = 50},
      {.key = "seconds",
       .target = &options_.seconds,
       .meaning = "torcs: seconds of an episode",
       .least = 1,
       .most = 3600},
      {.key = "stuck_seconds",
       .target = &options_.stuck_seconds,
       .meaning = "torcs: ends an episode after so many seconds without 5 metres, at least 2; 0: "
                  "never",
       .least = 0,
       .most = 3600},
      {.key = "width",
       .target = &options_.width,
       .meaning = "torcs: width of an observation",
       .least = 16,
       .most = 1024},
      {.key = "height",
       .target = &options_.height,
       .meaning = "torcs: height of an observation",
       .least = 16,
       .most = 1024},
      {.key = "stack",
       .target = &options_.stack,
       .meaning = "newest observations seen at once",
       .least = 1,
       .most = 64},
      {.key = "torcs_dir",
       .target = &folder_,
       .meaning = "folder of TORCS; empty: $TANDEM_TORCS_DIR or the one built with"},
  };
}

std::unique_ptr<EnvFamily> create() { return std::make_unique<TorcsFamily>(); }

}  // namespace
}  // namespace tandem::torcs

extern "C" [[gnu::visibility("default")]] const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {.abi = tandem::kPluginAbi,
                                               .name = "torcs",
                                               .licence = "Apache-2.0",
                                               .create = tandem::torcs::create};
  return &kInfo;
}
