#include "tandem/app/process_settings.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <limits>

namespace tandem {

// By default, malloc does not keep freed blocks as large as a batch of activations. It would map
// and clear such blocks anew for every batch, which takes as long as computing them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

// A file gets the lowest free number, which here is the stream's, since those below are open.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", O_RDWR) < 0) return;
  }
}

}  // namespace tandem
