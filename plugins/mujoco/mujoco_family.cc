// The family "mujoco", which tandem_mujoco.so exports.
#include <map>
#include <mutex>

#include "model.h"
#include "mujoco_env.h"
#include "suite.h"
#include "tandem/base/places.h"
#include "tandem/env/family.h"

namespace tandem::mujoco {
namespace {

std::filesystem::path suite_folder(const std::string& option) {
  return data_folder(option, "TANDEM_SUITE_DIR", "suite", TANDEM_DEFAULT_SUITE_DIR);
}

class MujocoFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& task : suite_tasks()) names.push_back(task.name);
    return names;
  }

  [[nodiscard]] FieldList fields() override;

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    const auto info = find_task(name);
    const auto model = model_of(info);
    return std::make_unique<MujocoEnv>(simulation_of(info, model), options_);
  }

 private:
  /// Environments of one task share their model.
  std::shared_ptr<const mjModel> model_of(const TaskInfo& info) {
    const std::scoped_lock lock(mutex_);
    auto& model = models_[info.name];
    if (model == nullptr) model = load_model(suite_folder(suite_dir_), info.file, info.without);
    return model;
  }

  [[nodiscard]] Simulation simulation_of(const TaskInfo& info,
                                         const std::shared_ptr<const mjModel>& model) const {
    return {info, model, sine_angles_ ? Turns::sine_and_cosine : Turns::counted};
  }

  MujocoOptions options_;
  bool sine_angles_ = false;
  std::string suite_dir_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const mjModel>> models_;  // by task; guarded by mutex_
};

FieldList MujocoFamily::fields() {
  return {
      {.key = "pixels",
       .target = &options_.pixels,
       .meaning = "show what the first camera sees, 84 x 84 in colour, not the task's numbers"},
      {.key = "sine_angles",
       .target = &sine_angles_,
       .meaning = "show an angle that nothing bounds (reacher's shoulder) as its sine and cosine, "
                  "not as a number that grows with each turn",
       .source = "not in the papers, nor in dm_control"},
      {.key = "plain_pixels",
       .target = &options_.plain_pixels,
       .meaning = "draw pixels without shadows, reflections, sky and smoothed edges: ten times as "
                  "fast and more by a renderer in software",
       .source = "not in dm_control"},
      {.key = "frame_skip",
       .target = &options_.frame_skip,
       .meaning = "steps of the suite that one action is held; their rewards add up",
       .source = "not in A3C's section 5.2.3; dm_control has 1",
       .least = 1,
       .most = 1000},
      {.key = "stack",
       .target = &options_.stack,
       .meaning = "newest observations seen at once",
       .least = 1,
       .most = 64},
      {.key = "suite_dir",
       .target = &suite_dir_,
       .meaning = "folder of dm_control's models; empty: $TANDEM_SUITE_DIR or the one built with"},
  };
}

std::unique_ptr<EnvFamily> create() {
  silence_mujoco();
  return std::make_unique<MujocoFamily>();
}

}  // namespace
}  // namespace tandem::mujoco

extern "C" [[gnu::visibility("default")]] const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {.abi = tandem::kPluginAbi,
                                               .name = "mujoco",
                                               .licence = "Apache-2.0",
                                               .create = tandem::mujoco::create};
  return &kInfo;
}
