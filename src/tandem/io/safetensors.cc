#include "tandem/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tandem/base/error.h"
#include "tandem/io/files.h"

// A file consists of the length of the header (8 bytes, little-endian); the header, JSON that gives
// each tensor's dtype, shape and place in the data; and the data, without gaps.

namespace tandem {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 60;

std::uint64_t element_count(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const auto size : shape) {
    if (size < 0) throw Error("a tensor has a negative size");
    const auto factor = static_cast<std::uint64_t>(size);
    if (factor > 0 && count > kMaxElements / factor) throw Error("a tensor's shape is too large");
    count *= factor;
  }
  return count;
}

json parse_header(std::span<const std::byte> bytes) {
  try {
    return json::parse(as_text(bytes));
  } catch (const json::exception& error) {
    throw Error(fmt::format("its header is not valid JSON ({})", error.what()));
  }
}

Tensor read_tensor(const std::string& name, const json& entry, std::span<const std::byte> data) {
  if (const auto dtype = entry.at("dtype").get<std::string>(); dtype != "F32") {
    throw Error(fmt::format("tensor '{}' has dtype {}, not F32", name, dtype));
  }
  Tensor tensor{entry.at("shape").get<std::vector<std::int64_t>>(), {}};
  const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
  const auto end = entry.at("data_offsets").at(1).get<std::uint64_t>();
  if (begin > end || end > data.size()) {
    throw Error(fmt::format("tensor '{}' lies beyond the end of the file", name));
  }
  const auto count = element_count(tensor.shape);
  if (count * sizeof(float) != end - begin) {
    throw Error(fmt::format("the size of tensor '{}' is not that of its shape", name));
  }
  tensor.values.resize(count);
  if (count > 0) std::memcpy(tensor.values.data(), data.data() + begin, end - begin);
  return tensor;
}

Tensors decode(std::span<const std::byte> bytes) {
  std::uint64_t header_bytes = 0;
  if (bytes.size() < kLengthBytes) throw Error("it is too short");
  std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
  bytes = bytes.subspan(kLengthBytes);
  if (header_bytes > bytes.size()) throw Error("its header is truncated");
  const auto header = parse_header(bytes.first(header_bytes));
  const auto data = bytes.subspan(header_bytes);
  Tensors tensors;
  std::uint64_t used = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto& tensor = tensors.emplace(name, read_tensor(name, entry, data)).first->second;
    used += sizeof(float) * tensor.values.size();
    if (used > data.size()) break;  // tensors that share their data could fill any memory
  }
  if (used != data.size()) throw Error("its data are not those that the header lists");
  return tensors;
}

}  // namespace

std::vector<std::byte> encode_safetensors(const Tensors& tensors) {
  auto header = json::object();
  std::uint64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    if (element_count(tensor.shape) != tensor.values.size()) {
      throw std::invalid_argument("tensor '" + name + "' does not have the values of its shape");
    }
    const auto begin = end;
    end += tensor.values.size() * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  auto text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the data
  const std::uint64_t header_bytes = text.size();

  std::vector<std::byte> bytes(kLengthBytes + text.size() + end);
  std::memcpy(bytes.data(), &header_bytes, kLengthBytes);
  std::memcpy(bytes.data() + kLengthBytes, text.data(), text.size());
  auto* place = bytes.data() + kLengthBytes + text.size();
  for (const auto& [name, tensor] : tensors) {
    place = std::ranges::copy(std::as_bytes(std::span(tensor.values)), place).out;
  }
  return bytes;
}

Tensors decode_safetensors(std::span<const std::byte> bytes, const std::string& file) {
  try {
    return decode(bytes);
  } catch (const std::exception& error) {  // our own errors, and JSON errors about members that
                                           // are missing or mistyped
    throw Error(fmt::format("{} is not a valid safetensors file: {}", file, error.what()));
  }
}

}  // namespace tandem
