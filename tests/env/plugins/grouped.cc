// A plug-in whose environments exist in groups alone, for plugin_test.cc.
#include "tandem/env/family.h"

namespace {

/// A group that only says what its environments are.
class Still : public tandem::EnvGroup {
 public:
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] const tandem::EnvSpec& spec() const override { return spec_; }
  void begin(std::span<const tandem::GroupRequest> /*requests*/) override {}
  std::span<const tandem::GroupAnswer> finish(int /*at_least*/) override { return {}; }

 private:
  tandem::EnvSpec spec_ = {.frame_shape = {4}, .num_actions = 3};
};

class StillFamily : public tandem::EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"still"}; }
  [[nodiscard]] tandem::FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<tandem::Env> make(const std::string& /*name*/,
                                                  std::uint64_t /*seed*/) override {
    return tandem::make_env_of(std::make_unique<Still>());
  }
  [[nodiscard]] bool makes_groups() const override { return true; }
};

std::unique_ptr<tandem::EnvFamily> create() { return std::make_unique<StillFamily>(); }

}  // namespace

extern "C" const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {
      .abi = tandem::kPluginAbi, .name = "grouped", .licence = "Apache-2.0", .create = create};
  return &kInfo;
}
