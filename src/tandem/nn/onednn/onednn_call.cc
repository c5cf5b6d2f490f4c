#include "tandem/nn/onednn/onednn_call.h"

#include <cstring>
#include <new>

#include "tandem/base/cpu.h"

// Functions of OpenMP, on which oneDNN runs. Not every compiler comes with the header that declares
// them. OpenMP keeps the number of threads for each calling thread separately.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int threads);

namespace tandem::onednn {
namespace {

dnnl_cpu_isa_t isa_of(Simd simd) {
  switch (simd) {
    case Simd::portable:
      return dnnl_cpu_isa_sse41;
    case Simd::avx2:
      return dnnl_cpu_isa_avx2;
    case Simd::avx512:
      return dnnl_cpu_isa_avx512_core_bf16;
    case Simd::amx:
      break;
  }
  return dnnl_cpu_isa_all;
}

}  // namespace

OneThread::OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }

OneThread::~OneThread() { omp_set_num_threads(before_); }

void obey_the_choice_of_simd() {
  // Without TANDEM_CPU, oneDNN's own environment variable decides.
  static const bool done = std::getenv("TANDEM_CPU") == nullptr ||
                           dnnl_set_max_cpu_isa(isa_of(best_simd())) == dnnl_success;
  (void)done;
}

std::byte* Buffer::reserve(std::size_t bytes, std::size_t keep) {
  if (bytes <= size_) return data_.get();
  constexpr std::size_t kAlignment = 64;  // a cache line, and the widest register
  const auto rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::unique_ptr<std::byte, Free> larger(
      static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (!larger) throw std::bad_alloc();
  if (keep > 0) std::memcpy(larger.get(), data_.get(), keep);
  data_ = std::move(larger);
  size_ = rounded;
  return data_.get();
}

dnnl::primitive_attr with_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Call::Call(Context& context, const dnnl::primitive_desc_base& desc,
           std::vector<std::pair<int, dnnl::memory>> arguments)
    : context_(&context),
      primitive_(desc.get()),
      scratch_(view(context, desc.scratchpad_desc())),
      scratch_bytes_(desc.scratchpad_desc().get_size()) {
  arguments.emplace_back(DNNL_ARG_SCRATCHPAD, scratch_);
  for (auto& [argument, memory] : arguments) {
    arguments_.push_back({argument, memory.get()});
    memories_.push_back(std::move(memory));
  }
}

void Call::run() {
  if (scratch_bytes_ > 0) point(scratch_, context_->scratch.reserve(scratch_bytes_));
  // Uses the C function, because the C++ function would build a table of the arguments at each
  // call.
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), context_->stream.get(),
                             static_cast<int>(arguments_.size()), arguments_.data()),
      "oneDNN cannot run a primitive that it made");
}

Call reorder(Context& context, const dnnl::memory& from, const dnnl::memory& to) {
  const dnnl::reorder::primitive_desc desc(context.engine, from.get_desc(), context.engine,
                                           to.get_desc(), with_scratch());
  return {context, desc, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
}

}  // namespace tandem::onednn
