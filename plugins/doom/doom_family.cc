// The family "doom", which tandem_doom.so exports.

#include <fmt/format.h>

#include <algorithm>

#include "doom_env.h"
#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/base/places.h"
#include "tandem/env/family.h"

namespace tandem::doom {
namespace {

class DoomFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return scenario_names(folder()); }

  [[nodiscard]] FieldList fields() override;

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    const auto all = names();
    if (std::ranges::find(all, name) == all.end()) {
      throw Error(fmt::format("doom: there is no scenario '{}'{}; `tandem envs` lists them all",
                              name, did_you_mean(name, all)));
    }
    return std::make_unique<DoomEnv>(folder(), name, options_);
  }

 private:
  [[nodiscard]] std::filesystem::path folder() const {
    return data_folder(folder_, "TANDEM_DOOM_DIR", "doom", TANDEM_DEFAULT_DOOM_DIR);
  }

  DoomOptions options_;
  std::string folder_;
};

FieldList DoomFamily::fields() {
  return {
      {.key = "resolution",
       .target = &options_.resolution,
       .meaning = "doom: the screen that the engine draws",
       .choices = {"160x120", "200x150", "256x192", "320x240", "400x300", "512x384", "640x480",
                   "800x600"}},
      {.key = "width",
       .target = &options_.width,
       .meaning = "doom: width of an observation; 0: the screen's",
       .least = 0,
       .most = 800},
      {.key = "height",
       .target = &options_.height,
       .meaning = "doom: height of an observation; 0: the screen's",
       .least = 0,
       .most = 600},
      {.key = "colours",
       .target = &options_.colours,
       .meaning = "doom: colours of an observation",
       .choices = {"gray", "rgb"}},
      {.key = "depth",
       .target = &options_.depth,
       .meaning = "doom: observations have a plane more, with distances"},
      {.key = "stack",
       .target = &options_.stack,
       .meaning = "newest observations seen at once",
       .least = 1,
       .most = 64},
      {.key = "frame_skip",
       .target = &options_.frame_skip,
       .meaning = "tics in a step, in which the same buttons are held; a second has 35",
       .least = 1,
       .most = 60},
      {.key = "buttons",
       .target = &options_.buttons,
       .meaning = "doom: most buttons held at once; each set of them is an action",
       .source = "ViZDoom's Gymnasium environments have 1",
       .least = 1,
       .most = 20},
      {.key = "delta",
       .target = &options_.delta,
       .meaning = "doom: degrees or units a tic of buttons that turn or move by an amount, which "
                  "have an action for each way; the engine moves by whole units",
       .least = 1,
       .most = 180},
      {.key = "map",
       .target = &options_.map,
       .meaning = "doom: the map, e1m1 or map07 for instance; empty: the scenario's"},
      {.key = "skill",
       .target = &options_.skill,
       .meaning = "doom: difficulty, 5 is the hardest; 0: the scenario's",
       .least = 0,
       .most = 5},
      {.key = "doom_dir",
       .target = &folder_,
       .meaning = "folder of the engine; empty: $TANDEM_DOOM_DIR or the one built with"},
  };
}

std::unique_ptr<EnvFamily> create() { return std::make_unique<DoomFamily>(); }

}  // namespace
}  // namespace tandem::doom

extern "C" [[gnu::visibility("default")]] const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {.abi = tandem::kPluginAbi,
                                               .name = "doom",
                                               .licence = "Apache-2.0",
                                               .create = tandem::doom::create};
  return &kInfo;
}
