// The family "football", which tandem_football.so exports.

#include "football_env.h"
#include "scenario.h"
#include "tandem/base/places.h"
#include "tandem/env/family.h"

namespace tandem::football {
namespace {

/// The folder of the engine's data.
std::filesystem::path football_folder(const std::string& option) {
  return data_folder(option, "TANDEM_FOOTBALL_DIR", "football", TANDEM_DEFAULT_FOOTBALL_DIR);
}

class FootballFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& scenario : read_scenarios(folder() / kScenarios)) {
      names.push_back(scenario.name);
    }
    return names;
  }

  [[nodiscard]] FieldList fields() override;

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    const auto scenarios = read_scenarios(folder() / kScenarios);
    return std::make_unique<FootballEnv>(folder(), find_scenario(scenarios, name), options_);
  }

 private:
  static constexpr auto kScenarios = "scenarios.txt";

  [[nodiscard]] std::filesystem::path folder() const { return football_folder(folder_); }

  FootballOptions options_;
  std::string folder_;
};

FieldList FootballFamily::fields() {
  return {
      {.key = "representation",
       .target = &options_.representation,
       .meaning =
           "observations, 72 x 96: smm, four planes with a point for each player of the left "
           "team, of the right team, for the ball and for the agent's player; pixels, the "
           "view of the engine's camera in colour; pixels_gray, the same in gray; top_view "
           "and top_view_gray, pictures of the pitch from above, drawn by tandem, which is "
           "far quicker where no GPU draws",
       .source = "Kurach et al. 2019, section 3.1; the top views are not in the papers",
       .choices = {"smm", "pixels", "pixels_gray", "top_view", "top_view_gray"}},
      {.key = "pictures",
       .target = &options_.pictures,
       .meaning =
           "pictures of videos: top_view, from above, by tandem; camera, the engine's, which "
           "takes a second each where no GPU draws. Games seen as pixels show those",
       .choices = {"top_view", "camera"}},
      {.key = "camera_width",
       .target = &options_.camera_width,
       .meaning = "pixels: width of the engine's pictures, whose height is nine sixteenths of it, "
                  "before they are shrunk to 96 x 72",
       .source = "the package draws 1280",
       .least = 128,
       .most = 3840},
      {.key = "rewards",
       .target = &options_.rewards,
       .meaning = "scoring: 1 for each goal, -1 for one of the other team; scoring,checkpoints: "
                  "besides, up to ten times 0.1 for carrying the ball nearer to the goal",
       .source = "Kurach et al. 2019, section 3.3; HTS-RL's published code has both",
       .choices = {"scoring", "scoring,checkpoints"}},
      {.key = "players",
       .target = &options_.players,
       .meaning = "players of the left team that act at once, each as an agent of its own",
       .source = "HTS-RL, Table 3, has 1 and 3",
       .least = 1,
       .most = 11},
      {.key = "same_seed",
       .target = &options_.same_seed,
       .meaning = "all episodes of an environment have the engine's seed of its first, so that in "
                  "the academy the same actions lead to the same game; false: each has its own",
       .source = "HTS-RL's published code: true; Kurach et al. 2019: false"},
      {.key = "stack",
       .target = &options_.stack,
       .meaning = "newest observations seen at once",
       .source = "HTS-RL's published code has 4",
       .least = 1,
       .most = 64},
      {.key = "football_dir",
       .target = &folder_,
       .meaning = "folder of the engine's data; empty: $TANDEM_FOOTBALL_DIR or the one built with"},
  };
}

std::unique_ptr<EnvFamily> create() { return std::make_unique<FootballFamily>(); }

}  // namespace
}  // namespace tandem::football

extern "C" [[gnu::visibility("default")]] const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {.abi = tandem::kPluginAbi,
                                               .name = "football",
                                               .licence = "Apache-2.0",
                                               .create = tandem::football::create};
  return &kInfo;
}
