#include "tandem/env/gym/description.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tandem/base/error.h"

namespace tandem {

EnvSpec spec_of(const nlohmann::json& description, std::int64_t stack) {
  if (description.contains("missing")) {
    throw Error(fmt::format(
        "the Python {0} has no {1} ({2}): `{0} -m pip install {1}` installs it, and env.python or "
        "$TANDEM_PYTHON names another interpreter",
        description.at("python").get<std::string>(), description.at("missing").get<std::string>(),
        description.at("error").get<std::string>()));
  }
  if (description.contains("error")) throw Error(description.at("error").get<std::string>());
  EnvSpec spec;
  spec.dtype = description.at("dtype") == "u8" ? DType::u8 : DType::f32;
  description.at("frame_shape").get_to(spec.frame_shape);
  spec.stack = stack;
  description.at("num_actions").get_to(spec.num_actions);
  description.at("first_action").get_to(spec.first_action);
  description.at("action_low").get_to(spec.action_low);
  description.at("action_high").get_to(spec.action_high);
  description.at("action_names").get_to(spec.action_names);
  description.at("render_fps").get_to(spec.render_fps);
  spec.saves = false;
  return spec;
}

bool alike(const EnvSpec& a, const EnvSpec& b) {
  return a.dtype == b.dtype && a.frame_shape == b.frame_shape && a.num_actions == b.num_actions &&
         a.first_action == b.first_action && a.action_low == b.action_low &&
         a.action_high == b.action_high;
}

}  // namespace tandem
