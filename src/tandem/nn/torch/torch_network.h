// Networks computed by libtorch, which is loaded with the first of them (see backend.h). This
// header includes none of libtorch's.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// A network over `parameters`, which must outlive it. The device is "cpu" or "cuda"; throws Error
/// where the backend is not there, and where its libtorch has no CUDA or finds no GPU. bf16 is a
/// setting of libtorch for all products of fp32 numbers in this process, from this call on; throws
/// Error on "cuda".
std::unique_ptr<Network> make_torch_network(const Architecture& architecture,
                                            std::span<const float> parameters,
                                            const std::string& device,
                                            Precision precision = Precision::fp32);

}  // namespace tandem
