// A plug-in that lists one environment but cannot make it, for plugin_test.cc.
#include "tandem/base/error.h"
#include "tandem/env/family.h"

namespace {

class EmptyFamily : public tandem::EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"nothing"}; }
  [[nodiscard]] tandem::FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<tandem::Env> make(const std::string& name, std::uint64_t) override {
    throw tandem::Error("no environment " + name);
  }
};

std::unique_ptr<tandem::EnvFamily> create() { return std::make_unique<EmptyFamily>(); }

}  // namespace

extern "C" const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {
      .abi = tandem::kPluginAbi, .name = "good", .licence = "Apache-2.0", .create = create};
  return &kInfo;
}
