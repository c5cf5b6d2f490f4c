#include "tandem/nn/make_network.h"

#include <algorithm>

#include "tandem/base/error.h"
#include "tandem/nn/composed/dpg_network.h"
#include "tandem/nn/composed/lstm_network.h"
#include "tandem/nn/composed/normalised_network.h"
#include "tandem/nn/composed/separate_network.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/onednn/onednn_network.h"
#include "tandem/nn/torch/torch_network.h"

namespace tandem {
namespace {

constexpr auto kOwn = "tandem";
constexpr auto kTorch = "libtorch";

bool by_onednn(const std::string& device) { return device == "cpu" && !onednn_version().empty(); }

}  // namespace

std::unique_ptr<Network> make_network(const Architecture& architecture,
                                      std::span<const float> parameters, const std::string& device,
                                      Precision precision) {
  if (architecture.deterministic()) {
    if (device != "cpu" || precision != Precision::fp32) {
      throw Error(
          "net.arch: 'dpg' is computed on the CPU in fp32; use --device cpu and net.precision = "
          "\"fp32\"");
    }
    return make_dpg_network(architecture, parameters);
  }
  const PartFactory make_part = [&](const Architecture& part, std::span<const float> values) {
    return make_network(part, values, device, precision);
  };
  if (architecture.normalises_inputs) {
    return make_normalised_network(architecture, parameters, make_part);
  }
  if (architecture.separate) return make_separate_network(architecture, parameters, make_part);
  if (architecture.lstm > 0) return make_lstm_network(architecture, parameters, make_part);
  if (by_onednn(device)) return make_onednn_network(architecture, parameters, precision);
  return make_torch_network(architecture, parameters, device, precision);
}

std::string backend_of(const Architecture& architecture, const std::string& device) {
  if (architecture.deterministic()) return kOwn;
  return by_onednn(device) ? "oneDNN " + onednn_version() : kTorch;
}

std::string backend_of_old_run(const Architecture& architecture, const std::string& device) {
  if (architecture.deterministic()) return kOwn;
  const auto& torso = architecture.torso;
  if (architecture.input_dtype != DType::u8 || torso.empty()) return kTorch;
  const bool blocks = std::ranges::all_of(torso, [](const Layer& layer) {
    return layer.activation == Activation::relu &&
           (layer.kind == Layer::Kind::dense || layer.units % 16 == 0);
  });
  if (!blocks || torso.front().kind != Layer::Kind::conv) return kTorch;
  const auto& image = architecture.input_shape;
  const Cells cells{image[0], image[1], image[2], torso.front().kernel, torso.front().stride};
  return cells.writable() ? backend_of(architecture, device) : kTorch;
}

}  // namespace tandem
