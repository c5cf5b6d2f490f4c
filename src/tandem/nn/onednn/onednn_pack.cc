#include "tandem/nn/onednn/onednn_pack.h"

#include "tandem/nn/kernels/dense_blocks.h"

namespace tandem::onednn {
namespace {

template <class Number>
std::function<void()> pack_by_blocks(const BlockShape& shape, const dnnl::memory& plain,
                                     const dnnl::memory& packed) {
  return [=] {
    pack_blocks(shape, static_cast<const float*>(plain.get_data_handle()),
                static_cast<Number*>(packed.get_data_handle()));
  };
}

}  // namespace

std::function<void()> make_pack(Context& context, const dnnl::memory& plain,
                                const dnnl::memory& packed) {
  const auto dims = plain.get_desc().dims();
  if (dims.size() == 2) {
    const BlockShape shape{.outputs = dims[0], .inputs = dims[1]};
    const auto has = [&](Type type, Tag tag) { return packed.get_desc() == Desc(dims, type, tag); };
    if (shape.supported() && has(Type::f32, Tag::AB16b64a)) {
      return pack_by_blocks<float>(shape, plain, packed);
    }
    if (shape.supported() && has(Type::bf16, Tag::AB8b64a2b)) {
      return pack_by_blocks<Bfloat16>(shape, plain, packed);
    }
  }
  return [call = reorder(context, plain, packed)]() mutable { call.run(); };
}

}  // namespace tandem::onednn
