#include "environment_lookup.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "interruptible.h"
#include "tandem/trainer/catalogue.h"
#include "tandem/trainer/measured.h"

namespace tandem::python {
namespace {

EnvConfig load(const std::string& id, const Options& options, int threads) {
  std::vector<Setting> settings = {{"env.id", id, id}};
  bool sets_workers = false;
  for (const auto& [key, text] : options) {
    settings.push_back({"env." + key, text, fmt::format("{}={}", key, text)});
    sets_workers = sets_workers || key == "workers";
  }
  auto probe = choose_env(settings, *published());
  if (probe.family->makes_groups() && !sets_workers) {
    settings.push_back({"env.workers", fmt::format("{}", threads), "num_threads"});
  }
  constexpr std::uint64_t kSeed = 1;
  return measured(load_env_config(settings, *published()), kSeed);
}

}  // namespace

FoundEnvironment find_environment(const std::string& id, const Options& options, int threads) {
  const auto found = std::make_shared<FoundEnvironment>();
  run_or_leave([=] {
    found->first = load(id, options, threads);
    found->second = found->first.spec();
  });
  return std::move(*found);
}

}  // namespace tandem::python
