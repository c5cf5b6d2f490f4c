// Backends: shared objects that compute networks with a large library, loaded on demand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// The version of the interface to backends. A backend's shared object exports a BackendInfo by
/// `extern "C" const tandem::BackendInfo* tandem_backend()`, which may throw Error if it cannot
/// serve with the libraries that were loaded. A backend with another abi is refused. Raise the
/// number with each change of the headers that a backend includes.
inline constexpr std::uint32_t kBackendAbi = 5;
static_assert(sizeof(Layer) == 48, "raise kBackendAbi");

struct BackendInfo {
  std::uint32_t abi;  // kBackendAbi of the headers it was built with; must stay the first member
  const char* name;   // "torch"
  /// Makes a network; see make_torch_network().
  std::unique_ptr<Network> (*make_network)(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const std::string& device, Precision precision);
};

/// Finds the file of a backend, tandem_<name>.so, without loading it; empty if there is none.
/// Searches the folders of load_backend(). Thread-safe.
std::optional<std::filesystem::path> find_backend(const std::string& name);

/// The folders that are searched for backends, separated by colons. Thread-safe.
std::string backend_places();

/// Loads tandem_<name>.so from $TANDEM_BACKEND_PATH or the folders of places_of("backends"), unless
/// it is loaded already. A backend stays loaded until the process ends. Throws Error, and says what
/// to do, when it is missing, cannot be loaded, or was built for other headers. Thread-safe.
const BackendInfo& load_backend(const std::string& name);

}  // namespace tandem
