// oneDNN's primitives: made once, then run many times on different memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

namespace tandem::onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

/// While it exists, oneDNN computes in the calling thread alone. Each use of oneDNN needs one. Then
/// OpenMP has as many threads as before: the thread may be a user's, whose PyTorch computes with
/// them.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_;
};

/// Limits oneDNN's code to the instructions that $TANDEM_CPU names, if it is set. oneDNN accepts no
/// other choice once it has generated code.
void obey_the_choice_of_simd();

/// Memory that only grows, aligned for SIMD. Not thread-safe.
class Buffer {
 public:
  /// Reserves at least `bytes` bytes and returns their address; keeps the first `keep` bytes of the
  /// old content.
  std::byte* reserve(std::size_t bytes, std::size_t keep = 0);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// The objects that all primitives of one network share. Not thread-safe.
struct Context {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Buffer scratch;
};

/// Attributes of a primitive whose caller provides its scratch memory. oneDNN's own scratch memory
/// belongs to the thread that made the primitive, while a network may move from thread to thread.
dnnl::primitive_attr with_scratch();

/// A primitive with its arguments. Not thread-safe.
class Call {
 public:
  Call() = default;

  /// The context must outlive this object. `desc` must have been made using with_scratch().
  Call(Context& context, const dnnl::primitive_desc_base& desc,
       std::vector<std::pair<int, dnnl::memory>> arguments);

  void run();

 private:
  Context* context_ = nullptr;
  dnnl::primitive primitive_;
  dnnl::memory scratch_;
  std::size_t scratch_bytes_ = 0;
  std::vector<dnnl::memory> memories_;  // keeps the memory objects of arguments_ alive
  std::vector<dnnl_exec_arg_t> arguments_;
};

/// Makes a call that copies from one layout or type to another.
Call reorder(Context& context, const dnnl::memory& from, const dnnl::memory& to);

/// Makes a memory object without storage: point() sets its address before each run.
inline dnnl::memory view(const Context& context, const Desc& desc) {
  return {desc, context.engine, nullptr};
}

/// Sets the address of a memory object. oneDNN writes to none of its inputs, but takes pointers
/// that are not const.
inline void point(const dnnl::memory& memory, const void* data) {
  memory.set_data_handle(const_cast<void*>(data));
}

}  // namespace tandem::onednn
