#include "tandem/algo/exploration.h"

#include <algorithm>

#include "tandem/base/random.h"
#include "tandem/base/streams.h"

namespace tandem {
namespace {

/// Numbers the draws of all environments; each has 2^32 of them.
std::uint64_t draw_of(int env, std::int64_t episode) {
  return std::uint64_t{static_cast<std::uint32_t>(env)} << 32 | static_cast<std::uint32_t>(episode);
}

}  // namespace

Exploration::Exploration(const ExplorationConfig& config, std::uint64_t seed,
                         std::int64_t frames_per_step)
    : config_(config), seed_(seed), frames_per_step_(static_cast<double>(frames_per_step)) {}

double Exploration::final_epsilon(int env, std::int64_t episode) const {
  Stream stream(seed_, streams::kExploration.id(draw_of(env, episode)));
  const double drawn = stream.uniform() * (config_.share_1 + config_.share_2 + config_.share_3);
  if (drawn < config_.share_1) return config_.epsilon_1;
  return drawn < config_.share_1 + config_.share_2 ? config_.epsilon_2 : config_.epsilon_3;
}

float Exploration::epsilon(int env, std::int64_t episode, std::int64_t steps) const {
  const double last = final_epsilon(env, episode);
  if (config_.epsilon_frames == 0) return static_cast<float>(last);
  const double done = std::min(1.0, static_cast<double>(steps) * frames_per_step_ /
                                        static_cast<double>(config_.epsilon_frames));
  return static_cast<float>(config_.epsilon_start + (last - config_.epsilon_start) * done);
}

FieldList ExplorationConfig::fields() {
  const auto chance = [](const char* key, double* target, const char* meaning,
                         const char* source = "A3C, section 5.1") {
    return Field{
        .key = key, .target = target, .meaning = meaning, .source = source, .least = 0, .most = 1};
  };
  return {
      chance("epsilon_start", &epsilon_start, "chance of a blind action at the start"),
      {.key = "epsilon_frames",
       .target = &epsilon_frames,
       .meaning = "frames of all environments in which the chance falls linearly to its final "
                  "value; 0: at once",
       .source = "A3C, section 5.1",
       .least = 0},
      chance("epsilon_1", &epsilon_1,
             "a final chance of a blind action; each environment draws one of the three for each "
             "of its episodes"),
      chance("epsilon_2", &epsilon_2, "another final chance"),
      chance("epsilon_3", &epsilon_3, "another final chance"),
      chance("share_1", &share_1, "how often epsilon_1 is drawn, in proportion to all shares"),
      chance("share_2", &share_2, "how often epsilon_2 is drawn"),
      chance("share_3", &share_3, "how often epsilon_3 is drawn"),
      chance("epsilon_eval", &epsilon_eval, "chance of a blind action in evaluations",
             "Mnih et al. 2015, Methods"),
  };
}

}  // namespace tandem
