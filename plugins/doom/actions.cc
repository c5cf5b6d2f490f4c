#include "actions.h"

#include <fmt/format.h>

#include "lower.h"
#include "tandem/base/error.h"

namespace tandem::doom {
namespace {

constexpr std::size_t kMostActions = 512;

/// The action with one button more.
HeldButtons with(HeldButtons action, const std::string& name, std::size_t button, double amount) {
  action.name = action.name == "none" ? name : action.name + "+" + name;
  action.amounts[button] = amount;
  return action;
}

}  // namespace

std::vector<HeldButtons> make_actions(const std::vector<Button>& buttons, std::int64_t together,
                                      double delta) {
  std::vector<HeldButtons> actions = {{"none", std::vector<double>(buttons.size())}};
  // Each round adds one button to the sets of the round before, after the set's last button.
  std::vector<std::size_t> next = {0};
  for (std::size_t first = 0; together > 0; --together) {
    const std::size_t end = actions.size();
    for (std::size_t at = first; at < end; ++at) {
      for (std::size_t button = next[at]; button < buttons.size(); ++button) {
        if (buttons[button].delta) continue;
        actions.push_back(with(actions[at], lower(buttons[button].name), button, 1));
        next.push_back(button + 1);
        if (actions.size() > kMostActions) {
          throw Error(fmt::format(
              "env.buttons: the sets of buttons make more than {} actions; allow fewer at once",
              kMostActions));
        }
      }
    }
    first = end;
  }
  for (std::size_t button = 0; button < buttons.size(); ++button) {
    if (!buttons[button].delta) continue;
    const auto name = lower(buttons[button].name);
    for (const double way : {delta, -delta}) {
      actions.push_back(with(actions.front(), fmt::format("{}:{:+g}", name, way), button, way));
    }
  }
  return actions;
}

}  // namespace tandem::doom
