// The judgements of an acting rule, from heads alone.
#pragma once

#include <vector>

#include "tandem/algo/acting_rule.h"
#include "tests/support/linear_network.h"

namespace tandem {

struct Judged {
  std::vector<float> action_values, state_values;
};

/// Judges actions by these heads; the rule must not call the network, which has no parameters.
inline Judged judge(const ActingRule& rule, const Heads& heads, const Actions& chosen) {
  LinearNetwork network(linear_architecture({.frame_shape = {1}, .num_actions = 2}), {});
  Judged judged{std::vector<float>(heads.batch), std::vector<float>(heads.batch)};
  rule.judge({network, {}, heads}, chosen, {judged.action_values, judged.state_values});
  return judged;
}

}  // namespace tandem
