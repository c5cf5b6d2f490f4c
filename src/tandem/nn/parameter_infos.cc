// The tensors of a network in the order of the flat buffer.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/input_statistics.h"

namespace tandem {
namespace {

std::int64_t numbers_in(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return count;
}

/// Appends a tensor of a layer whose units have `fan_in` inputs.
void append(std::vector<ParameterInfo>& all, const std::string& name,
            const std::vector<std::int64_t>& shape, std::int64_t fan_in) {
  const auto offset = all.empty() ? 0 : all.back().offset + all.back().count;
  all.push_back({name, shape, offset, numbers_in(shape), fan_in});
}

/// Appends the weight and the bias of one layer.
void append(std::vector<ParameterInfo>& all, const std::string& layer,
            const std::vector<std::int64_t>& weight) {
  const auto fan_in = numbers_in(weight) / weight[0];
  append(all, layer + ".weight", weight, fan_in);
  append(all, layer + ".bias", {weight[0]}, fan_in);
}

/// Appends the convolutions of a section, in the order of the forward pass.
void append_section(std::vector<ParameterInfo>& all, const std::string& name, std::int64_t channels,
                    const Layer& layer) {
  constexpr std::int64_t kKernel = 3;
  append(all, name + ".conv", {layer.units, channels, kKernel, kKernel});
  for (std::int64_t block = 1; block <= layer.blocks; ++block) {
    for (int conv = 1; conv <= 2; ++conv) {
      append(all, fmt::format("{}.block{}.conv{}", name, block, conv),
             {layer.units, layer.units, kKernel, kKernel});
    }
  }
}

/// Joins the tensors of the policy's network and the value's network, and renames them: in both
/// networks the head is called policy.
std::vector<ParameterInfo> joined(std::vector<ParameterInfo> policy,
                                  std::vector<ParameterInfo> value) {
  const std::string head = "policy.";
  for (auto& info : policy) {
    if (!info.name.starts_with(head)) info.name = "actor." + info.name;
  }
  const auto offset = policy.back().offset + policy.back().count;
  for (auto& info : value) {
    info.offset += offset;
    info.name = info.name.starts_with(head) ? "value." + info.name.substr(head.size())
                                            : "critic." + info.name;
  }
  policy.insert(policy.end(), value.begin(), value.end());
  return policy;
}

}  // namespace

std::vector<ParameterInfo> Architecture::parameters() const {
  if (normalises_inputs) {
    auto all = without_statistics().parameters();
    for (const auto& tensor : input_statistics_tensors(numbers_in(input_shape))) {
      append(all, tensor.name, {tensor.count}, 0);
    }
    return all;
  }
  if (separate) return joined(policy_part().parameters(), value_part().parameters());
  auto inputs = output_shapes();  // input shapes of the layers, then of the heads
  inputs.insert(inputs.begin(), input_shape);
  std::vector<ParameterInfo> all;
  int convs = 0;
  int sections = 0;
  int denses = 0;
  for (std::size_t i = 0; i < torso.size(); ++i) {
    const auto& layer = torso[i];
    if (layer.kind == Layer::Kind::conv) {
      append(all, fmt::format("conv{}", ++convs),
             {layer.units, inputs[i][0], layer.kernel, layer.kernel});
    } else if (layer.kind == Layer::Kind::section) {
      append_section(all, fmt::format("section{}", ++sections), inputs[i][0], layer);
    } else {
      append(all, fmt::format("dense{}", ++denses), {layer.units, numbers_in(inputs[i])});
    }
  }
  if (lstm > 0) {
    const auto features = numbers_in(inputs.back());
    append(all, "lstm.weight_ih", {4 * lstm, features}, features);
    append(all, "lstm.bias", {4 * lstm}, features);
    append(all, "lstm.weight_hh", {4 * lstm, lstm}, lstm);
  }
  append(all, "policy", {policy_outputs, head_inputs()});
  if (value_head) append(all, "value", {1, head_inputs()});
  return all;
}

std::int64_t Architecture::parameter_count() const {
  const auto last = parameters().back();
  return last.offset + last.count;
}

}  // namespace tandem
