#include "tandem/nn/onednn/onednn_layouts.h"

#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace tandem::onednn {

Dims batch_of(std::int64_t batch, const Dims& sample) {
  Dims dims{batch};
  dims.insert(dims.end(), sample.begin(), sample.end());
  return dims;
}

std::int64_t count_of(const Dims& sample) {
  return std::accumulate(sample.begin(), sample.end(), std::int64_t{1}, std::multiplies());
}

Tag plain_tag(std::size_t dimensions) {
  constexpr std::array kTags{Tag::a, Tag::ab, Tag::abc, Tag::abcd};
  return kTags.at(dimensions - 1);
}

Tag tag_of(const Desc& desc) {
  for (const auto tag : {Tag::nChw16c, Tag::nChw8c, Tag::nhwc, Tag::nchw}) {
    if (desc.dims().size() == 4 && desc == Desc(desc.dims(), desc.data_type(), tag)) return tag;
  }
  if (desc.dims().size() == 2) return Tag::nc;
  throw std::logic_error("oneDNN chose a layout of activations that is not foreseen");
}

std::int64_t block_of(Tag tag, std::int64_t channels) {
  if (tag == Tag::nChw16c) return 16;
  if (tag == Tag::nChw8c) return 8;
  return tag == Tag::nhwc ? channels : 1;
}

}  // namespace tandem::onednn
