#include "tandem/nn/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "tandem/base/error.h"
#include "tandem/base/places.h"

namespace tandem {
namespace {

std::filesystem::path find_backend(const std::string& name) {
  const auto folders = places_of("backends", "TANDEM_BACKEND_PATH");
  for (const auto& folder : folders) {
    auto file = folder / ("tandem_" + name + ".so");
    if (std::filesystem::exists(file)) return file;
  }
  throw Error(fmt::format(
      "this network needs lib{}, and there is no backend tandem_{}.so in {}. Build tandem with "
      "-DTANDEM_TORCH=ON (`make` does), name the backend's folder in $TANDEM_BACKEND_PATH, or use "
      "--device cpu with a network that needs none: net.arch = nips or nature on "
      "pixels",
      name, name, joined(folders)));
}

}  // namespace

const BackendInfo& load_backend(const std::string& name) {
  const auto file = find_backend(name);
  // Never closed: networks may live until the process ends. A second call finds it open.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(fmt::format(
        "the backend {} cannot be loaded: {}. Rebuild it with `make`, or install the library it "
        "misses.",
        file.string(), dlerror()));
  }
  using Entry = const BackendInfo* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "tandem_backend"));
  if (entry == nullptr) {
    throw Error(
        fmt::format("{} is no backend of tandem: it exports no function tandem_backend. Remove it.",
                    file.string()));
  }
  const auto* info = entry();
  if (info->abi != kBackendAbi) {
    throw Error(fmt::format(
        "the backend {} was built for interface {} of tandem, this program has {}. Rebuild it with "
        "`make`.",
        file.string(), info->abi, kBackendAbi));
  }
  return *info;
}

}  // namespace tandem
