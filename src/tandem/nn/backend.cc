#include "tandem/nn/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/places.h"

namespace tandem {
namespace {

constexpr auto kPath = "TANDEM_BACKEND_PATH";

std::string file_of(const std::string& name) { return "tandem_" + name + ".so"; }

/// The command that brings a backend that works.
std::string remedy() {
  return in_wheel() ? "Get the torch that it was built for: pip install 'tandem-rl[torch]'"
                    : "Rebuild it with `make`, or install the library it misses.";
}

std::filesystem::path found_backend(const std::string& name) {
  if (auto file = find_backend(name)) return *std::move(file);
  if (in_wheel()) {
    throw Error(
        fmt::format("--device cuda needs lib{}, and this wheel of tandem was built without its "
                    "backend {}. Use --device cpu, or build a wheel where torch is: docs/python.md",
                    name, file_of(name)));
  }
  throw Error(fmt::format(
      "--device cuda, and the CPU in a build without oneDNN, compute networks by lib{}, and there "
      "is no backend {} in {}. Get it by `make torch`, name the backend's folder in "
      "${}, or use --device cpu",
      name, file_of(name), backend_places(), kPath));
}

}  // namespace

std::string backend_places() { return joined(places_of("backends", kPath)); }

std::optional<std::filesystem::path> find_backend(const std::string& name) {
  for (const auto& folder : places_of("backends", kPath)) {
    auto file = folder / file_of(name);
    if (std::filesystem::exists(file)) return file;
  }
  return std::nullopt;
}

const BackendInfo& load_backend(const std::string& name) {
  const auto file = found_backend(name);
  // The handle is never closed, because networks may live until the process ends. A second call
  // finds the backend loaded.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(
        fmt::format("the backend {} cannot be loaded: {}. {}", file.string(), dlerror(), remedy()));
  }
  using Entry = const BackendInfo* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "tandem_backend"));
  if (entry == nullptr) {
    throw Error(
        fmt::format("{} is no backend of tandem: it exports no function tandem_backend. Remove it.",
                    file.string()));
  }
  const auto* info = entry();
  if (info == nullptr) {
    throw Error(
        fmt::format("{} is no backend of tandem: it describes nothing. Remove it.", file.string()));
  }
  if (info->abi != kBackendAbi) {
    throw Error(fmt::format(
        "the backend {} was built for interface {} of tandem, this program has {}. Rebuild it with "
        "`make`.",
        file.string(), info->abi, kBackendAbi));
  }
  return *info;
}

}  // namespace tandem
