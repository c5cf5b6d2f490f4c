// Networks that libtorch computes. Making the first of them loads libtorch (see backend.h); this
// header includes nothing of it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// A network over `parameters`, which must outlive it. The device is "cpu" or "cuda". Throws Error
/// if the backend is missing, or if its libtorch has no CUDA or finds no GPU. bf16 is a setting of
/// libtorch for all products of fp32 numbers in this process, from this call on; on "cuda" bf16
/// throws Error.
std::unique_ptr<Network> make_torch_network(const Architecture& architecture,
                                            std::span<const float> parameters,
                                            const std::string& device,
                                            Precision precision = Precision::fp32);

}  // namespace tandem
