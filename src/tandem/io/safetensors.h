// The safetensors file format: tensors that Python's `safetensors` package reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// A float32 tensor, row-major. Value type.
struct Tensor {
  std::vector<std::int64_t> shape;  // empty: one scalar
  std::vector<float> values;        // as many as the product of the shape
};

/// Tensors by their names.
using Tensors = std::map<std::string, Tensor>;

/// The bytes of a safetensors file. Every tensor must have as many values as its shape says.
std::vector<std::byte> encode_safetensors(const Tensors& tensors);

/// Reads float32 tensors. Throws Error, which names `file`, when the bytes are not a whole and
/// valid safetensors file.
Tensors decode_safetensors(std::span<const std::byte> bytes, const std::string& file);

}  // namespace tandem
