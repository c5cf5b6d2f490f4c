#include "tandem/env/gym/gym_family.h"

#include <span>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/gym/gym_group.h"
#include "tandem/env/gym/gym_options.h"

namespace tandem {
namespace {

class GymFamily : public EnvFamily {
 public:
  /// Only Python knows them.
  [[nodiscard]] std::vector<std::string> names() const override { return {}; }

  [[nodiscard]] FieldList fields() override { return options_.fields(); }

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t seed) override {
    return make_env_of(make_group(name, {&seed, 1}));
  }

  void abandon() override { *options_.abandoned = true; }

  [[nodiscard]] bool makes_groups() const override { return true; }

  [[nodiscard]] std::unique_ptr<EnvGroup> make_group(
      const std::string& name, std::span<const std::uint64_t> seeds) override {
    if (name.empty() && options_.pickle.empty()) {
      throw Error(
          "gym: needs the id of an environment: gym:CartPole-v1, or gym:module:ID, whose "
          "module is imported first");
    }
    return std::make_unique<GymGroup>(name, options_, seeds);
  }

 private:
  GymOptions options_;
};

}  // namespace

std::unique_ptr<EnvFamily> make_gym_family() { return std::make_unique<GymFamily>(); }

}  // namespace tandem
