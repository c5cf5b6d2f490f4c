#include "tandem/systems/common/actor_context.h"

#include <memory>
#include <utility>
#include <variant>

namespace tandem {

ActorContext make_actor_context(EnvFactory make_env, const EnvSpec& spec,
                                NetworkFactory make_network, const Algorithm& algorithm,
                                std::uint64_t seed) {
  const auto* loss = std::get_if<std::shared_ptr<const RolloutLoss>>(&algorithm.learning);
  return {.make_env = std::move(make_env),
          .spec = spec,
          .make_network = std::move(make_network),
          .rule = *algorithm.acting,
          .bootstrap = loss != nullptr ? (*loss)->needs().bootstrap : Bootstrap::none,
          .seed = seed};
}

}  // namespace tandem
