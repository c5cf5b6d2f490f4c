#include "tandem/nn/onednn/onednn_input.h"

#include <algorithm>

#include "tandem/nn/kernels/bfloat16.h"
#include "tandem/nn/onednn/onednn_layers.h"
#include "tandem/nn/onednn/onednn_layouts.h"

namespace tandem::onednn {
InputWriter::InputWriter(const Architecture& architecture, const Stage& first)
    : cells_(first_cells(architecture)),
      dtype_(architecture.input_dtype),
      mean_(architecture.pixel_mean),
      channels_(first.spec().input.size() == 3 ? architecture.input_shape[0] : 1),
      pixels_(count_of(architecture.input_shape) / channels_),
      bytes_(channels_ * pixels_ * (dtype_ == DType::u8 ? 1 : 4)),
      type_(first.spec().type),
      block_(block_of(first.input_tag(), cells_ ? cells_->depth() : channels_)),
      out_bytes_(static_cast<std::int64_t>(first.input_bytes())) {}

void InputWriter::write(std::span<const std::span<const std::byte>> pieces, std::int64_t first,
                        std::int64_t count, std::byte* out) {
  for (const auto& piece : pieces) {
    const auto samples = std::ssize(piece) / bytes_;
    const auto here = std::min(samples - first, count);
    if (here > 0) {
      write(piece.subspan(first * bytes_, here * bytes_), here, out);
      out += here * out_bytes_;
      count -= here;
    }
    first = std::max<std::int64_t>(first - samples, 0);
  }
}

void InputWriter::write(std::span<const std::byte> observations, std::int64_t batch,
                        std::byte* out) {
  if (cells_) {
    const auto put = [&](auto* to) { write_cells(observations, batch, *cells_, block_, to); };
    if (type_ == Type::u8) return put(reinterpret_cast<std::uint8_t*>(out));
    if (type_ == Type::bf16) return put(reinterpret_cast<Bfloat16*>(out));
    return put(reinterpret_cast<float*>(out));
  }
  const bool rounded = type_ == Type::bf16;
  auto* numbers = reinterpret_cast<float*>(out);
  if (rounded) {
    numbers_.resize(static_cast<std::size_t>(batch * channels_ * pixels_));
    numbers = numbers_.data();
  }
  // Blocks of channels are like images of fewer channels.
  const auto blocks = channels_ / block_;
  write_numbers(observations, dtype_, batch * blocks, block_, pixels_, mean_, numbers);
  if (rounded) std::ranges::transform(numbers_, reinterpret_cast<Bfloat16*>(out), to_bfloat16);
}

}  // namespace tandem::onednn
