#include "tandem/app/version.h"

#include <fmt/format.h>

#include "tandem/base/error.h"
#include "tandem/nn/backend.h"
#include "tandem/nn/onednn/onednn_network.h"

namespace tandem {
namespace {

std::string onednn_text() {
  const auto version = onednn_version();
  if (version.empty()) return "oneDNN: absent; libtorch computes networks on the CPU, too";
  return fmt::format("oneDNN {}: computes networks on the CPU", version);
}

std::string torch_text() {
  if (const auto file = find_backend("torch")) {
    try {
      static_cast<void>(load_backend("torch"));
    } catch (const Error& error) {
      return fmt::format("libtorch: absent, and needed for --device cuda; {}", error.what());
    }
    return fmt::format("libtorch: computes networks with --device cuda, by {}", file->string());
  }
  return fmt::format(
      "libtorch: absent, and needed for --device cuda; there is no tandem_torch.so in {}",
      backend_places());
}

}  // namespace

std::string version_text() {
  return fmt::format("tandem {}\n{}\n{}", TANDEM_VERSION, onednn_text(), torch_text());
}

}  // namespace tandem
