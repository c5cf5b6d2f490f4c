// Networks computed by libtorch. This header includes none of libtorch's.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// Makes libtorch fast here by settings of the whole process: libtorch has no thread pools of its
/// own, and freed memory is kept for the next batch. Call it once at the start of main(), before
/// other threads start.
void prepare_torch();

/// A network over `parameters`, which must outlive it. The device is "cpu" or "cuda"; throws Error
/// where this libtorch has no CUDA or finds no GPU. bf16 is a setting of libtorch for all products
/// of fp32 numbers in this process, from this call on; throws Error on "cuda".
std::unique_ptr<Network> make_torch_network(const Architecture& architecture,
                                            std::span<const float> parameters,
                                            const std::string& device,
                                            Precision precision = Precision::fp32);

}  // namespace tandem
