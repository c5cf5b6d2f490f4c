#pragma once

#include <filesystem>

#include "tandem/base/error.h"
#include "tandem/nn/torch/torch_network.h"
#include "tests/nn/network_contract.h"

namespace tandem {

/// Whether this libtorch computes on a GPU. Without an NVIDIA driver it is not loaded to find out.
inline bool has_gpu() {
  if (!std::filesystem::exists("/dev/nvidiactl")) return false;
  const Atari atari;
  try {
    make_torch_network(atari.architecture, atari.parameters, "cuda");
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace tandem
