// Backends: shared objects that compute networks by a large library, loaded when one is needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// What a backend's shared object exports as `extern "C" const tandem::BackendInfo*
/// tandem_backend()`. A backend is refused when its abi is not this one; raise the number with each
/// change of the headers that a backend includes.
inline constexpr std::uint32_t kBackendAbi = 2;
struct BackendInfo {
  std::uint32_t abi;  // kBackendAbi of the headers it was built with; must stay the first member
  const char* name;   // "torch"
  /// As make_torch_network.
  std::unique_ptr<Network> (*make_network)(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const std::string& device, Precision precision);
};

/// The file of a backend, tandem_<name>.so, without loading it; none where there is none. Looked
/// for as load_backend() does. Thread-safe.
std::optional<std::filesystem::path> find_backend(const std::string& name);

/// Where backends are looked for, as a list with colons. Thread-safe.
std::string backend_places();

/// Loads tandem_<name>.so from $TANDEM_BACKEND_PATH or the folders of places_of("backends"), if it
/// is not loaded yet; a backend stays loaded until the process ends. Throws Error, with what to do,
/// when it is not there, cannot be loaded, or was built for other headers. Thread-safe.
const BackendInfo& load_backend(const std::string& name);

}  // namespace tandem
