#include "tandem/run/target_return.h"

namespace tandem {

void TargetReturn::look(double mean_return, std::int64_t steps, double seconds) {
  const bool enough = mean_return >= target_;  // never with a mean that is no number
  if (reached_ || !enough) return;
  steps_ = steps;
  seconds_ = seconds;
  reached_ = true;
}

void TargetReturn::restore(const nlohmann::json& saved) {
  if (saved.is_null() || saved.at("return") != target_) return;
  steps_ = saved.at("steps").get<std::int64_t>();
  seconds_ = saved.at("seconds").get<double>();
  reached_ = true;
}

nlohmann::ordered_json TargetReturn::json(std::int64_t frames_per_step) const {
  if (!reached_) return nullptr;
  return {{"return", target_},
          {"steps", steps_},
          {"frames", steps_ * frames_per_step},
          {"seconds", seconds_}};
}

}  // namespace tandem
