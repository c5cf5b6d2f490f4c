#include "tandem/nn/make_network.h"

#include "tandem/base/error.h"
#include "tandem/nn/composed/dpg_network.h"
#include "tandem/nn/composed/lstm_network.h"
#include "tandem/nn/composed/separate_network.h"
#include "tandem/nn/onednn/onednn_network.h"
#include "tandem/nn/torch/torch_network.h"

namespace tandem {

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
  if (architecture.separate) return make_separate_network(architecture, parameters, make_part);
  if (architecture.lstm > 0) return make_lstm_network(architecture, parameters, make_part);
  if (device == "cpu" && onednn_supports(architecture)) {
    return make_onednn_network(architecture, parameters, precision);
  }
  return make_torch_network(architecture, parameters, device, precision);
}

}  // namespace tandem
