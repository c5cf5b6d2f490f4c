#include "tandem/env/gym/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "tandem/base/error.h"

namespace tandem {
namespace {

[[noreturn]] void refuse(std::size_t bytes) {
  throw Error(fmt::format("cannot share {} bytes of memory with worker processes: {}", bytes,
                          std::generic_category().message(errno)));
}

}  // namespace

SharedMemory::SharedMemory() : file_(memfd_create("tandem environments", MFD_CLOEXEC)) {
  if (file_.get() < 0) refuse(0);
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void SharedMemory::resize(std::size_t bytes) {
  if (ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) refuse(bytes);
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (start == MAP_FAILED) refuse(bytes);
  bytes_ = {static_cast<std::byte*>(start), bytes};
}

}  // namespace tandem
