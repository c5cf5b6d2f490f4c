// An architecture as JSON, from which other programs build the same network.
#pragma once

#include <nlohmann/json.hpp>

#include "tandem/nn/architecture.h"

namespace tandem {

/// The architecture as JSON:
///
///     input        one observation: {"dtype": "uint8" or "float32", "shape": [4, 84, 84]}
///     input_steps  the steps that turn its numbers into the first layer's input, in their order:
///                  {"kind": "divide", "by": 255} and {"kind": "subtract", "number": 0.4}
///     networks     one network, or, if they are separate, the policy's and then the value's
///     state_size   numbers of a sample's recurrent state, those of each network in turn; a
///                  network's are the outputs of its cells and then their memories
///     bounds       {"low": [...], "high": [...]} of a deterministic policy, else null. A tanh
///                  follows the policy head, and is scaled to these bounds. The value's network is
///                  a critic: its input is the observation followed by the action, which is scaled
///                  back to [-1, 1]
///
/// A network has
///
///     torso   layers: {"name": "conv1", "kind": "conv", "dense" or "section", "activation":
///             "relu"}, with "stride" for a convolution, and "blocks" for a residual section
///     lstm    {"name": "lstm", "cells": 256}, or null
///     heads   {"name": "policy", "features": [first, end]}: the part of the features it takes
///
/// The tensors of a layer are NAME.weight and NAME.bias, those of an LSTM NAME.weight_ih, NAME.bias
/// and NAME.weight_hh, as in Architecture::parameters(). A section has several convolutions,
/// NAME.conv, NAME.block1.conv1, NAME.block1.conv2 and so on, each with a weight and a bias. Pure.
[[nodiscard]] nlohmann::ordered_json to_json(const Architecture& architecture);

}  // namespace tandem
