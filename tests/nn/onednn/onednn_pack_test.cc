#include "tandem/nn/onednn/onednn_pack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/nn/kernels/dense_blocks.h"

namespace tandem::onednn {
namespace {

constexpr std::int64_t kOutputs = 128, kInputs = 96;

std::vector<float> weights() {
  std::vector<float> numbers(static_cast<std::size_t>(kOutputs * kInputs));
  Stream stream(3, 4);
  for (auto& number : numbers) number = stream.normal();
  return numbers;
}

std::vector<std::byte> bytes_of(const dnnl::memory& memory) {
  const auto* data = static_cast<const std::byte*>(memory.get_data_handle());
  return {data, data + memory.get_desc().get_size()};
}

/// Packs by our own kernel and by oneDNN's reordering, and expects the same bytes.
void expect_same_bytes(Type type, Tag tag) {
  const BlockShape shape{.outputs = kOutputs, .inputs = kInputs};
  if (!shape.supported()) GTEST_SKIP() << "without AVX-512 oneDNN packs all by itself";
  obey_the_choice_of_simd();
  const OneThread one_thread;
  Context context;
  auto numbers = weights();
  const dnnl::memory plain(Desc({kOutputs, kInputs}, Type::f32, Tag::ab), context.engine,
                           numbers.data());
  const Desc layout({kOutputs, kInputs}, type, tag);
  const dnnl::memory ours(layout, context.engine), theirs(layout, context.engine);
  make_pack(context, plain, ours)();
  reorder(context, plain, theirs).run();
  context.stream.wait();
  EXPECT_EQ(bytes_of(ours), bytes_of(theirs));
}

// Both seen failing when our own kernel repeated its first number.
TEST(Pack, HasTheBytesOfOnednnsReorderingOfFloats) { expect_same_bytes(Type::f32, Tag::AB16b64a); }

TEST(Pack, HasTheBytesOfOnednnsReorderingOfBfloat16s) {
  expect_same_bytes(Type::bf16, Tag::AB8b64a2b);
}

}  // namespace
}  // namespace tandem::onednn
