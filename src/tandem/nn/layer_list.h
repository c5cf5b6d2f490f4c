// A network's layers as text, as config key net.layers gives them.
#pragma once

#include <string>
#include <vector>

#include "tandem/nn/architecture.h"

namespace tandem {

/// Parses a text such as "conv 32 8 4, conv 64 4 2 tanh, dense 512 none" or "section 16 2, section
/// 32 2, dense 256". Each layer is `conv UNITS KERNEL STRIDE`, `section UNITS BLOCKS` (a residual
/// section, see Layer) or `dense UNITS`, then relu, tanh or none. Without such a word the layer has
/// a ReLU, except a section in front of another, which has none. Convolutions and sections come
/// first. Throws Error for any other text; the error names the layer and says what to write.
std::vector<Layer> parse_layers(const std::string& text);

}  // namespace tandem
